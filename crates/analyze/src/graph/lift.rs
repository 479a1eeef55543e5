//! The IR of a basic block of the graph.

use super::node::BlockId;
use super::whole::Graph;
use crate::program::Program;
use everypath_ir::Block;
use everypath_lift::{LiftSession, NotLifted};

impl Graph {
    /// Lifts a basic block up to its end in the graph: code after that is another block's, even if no branch separates them.
    ///
    /// # Errors
    /// If the first instruction cannot be lifted.
    pub fn lift(
        &self,
        id: BlockId,
        program: &Program<'_>,
        session: &mut LiftSession<'_>,
    ) -> Result<Block, NotLifted> {
        let node = self.block(id);
        session.block_until(program.image(), node.place, |next| next.address == node.end)
    }
}

//! What a value analysis claims of one exit: with what is said to hold before its block, no run of the block takes it. That can
//! be checked again by running the block on terms.

use super::program::{Bounds, Values};
use super::state::State;
use crate::domain::Number;
use crate::graph::{BlockId, Graph};
use crate::program::Program;
use everypath_ir::{Block, Layout, Location, SpaceKind, Width};
use std::sync::Arc;

/// That an exit of a block is not taken from states in which places hold certain numbers.
pub struct Claim<'p> {
    program: &'p Program<'p>,
    bounds: Bounds,
    block: Arc<Block>,
    exit: usize,
    state: State,
}

impl Values {
    /// What is claimed of an exit that is said to be dead: one claim for each way in which its block is reached. `None` if
    /// the exit is not said to be dead.
    pub fn claims<'p>(
        &self,
        program: &'p Program<'p>,
        graph: &Graph,
        block: BlockId,
        exit: u8,
    ) -> Option<Vec<Claim<'p>>> {
        self.dead_exits().binary_search(&(block, exit)).ok()?;
        let node = graph.block(block);
        let mut session = program.lifter().session();
        let lifted =
            session.block_until(program.image(), node.place, |next| next.address == node.end).ok()?;
        let lifted = Arc::new(lifted);
        let states: Vec<&State> = match self.is_rooted() {
            true => self.ways(block).iter().collect(),
            false => self.before(block).iter().map(|(_, state)| state).collect(),
        };
        let claim = |state: &State| Claim {
            program,
            bounds: self.bounds().clone(),
            block: lifted.clone(),
            exit: usize::from(exit),
            state: state.clone(),
        };
        Some(states.into_iter().map(claim).collect())
    }
}

impl Claim<'_> {
    /// The block.
    pub fn block(&self) -> &Arc<Block> {
        &self.block
    }

    /// Which of its exits is said not to be taken.
    pub fn exit(&self) -> usize {
        self.exit
    }

    /// Where its places lie.
    pub fn layout(&self) -> &Layout {
        self.program.architecture().layout()
    }

    /// Whether some bytes change by themselves, so that each look at them may find another value.
    pub fn is_volatile(&self, location: Location, width: Width) -> bool {
        let last = location.offset.saturating_add(width.bytes() as u64 - 1);
        self.bounds
            .volatile
            .iter()
            .any(|(space, start, end)| *space == location.space && *start <= last && location.offset <= *end)
    }

    /// Whether a user operation changes nothing but its result.
    pub fn is_harmless(&self, operation: u32) -> bool {
        let architecture = self.program.architecture();
        let name = architecture.layout().user_operations.get(operation as usize);
        let said = name.and_then(|name| architecture.description().user_operation(name));
        said.is_some_and(|said| said.model == "nothing")
    }

    /// What a place is said to hold before the block.
    pub fn number(&self, location: Location, width: Width) -> Number {
        let layout = self.layout();
        let is_memory = layout.spaces[usize::from(location.space.0)].kind == SpaceKind::Memory;
        if is_memory && self.is_volatile(location, width) {
            return Number::all(width);
        }
        if is_memory
            && location.space == self.program.code_space()
            && let Some(number) = self.program.fixed(location.offset, width)
        {
            return Number::one(width, number);
        }
        let value = self.state.place(layout, location, width);
        if value.base.is_none() { value.number } else { Number::all(width) }
    }

    /// The same claim with something else said of a place: to see that a check depends on it.
    #[must_use]
    pub fn with(mut self, location: Location, number: Number) -> Self {
        let layout = self.program.architecture().layout();
        self.state.set_place(layout, location, super::symbol::Value::plain(number));
        self
    }
}

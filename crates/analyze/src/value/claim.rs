//! Infeasibility claims of the value-set analysis: under the states before a block, no execution of the block takes a
//! given exit. A solver can verify a claim by executing the block symbolically.

use super::options::AnalysisOptions;
use super::program::ValueSets;
use super::state::AbstractState;
use super::symbol::Value;
use crate::domain::Number;
use crate::graph::{BlockId, Graph};
use crate::program::Program;
use everypath_ir::{Block, Layout, Location, SpaceKind, Width};
use std::sync::Arc;

/// The claim that no execution of a block takes an exit if registers and memory hold values of an abstract state.
pub struct Claim<'p> {
    program: &'p Program<'p>,
    options: AnalysisOptions,
    block: Arc<Block>,
    exit: usize,
    state: AbstractState,
}

impl ValueSets {
    /// The claims behind a dead exit: one for each calling context in which its block is reached. Returns `None` if the
    /// exit is not dead.
    pub fn claims<'p>(
        &self,
        program: &'p Program<'p>,
        graph: &Graph,
        block: BlockId,
        exit: u8,
    ) -> Option<Vec<Claim<'p>>> {
        self.dead_exits().binary_search(&(block, exit)).ok()?;
        let lifted = Arc::new(graph.lift(block, program, &mut program.lifter().session()).ok()?);
        let states: Vec<&AbstractState> = match self.is_context_sensitive() {
            true => self.context_states(block).iter().collect(),
            false => self.before(block).iter().map(|(_, state)| state).collect(),
        };
        let claim = |state: &AbstractState| Claim {
            program,
            options: self.options().clone(),
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

    /// The index of the exit that is claimed to be infeasible.
    pub fn exit(&self) -> usize {
        self.exit
    }

    /// The layout of registers and memory.
    pub fn layout(&self) -> &Layout {
        self.program.architecture().layout()
    }

    /// Returns true if a byte range overlaps a volatile (MMIO) range, where each read may return another value.
    pub fn is_volatile(&self, location: Location, width: Width) -> bool {
        self.options.volatile.overlaps(location, width.bytes())
    }

    /// Returns true if a user operation has no effect besides its result.
    pub fn is_harmless(&self, operation: u32) -> bool {
        self.program.is_harmless(operation)
    }

    /// The values that the claim assumes for a register or memory location before the block.
    pub fn number(&self, location: Location, width: Width) -> Number {
        let layout = self.layout();
        let is_memory = layout[location.space].kind == SpaceKind::Memory;
        if self.is_volatile(location, width) {
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

    /// The same claim with a different assumption about one location; tests use it to see that verification depends on
    /// it.
    #[must_use]
    pub fn with(mut self, location: Location, number: Number) -> Self {
        let layout = self.program.architecture().layout();
        self.state.set_place(layout, location, Value::plain(number));
        self
    }
}

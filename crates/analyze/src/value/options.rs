//! Options of the value-set analysis, and the assumptions that it may make.

use super::start::EntryState;
use crate::program::Program;
use everypath_ir::{AddressSet, Location, Place, Width};
use std::sync::Arc;

/// The assumptions of an analysis.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Trust {
    /// No assumptions: the results hold for every program.
    Nothing,
    /// The calling convention: functions restore callee-saved registers, a store to an unknown address does not
    /// overwrite saved entry values, and the stack does not overlap variables at fixed addresses.
    Convention,
}

/// Options of the value-set analysis.
#[derive(Clone, Debug)]
pub struct AnalysisOptions {
    /// The assumptions.
    pub trust: Trust,
    /// Volatile memory (MMIO).
    pub volatile: AddressSet,
    /// The stack pointer.
    pub stack_pointer: Option<(Location, Width)>,
    /// The entry point and the known part of the initial state. Only used with [`Trust::Nothing`].
    pub start: Option<(Place, Arc<EntryState>)>,
    /// Maximum number of block runs per function run, or in total for the context-sensitive analysis.
    pub steps: u64,
    /// Maximum number of times a function's summary may change.
    pub rounds: u32,
}

impl AnalysisOptions {
    /// The default options for a program.
    pub fn new(program: &Program<'_>, trust: Trust) -> Self {
        let stack_pointer = program.architecture().stack_pointer();
        Self { trust, volatile: AddressSet::default(), stack_pointer, start: None, steps: 50_000, rounds: 16 }
    }
}

//! Counts of comparisons.

use super::check::Check;
use std::fmt;

/// Comparisons for one target.
#[derive(Default)]
pub(crate) struct Sums {
    pub(crate) programs: u64,
    /// Runs on random input, and on inputs of generated tests.
    pub(crate) runs: u64,
    pub(crate) tests: u64,
    /// Edges that an exploration found.
    pub(crate) edges: u64,
    /// Registers, those with a value set other than top, and memory values.
    registers: u64,
    telling: u64,
    memory: u64,
    /// Runs that took an unknown target of an unresolved exit.
    left: u64,
}

impl Sums {
    pub(crate) fn add(&mut self, check: &Check<'_>) {
        self.registers += check.compared;
        self.telling += check.telling;
        self.memory += check.memory;
        self.left += check.left;
    }

    /// Returns true if some kind of comparison was never made.
    pub(crate) fn is_missing_something(&self) -> bool {
        [self.runs, self.tests, self.edges, self.telling, self.memory].contains(&0)
    }
}

impl fmt::Display for Sums {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { programs, runs, tests, edges, registers, telling, memory, left } = self;
        write!(
            formatter,
            "{programs} programs, {runs} runs and {tests} generated tests: {telling} of {registers} comparisons of registers \
             say something, and {memory} of memory; {edges} edges of explorations; {left} runs left where that is said"
        )
    }
}

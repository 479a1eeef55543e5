//! How much was compared.

use super::check::Check;
use std::fmt;

/// What was compared for one target.
#[derive(Default)]
pub(crate) struct Sums {
    pub(crate) programs: u64,
    /// Runs on random input, and on that of generated tests.
    pub(crate) runs: u64,
    pub(crate) tests: u64,
    /// Ways that an exploration found.
    pub(crate) ways: u64,
    /// Registers, those of them of which something is said, and pieces of memory.
    registers: u64,
    telling: u64,
    memory: u64,
    /// Runs that left by an exit of which it is said that not all its targets are known.
    left: u64,
}

impl Sums {
    pub(crate) fn add(&mut self, check: &Check<'_>) {
        self.registers += check.compared;
        self.telling += check.telling;
        self.memory += check.memory;
        self.left += check.left;
    }

    /// Whether some kind of comparison was never made.
    pub(crate) fn is_missing_something(&self) -> bool {
        [self.runs, self.tests, self.ways, self.telling, self.memory].contains(&0)
    }
}

impl fmt::Display for Sums {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { programs, runs, tests, ways, registers, telling, memory, left } = self;
        write!(
            formatter,
            "{programs} programs, {runs} runs and {tests} generated tests: {telling} of {registers} comparisons of registers \
             say something, and {memory} of memory; {ways} ways of explorations; {left} runs left where that is said"
        )
    }
}

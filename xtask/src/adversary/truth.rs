//! Ground truth: the behaviour of every input of a program, as an executor observed it.

use std::collections::BTreeMap;

/// The end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// It reached the stop.
    Stopped,
    /// It faulted at this instruction; zero if the executor does not report the address.
    Faulted(u64),
}

/// The run of one input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// A hash of the sequence of instructions.
    pub(super) path: u64,
    pub(super) ending: Ending,
    /// Whether it divides by zero.
    pub(super) divides_by_zero: bool,
}

/// The runs of all inputs.
#[derive(Clone, Debug, Default)]
pub(super) struct Truth {
    /// The transitions between instructions that end a straight-line block of the executor, each with the first input
    /// that makes it.
    pub(super) edges: BTreeMap<(u64, u64), u64>,
    /// The number of inputs that a simulator confirmed, where our machine ran them.
    pub(super) confirmed: u64,
    /// One run for each input.
    pub(super) runs: Vec<Run>,
}

/// The reason why there is no ground truth for a program.
#[derive(Clone, Debug)]
pub(super) enum NoTruth {
    /// The program is unsuitable: it runs too long, or reads more input than it was generated for.
    Unsuited(String),
    /// A simulator disagrees with our machine.
    Differs(String),
    /// The executor does not work.
    Broken(String),
}

impl From<String> for NoTruth {
    fn from(problem: String) -> NoTruth {
        NoTruth::Broken(problem)
    }
}

/// A hash of a path, from the addresses of its instructions.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathHash(pub(super) u64);

impl PathHash {
    pub(super) fn new() -> PathHash {
        PathHash(0xcbf2_9ce4_8422_2325)
    }

    pub(super) fn step(&mut self, address: u64) {
        self.0 = (self.0 ^ address).wrapping_mul(0x100_0000_01b3);
        self.0 ^= self.0 >> 31;
    }
}

//! Ground truth: what every input of a program does, as an executor observed it.

use std::collections::BTreeMap;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// It reached the stop.
    Stopped,
    /// It faulted at this instruction, if the executor says where.
    Faulted(u64),
}

/// What one input does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// A hash of the sequence of instructions.
    pub(super) path: u64,
    pub(super) ending: Ending,
    /// Whether it divides by zero.
    pub(super) divides_by_zero: bool,
}

/// What all inputs do.
#[derive(Clone, Debug, Default)]
pub(super) struct Truth {
    /// The transitions between instructions that are not in one straight line of code for the executor, each with the
    /// first input that makes it.
    pub(super) edges: BTreeMap<(u64, u64), u64>,
    /// How many inputs a simulator confirmed, where our machine ran them.
    pub(super) confirmed: u64,
    /// One run for each input.
    pub(super) runs: Vec<Run>,
}

/// Why there is no ground truth for a program.
#[derive(Clone, Debug)]
pub(super) enum NoTruth {
    /// The program is not suited: it runs too long, or reads more input than it was made for.
    Unsuited(String),
    /// A simulator does something else than our machine.
    Differs(String),
    /// The executor does not work.
    Broken(String),
}

impl From<String> for NoTruth {
    fn from(problem: String) -> NoTruth {
        NoTruth::Broken(problem)
    }
}

/// Collects edges and a path from the addresses of instructions, one after the other.
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

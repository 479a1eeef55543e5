//! Executed code: what a replay of a test ran and read, and the inputs that decided its branches.

use std::fmt;

use serde::Serialize;

use crate::{Address, Direction};

/// The code that a test executes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutedCode {
    /// The test's name.
    pub test: String,
    /// The executed instructions, in the order of their addresses, each with the number of times.
    pub instructions: Vec<(Address, u64)>,
    /// Its first reads of inputs, in the order of the run.
    pub reads: Vec<InputRead>,
    /// Number of all its reads of inputs: a polling loop reads as often as it runs.
    pub all_reads: u64,
    /// The directions that no earlier test takes, in the order in which the run takes them first.
    pub decisions: Vec<InputDecision>,
}

impl ExecutedCode {
    /// The inputs that decide a direction which no earlier test takes, if they are known.
    #[must_use]
    pub fn decision(&self, direction: Direction) -> Option<&InputDecision> {
        self.decisions.iter().find(|decision| decision.direction == direction)
    }
}

/// A branch direction that a run takes, with the inputs on which the condition of its branch depends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InputDecision {
    /// The direction.
    #[serde(flatten)]
    pub direction: Direction,
    /// Number of instructions executed before the basic block that the branch ends.
    pub after: u64,
    /// The inputs; none if the condition is constant on the path.
    pub inputs: Vec<DecidingInput>,
}

/// An input on which the condition of a branch depends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DecidingInput {
    /// Its name.
    pub input: String,
    /// The reads of a memory-mapped input, counted from 1; none for memory and registers at the entry.
    pub reads: Vec<u32>,
}

impl fmt::Display for DecidingInput {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DecidingInput { input, reads } = self;
        match reads.as_slice() {
            [] => write!(formatter, "{input}"),
            [one] => write!(formatter, "read {one} of {input}"),
            [first, .., last] if (last - first) as usize == reads.len() - 1 => {
                write!(formatter, "reads {first} to {last} of {input}")
            }
            [first, .., last] => {
                write!(formatter, "{} of the reads {first} to {last} of {input}", reads.len())
            }
        }
    }
}

/// A read of an input during a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputRead {
    /// Number of instructions executed before it.
    pub after: u64,
    /// The instruction that reads.
    pub at: Address,
    /// The input's name.
    pub input: String,
    /// The value.
    pub value: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_are_named_by_their_range() {
        let named = |reads: &[u32]| DecidingInput { input: "uart".into(), reads: reads.into() }.to_string();
        assert_eq!(named(&[]), "uart");
        assert_eq!(named(&[3]), "read 3 of uart");
        assert_eq!(named(&[3, 4]), "reads 3 to 4 of uart");
        assert_eq!(named(&[3, 7, 9]), "3 of the reads 3 to 9 of uart");
    }
}

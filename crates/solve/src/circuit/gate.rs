//! The gates of a circuit.

use super::Literal;

/// A gate of a circuit.
///
/// Besides `and` there are the gates that adders, shifters and tables consist of: one gate each takes fewer variables
/// and clauses than its decomposition, and unit propagation crosses it in one step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Gate {
    /// Constant zero; only gate 0.
    False,
    /// A free input.
    Input,
    /// The conjunction of both.
    And([Literal; 2]),
    /// The exclusive or of both.
    Xor([Literal; 2]),
    /// The multiplexer: the second if the first is one, otherwise the third.
    Select([Literal; 3]),
    /// The parity of three: the sum of a full adder.
    Parity([Literal; 3]),
    /// The majority of three: the carry of a full adder.
    Majority([Literal; 3]),
}

impl Gate {
    /// The arguments.
    #[inline]
    #[must_use]
    pub fn arguments(&self) -> &[Literal] {
        match self {
            Gate::False | Gate::Input => &[],
            Gate::And(arguments) | Gate::Xor(arguments) => arguments,
            Gate::Select(arguments) | Gate::Parity(arguments) | Gate::Majority(arguments) => arguments,
        }
    }
}

//! The kinds of gates.

use super::Literal;

/// What a gate computes.
///
/// Beside `and` there are the gates that adders, shifters and tables are made of: as one gate each they take fewer
/// variables and clauses than their parts would, and the solver sees through them in one step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Gate {
    /// Always zero; gate 0 alone.
    False,
    /// A free value.
    Input,
    /// Whether both are one.
    And([Literal; 2]),
    /// Whether an odd number is one.
    Xor([Literal; 2]),
    /// The second if the first is one, otherwise the third.
    Select([Literal; 3]),
    /// Whether an odd number is one: the sum of a full adder.
    Parity([Literal; 3]),
    /// Whether at least two are one: the carry of a full adder.
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

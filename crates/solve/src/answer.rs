//! The result of a satisfiability query: a model, unsat with an unsat core, or unknown with the reason.

use std::fmt;

use everypath_ir::Op;
use everypath_term::{Model, Term};

/// The result of a query: does some input satisfy the conjunction of its conditions?
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Satisfiable: this model satisfies all conditions.
    Sat(Model),
    /// Unsatisfiable; the unsat core is a subset of the query's conditions that no input satisfies.
    Unsat(Vec<Term>),
    /// Unknown: no solver decided the query. Never treat it as unsat.
    Unknown(UnknownReason),
}

/// The reason why a query is undecided. None of these says anything about the query itself.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum UnknownReason {
    /// The solver reached the conflict limit.
    Conflicts,
    /// The solver reached the time limit.
    Time,
    /// The circuit reached the gate limit.
    Memory,
    /// The stop flag of the query limits was set.
    Stopped,
    /// The backend cannot translate this operator.
    Unsupported(Op),
    /// The solver reported unknown, or exited without an answer.
    GaveUp(String),
    /// A check refuted the answer: a bug in a solver or in its use.
    Refuted(String),
}

impl fmt::Display for UnknownReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnknownReason::Conflicts => formatter.write_str("the limit of conflicts was reached"),
            UnknownReason::Time => formatter.write_str("the limit of time was reached"),
            UnknownReason::Memory => formatter.write_str("the limit of gates was reached"),
            UnknownReason::Stopped => formatter.write_str("the query was stopped"),
            UnknownReason::Unsupported(op) => write!(formatter, "{op} is not translated"),
            UnknownReason::GaveUp(why) => write!(formatter, "the solver gave up: {why}"),
            UnknownReason::Refuted(why) => write!(formatter, "the answer was refuted: {why}"),
        }
    }
}

//! What a solver answers to a query.

use std::fmt;

use everypath_ir::Op;
use everypath_term::{Model, Term};

/// The answer to the question whether some input makes all of a list of conditions true.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// This one does.
    Model(Model),
    /// None does: these conditions, some of the query's, are never true together.
    None(Vec<Term>),
    /// Nobody knows. This is never a "none".
    Unknown(Reason),
}

/// Why there is no answer. None of these says anything about the query.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Reason {
    /// The limit of conflicts was reached.
    Conflicts,
    /// The limit of time was reached.
    Time,
    /// The limit of gates was reached.
    Memory,
    /// Somebody stopped the query.
    Stopped,
    /// The backend cannot translate this operator.
    Unsupported(Op),
    /// The solver said that it gives up, or ended without an answer.
    GaveUp(String),
    /// The answer did not stand up to a check, which is a bug in a solver or in its use.
    Refuted(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Conflicts => formatter.write_str("the limit of conflicts was reached"),
            Reason::Time => formatter.write_str("the limit of time was reached"),
            Reason::Memory => formatter.write_str("the limit of gates was reached"),
            Reason::Stopped => formatter.write_str("the query was stopped"),
            Reason::Unsupported(op) => write!(formatter, "{op} is not translated"),
            Reason::GaveUp(why) => write!(formatter, "the solver gave up: {why}"),
            Reason::Refuted(why) => write!(formatter, "the answer was refuted: {why}"),
        }
    }
}

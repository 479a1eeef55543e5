//! What a backend answers to a query.

use std::fmt;

use everypath_ir::Op;
use everypath_term::Model;

/// The answer to the question whether some input makes all of a list of conditions true.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// This one does.
    Model(Model),
    /// None does.
    None {
        /// Places in the list of conditions that no input makes true together, in their order.
        core: Vec<usize>,
    },
    /// Nobody knows. This is never a "none".
    Unknown(Reason),
}

/// Why there is no answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reason {
    /// The limit of conflicts was reached.
    Conflicts,
    /// The limit of time was reached.
    Time,
    /// The limit of gates was reached.
    Memory,
    /// The backend cannot translate this operator.
    Unsupported(Op),
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Conflicts => formatter.write_str("the limit of conflicts was reached"),
            Reason::Time => formatter.write_str("the limit of time was reached"),
            Reason::Memory => formatter.write_str("the limit of gates was reached"),
            Reason::Unsupported(op) => write!(formatter, "{op} is not translated"),
        }
    }
}

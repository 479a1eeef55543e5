//! What is asked of a solver, what it may spend, and what it can answer.

use std::fmt;
use std::time::Duration;

use everypath_ir::Op;
use everypath_term::{Model, Term};

/// A question: is there a value for each input byte so that all conditions hold?
#[derive(Clone, Copy, Debug)]
pub struct Query<'q> {
    /// Terms of one bit. Along a path, the branch in question comes last.
    pub conditions: &'q [Term],
    /// A model under which all conditions but the last hold, if one is known: the input that took the path so far.
    pub known: Option<&'q Model>,
}

/// The answer to a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Under this model all conditions hold.
    Model(Model),
    /// There is none: these conditions, some of the query's, do not hold together.
    None(Vec<Term>),
    /// It was not found out.
    Unknown(Reason),
}

/// Why an answer was not found. None of these says anything about the query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The limit of conflicts was reached.
    Conflicts(u64),
    /// The limit of time was reached.
    Time(Duration),
    /// The limit of memory was reached.
    Memory,
    /// The solver does not know an operator.
    Unsupported(Op),
    /// The solver said that it gives up, or ended without an answer.
    GaveUp(String),
    /// The answer did not stand up to a check, which is a bug in a solver or in its use.
    Refuted(String),
}

/// What may be spent on one query. Answers are never guessed when a limit is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// How many conflicts a search may run into: a measure that is the same on every machine.
    pub conflicts: Option<u64>,
    /// How long it may take.
    pub time: Option<Duration>,
}

impl Limits {
    /// No limit.
    pub const NONE: Limits = Limits { conflicts: None, time: None };
}

/// Something that answers queries: a backend, or a layer above one.
pub trait Solver {
    /// Answers a query.
    fn check(&mut self, terms: &mut Terms, query: Query<'_>, limits: &Limits) -> Answer;

    /// What was done so far, each layer its own, from the outermost to the backend.
    fn statistics(&self, list: &mut Vec<Statistics>);
}

use everypath_term::Terms;

/// How many queries came to a layer or backend, and how many it answered itself.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Statistics {
    /// The name of the layer.
    pub name: &'static str,
    /// Queries that came to it.
    pub asked: u64,
    /// Queries that it answered without asking further.
    pub answered: u64,
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Conflicts(limit) => write!(formatter, "the limit of {limit} conflicts was reached"),
            Reason::Time(limit) => write!(formatter, "the limit of {} ms was reached", limit.as_millis()),
            Reason::Memory => formatter.write_str("the limit of memory was reached"),
            Reason::Unsupported(op) => write!(formatter, "the solver does not know the operator {op}"),
            Reason::GaveUp(why) => write!(formatter, "the solver gave up: {why}"),
            Reason::Refuted(why) => write!(formatter, "the answer was refuted: {why}"),
        }
    }
}

//! What is asked of a solver, and what a solver is.

use everypath_term::{Model, Term, Terms};

use crate::{Answer, Limits};

/// A question: is there a value for each input byte so that all conditions hold?
#[derive(Clone, Copy, Debug)]
pub struct Query<'q> {
    /// Terms of one bit. Along a path, the branch in question comes last.
    pub conditions: &'q [Term],
    /// A model under which all conditions but the last hold, if one is known: the input that took the path so far.
    pub known: Option<&'q Model>,
}

/// Something that answers queries: a backend, or a layer above one.
///
/// All queries to one solver are about terms of one pool: layers and backends keep what they found by the numbers of terms.
pub trait Solver {
    /// Answers a query.
    fn check(&mut self, terms: &mut Terms, query: Query<'_>, limits: &Limits) -> Answer;

    /// What was done so far, each layer its own, from the outermost to the backend.
    fn statistics(&self, list: &mut Vec<Statistics>);
}

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

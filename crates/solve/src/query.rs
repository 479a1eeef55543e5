//! What is asked of a solver, and what a solver is.

use everypath_term::{Model, Term, Terms};

use crate::{Answer, Limits};

/// A satisfiability query: is there a value for each input byte so that all conditions hold?
///
/// All conditions are asked about, wherever they stand in the list, and `known` promises nothing: a layer that wants to rely
/// on a condition that holds under it evaluates that condition first.
#[derive(Clone, Copy, Debug)]
pub struct Query<'q> {
    /// The conjuncts, terms of one bit. Along a path the negated branch comes last; layers use that to try it first, and
    /// for nothing else.
    pub conditions: &'q [Term],
    /// A model to start from: along a path the input that took it so far, under which nearly all conditions hold. A hint.
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

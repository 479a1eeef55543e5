//! Satisfiability queries, and the trait of solvers that answer them.

use everypath_term::{Model, Term, Terms};

use crate::{Answer, QueryLimits};

/// A satisfiability query: is there a value for each input byte so that all conditions hold?
///
/// All conditions count, whatever their position, and `known` is only a hint: a layer that relies on a condition
/// holding under it evaluates that condition first.
#[derive(Clone, Copy, Debug)]
pub struct Query<'q> {
    /// The conjuncts, terms of one bit. Along a path the negated branch comes last; layers use that only to try it
    /// first.
    pub conditions: &'q [Term],
    /// A model to start from, as a hint: along a path the current input, under which nearly all conditions hold.
    pub known: Option<&'q Model>,
}

/// Something that answers queries: a backend, or a layer above one.
///
/// All queries to one solver use terms of one pool: layers and backends cache results by term number.
pub trait Solver {
    /// Answers a query.
    fn check(&mut self, terms: &mut Terms, query: Query<'_>, limits: &QueryLimits) -> Answer;

    /// Appends the statistics of each layer, from the outermost to the backend.
    fn statistics(&self, list: &mut Vec<Statistics>);
}

/// Query counts of a layer or backend.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Statistics {
    /// The name of the layer.
    pub name: &'static str,
    /// Queries received.
    pub asked: u64,
    /// Queries answered without passing them on.
    pub answered: u64,
}

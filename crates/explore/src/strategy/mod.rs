//! Search strategies: which pending branch is queried next. Each is one file and one line in [`ALL`].

mod breadth_first;
mod coverage;
pub(crate) mod depth_first;
mod fair;
mod portfolio;
mod random_path;

use everypath_record::Direction;

/// A pending branch, as a strategy sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its number, in the order in which branches were enqueued.
    pub number: u64,
    /// The length of its path condition.
    pub depth: usize,
    /// The branch direction that it would take, if it is known.
    pub direction: Option<Direction>,
    /// Whether it is an indirect jump that is queried for a target that no path has taken.
    pub jump: bool,
}

/// The progress of a search, as a strategy sees it.
pub trait SearchView {
    /// Whether a path has taken a direction.
    fn is_covered(&self, direction: Direction) -> bool;

    /// The work that the search has done so far, in units of about an executed instruction: executions and queries. It
    /// does not depend on the machine, so a strategy may divide the work by it and stay deterministic.
    fn effort(&self) -> u64;
}

/// Chooses the pending branch to query next.
pub trait Strategy {
    /// Adds a candidate.
    fn add(&mut self, candidate: Candidate);

    /// Removes and returns the next candidate.
    fn next(&mut self, view: &dyn SearchView) -> Option<Candidate>;
}

/// A strategy, by name.
pub struct StrategyEntry {
    /// The name.
    pub name: &'static str,
    /// A one-line description.
    pub what: &'static str,
    /// Creates it from a seed.
    pub make: fn(u64) -> Box<dyn Strategy>,
}

/// Every strategy.
pub static ALL: &[StrategyEntry] = &[
    StrategyEntry {
        name: "portfolio",
        what: "uncovered directions first; then several orders of search in turns, each with its share of the work",
        make: |seed| Box::new(portfolio::Portfolio::new(seed)),
    },
    StrategyEntry {
        name: "coverage",
        what: "pending branches whose direction is not covered yet, newest first; then the others",
        make: |_| Box::new(coverage::NewFirst::default()),
    },
    StrategyEntry {
        name: "fair",
        what: "the direction queried least often, its shallowest and its deepest pending branch in turns",
        make: |_| Box::new(fair::LeastAsked::default()),
    },
    StrategyEntry {
        name: "depth-first",
        what: "the newest pending branch first",
        make: |_| Box::new(depth_first::LastFirst::default()),
    },
    StrategyEntry {
        name: "breadth-first",
        what: "the pending branch with the shortest path condition first",
        make: |_| Box::new(breadth_first::ShortestFirst::default()),
    },
    StrategyEntry {
        name: "random-path",
        what: "any pending branch, each with equal probability",
        make: |seed| Box::new(random_path::AnyOf::new(seed)),
    },
];

//! Search strategies: which pending branch is queried next. Each is one file and one line in [`ALL`].

mod breadth_first;
mod coverage;
mod depth_first;
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

/// Chooses the pending branch to query next.
pub trait Strategy {
    /// Adds a candidate.
    fn add(&mut self, candidate: Candidate);

    /// Removes and returns the next candidate. `is_covered` tells whether a direction has been taken.
    fn next(&mut self, is_covered: &dyn Fn(Direction) -> bool) -> Option<Candidate>;
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
        name: "coverage",
        what: "pending branches whose direction is not covered yet, newest first; then the others",
        make: |_| Box::new(coverage::NewFirst::default()),
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

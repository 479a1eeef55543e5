//! Search strategies: which pending branch is queried next. Each is one file and one line in [`ALL`].

mod breadth_first;
mod coverage;
pub(crate) mod depth_first;
mod fair;
mod nearest;
mod portfolio;
mod random_state;
mod short_inputs;

use std::collections::HashMap;

use everypath_record::Direction;

use crate::reach::progress::TargetProgress;

/// A pending branch, as a strategy sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its number, in the order in which branches were enqueued.
    pub number: u64,
    /// The length of its path condition.
    pub depth: usize,
    /// Number of reads of inputs on its path.
    pub reads: u64,
    /// The branch direction that it would take, if it is known.
    pub direction: Option<Direction>,
    /// Whether it is an indirect jump that is queried for a target that no path has taken.
    pub jump: bool,
    /// Where its path continues, in a directed search.
    pub place: Option<CandidatePlace>,
}

/// Where a pending branch of a directed search continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CandidatePlace {
    /// The instruction; the branching one, if the next one is not known.
    pub address: u64,
    /// The progress of the path towards each target.
    pub progress: TargetProgress,
}

/// The progress of a search, as a strategy sees it.
pub trait SearchView {
    /// Whether a path has taken a direction.
    fn is_covered(&self, direction: Direction) -> bool;

    /// The work that the search has done so far, in units of about an executed instruction: executions and queries. It
    /// does not depend on the machine, so a strategy may divide the work by it and stay deterministic.
    fn effort(&self) -> u64;

    /// The directions that are neither covered nor shown infeasible, as far as they are known.
    fn open(&self) -> Vec<Direction>;

    /// How far blocks are from a branch direction, by the addresses at which they start: the number of edges of the
    /// control-flow graph on the shortest path with matched calls and returns. Blocks that lead nowhere near are left out.
    fn distances(&self, to: Direction) -> HashMap<u64, u32>;

    /// The targets of a directed search that have no answer yet, by their numbers.
    fn open_targets(&self) -> Vec<usize> {
        Vec::new()
    }

    /// How far a candidate is from a target, over its points that the path has not passed; none if it is not known, or if the
    /// control-flow graph has no path there.
    fn target_distance(&self, candidate: &Candidate, target: usize) -> Option<u32> {
        let _ = (candidate, target);
        None
    }
}

/// Chooses the pending branch to query next.
pub trait Strategy {
    /// Adds a candidate.
    fn add(&mut self, candidate: Candidate);

    /// Removes and returns the next candidate.
    fn next(&mut self, view: &dyn SearchView) -> Option<Candidate>;

    /// Records that a candidate was chosen by another strategy beside this one. It may still be returned, and is ignored then.
    fn forget(&mut self, candidate: Candidate) {
        let _ = candidate;
    }
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
        name: "nearest",
        what: "the pending branch nearest to a target, or else to an uncovered direction, in the control-flow graph, for each in turn",
        make: |_| Box::new(nearest::Nearest::default()),
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
        name: "short-inputs",
        what: "the pending branch with the fewest reads of inputs first, of those the newest",
        make: |_| Box::new(short_inputs::FewestReads::default()),
    },
    StrategyEntry {
        name: "random-state",
        what: "any pending branch, each with equal probability",
        make: |seed| Box::new(random_state::AnyOf::new(seed)),
    },
];

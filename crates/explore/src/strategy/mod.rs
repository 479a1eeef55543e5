//! Search strategies: which of the noted ways is asked about next. Each is one file and one line in [`ALL`].

mod breadth_first;
mod coverage;
mod depth_first;
mod random_path;

use everypath_record::Direction;

/// A noted way, as a strategy sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its number: later ones are greater.
    pub number: u64,
    /// How many conditions lead to it.
    pub depth: usize,
    /// The branch direction that it would take, if it is one.
    pub direction: Option<Direction>,
    /// Whether it is a jump that may lead to where nothing led before.
    pub jump: bool,
}

/// Decides which way is asked about next.
pub trait Strategy {
    /// Takes a new candidate.
    fn add(&mut self, candidate: Candidate);

    /// Gives one back and forgets it. `is_covered` says whether a direction was taken by now.
    fn next(&mut self, is_covered: &dyn Fn(Direction) -> bool) -> Option<Candidate>;
}

/// A strategy, by name.
pub struct StrategyEntry {
    /// The name.
    pub name: &'static str,
    /// What it does.
    pub what: &'static str,
    /// Makes it, from a seed.
    pub make: fn(u64) -> Box<dyn Strategy>,
}

/// Every strategy.
pub static ALL: &[StrategyEntry] = &[
    StrategyEntry {
        name: "coverage",
        what: "first ways that would take a direction that nothing took yet, the last noted first",
        make: |_| Box::new(coverage::NewFirst::default()),
    },
    StrategyEntry {
        name: "depth-first",
        what: "the last noted way first",
        make: |_| Box::new(depth_first::LastFirst::default()),
    },
    StrategyEntry {
        name: "breadth-first",
        what: "the way with the fewest conditions first",
        make: |_| Box::new(breadth_first::ShortestFirst::default()),
    },
    StrategyEntry {
        name: "random-path",
        what: "any way, all equally likely",
        make: |seed| Box::new(random_path::AnyOf::new(seed)),
    },
];

//! Directed search (Ma, Khoo, Foster and Hicks 2011): the pending branch nearest to a target, or, if the search has none, to an
//! uncovered direction, over the interprocedural control-flow graph. Goals take turns, because some of them cannot be reached;
//! and branches that were chosen in vain count as farther away.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use everypath_record::Direction;

use super::{Candidate, CandidatePlace, SearchView, Strategy};

/// How many uncovered directions are aimed at in turns.
const GOALS: usize = 32;

/// After so many choices, other directions become goals, and what is known of the graph is renewed.
const RENEW: u64 = 4096;

/// The same, if no goal is left.
const RENEW_NONE: u64 = 64;

/// How many choices in vain count as a step of distance.
const IN_VAIN: u32 = 8;

/// The key of candidates that are equally far from every goal: the direction that they take and, in a directed search, where they
/// continue.
type Site = (Option<Direction>, Option<CandidatePlace>);

/// The candidates of one site.
#[derive(Default)]
struct Candidates {
    by_number: BTreeMap<u64, Candidate>,
    /// By depth and number.
    by_depth: BTreeSet<(usize, u64)>,
}

impl Candidates {
    fn add(&mut self, candidate: Candidate) {
        self.by_depth.insert((candidate.depth, candidate.number));
        self.by_number.insert(candidate.number, candidate);
    }

    /// Removes the newest, which continues what was begun, or the shallowest, which begins again.
    fn take(&mut self, newest: bool) -> Option<Candidate> {
        let number = if newest {
            self.by_number.keys().next_back().copied()
        } else {
            self.by_depth.first().map(|(_, number)| *number)
        };
        self.remove(number?)
    }

    fn remove(&mut self, number: u64) -> Option<Candidate> {
        let candidate = self.by_number.remove(&number)?;
        self.by_depth.remove(&(candidate.depth, candidate.number));
        Some(candidate)
    }
}

/// A goal of the search.
enum Aim {
    /// An uncovered direction, and how far blocks are from it.
    Direction(Direction, HashMap<u64, u32>),
    /// A target.
    Target(usize),
}

/// A goal, and how often candidates of a site were chosen for it.
struct Goal {
    aim: Aim,
    chosen: HashMap<Site, u32>,
}

impl Goal {
    fn new(aim: Aim) -> Goal {
        Goal { aim, chosen: HashMap::new() }
    }

    /// How far a candidate is, as far as it is known.
    fn distance(&self, candidate: &Candidate, view: &dyn SearchView) -> Option<u32> {
        match &self.aim {
            Aim::Direction(goal, distances) => match candidate.direction? {
                direction if direction == *goal => Some(0),
                direction => distances.get(&direction.target.0).map(|distance| 1 + distance),
            },
            Aim::Target(target) => view.target_distance(candidate, *target),
        }
    }
}

/// Candidates by direction.
#[derive(Default)]
pub(super) struct Nearest {
    waiting: BTreeMap<Site, Candidates>,
    goals: Vec<Goal>,
    /// The goal that is next in turn.
    turn: usize,
    /// Number of choices so far.
    choices: u64,
    /// The last direction that was a goal.
    last: Option<Direction>,
}

impl Nearest {
    /// Takes the targets, or the next directions, as goals.
    fn renew(&mut self, view: &dyn SearchView) {
        let targets = view.open_targets();
        if !targets.is_empty() {
            self.goals = targets.into_iter().map(|target| Goal::new(Aim::Target(target))).collect();
            return;
        }
        let open = view.open();
        let behind = open.iter().position(|direction| Some(*direction) > self.last).unwrap_or(0);
        let next = open.iter().cycle().skip(behind).take(open.len().min(GOALS));
        self.goals =
            next.map(|direction| Goal::new(Aim::Direction(*direction, view.distances(*direction)))).collect();
        self.last = match self.goals.last().map(|goal| &goal.aim) {
            Some(Aim::Direction(direction, _)) => Some(*direction),
            _ => None,
        };
    }

    /// The site whose candidates are nearest to the goal that is next in turn.
    fn nearest(&mut self, view: &dyn SearchView) -> Option<Site> {
        let open = view.open_targets();
        self.goals.retain(|goal| match goal.aim {
            Aim::Direction(direction, _) => !view.is_covered(direction),
            Aim::Target(target) => open.contains(&target),
        });
        for _ in 0..self.goals.len() {
            self.turn = (self.turn + 1) % self.goals.len();
            let goal = &mut self.goals[self.turn];
            let far = |(site, candidates): (&Site, &Candidates)| {
                let (_, any) = candidates.by_number.first_key_value()?;
                let distance = goal.distance(any, view)?;
                Some((distance + goal.chosen.get(site).copied().unwrap_or(0) / IN_VAIN, *site))
            };
            if let Some((_, site)) = self.waiting.iter().filter_map(far).min() {
                *goal.chosen.entry(site).or_default() += 1;
                return Some(site);
            }
        }
        None
    }
}

impl Strategy for Nearest {
    fn add(&mut self, candidate: Candidate) {
        self.waiting.entry((candidate.direction, candidate.place)).or_default().add(candidate);
    }

    fn forget(&mut self, candidate: Candidate) {
        let site = (candidate.direction, candidate.place);
        if let Some(candidates) = self.waiting.get_mut(&site) {
            candidates.remove(candidate.number);
            if candidates.by_number.is_empty() {
                self.waiting.remove(&site);
            }
        }
    }

    fn next(&mut self, view: &dyn SearchView) -> Option<Candidate> {
        let every = if self.goals.is_empty() { RENEW_NONE } else { RENEW };
        if self.choices.is_multiple_of(every) {
            self.renew(view);
        }
        self.choices += 1;
        let site = self.nearest(view);
        let site = if let Some(site) = site { site } else { *self.waiting.keys().next_back()? };
        let candidates = self.waiting.get_mut(&site)?;
        let chosen = candidates.take(self.choices.is_multiple_of(2));
        if candidates.by_number.is_empty() {
            self.waiting.remove(&site);
        }
        chosen
    }
}

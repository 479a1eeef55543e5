//! Directed search (Ma, Khoo, Foster and Hicks 2011): the pending branch nearest to an uncovered direction, over the
//! interprocedural control-flow graph. Uncovered directions take turns, because some of them are infeasible; and branches
//! that were chosen in vain count as farther away.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use everypath_record::Direction;

use super::{Candidate, SearchView, Strategy};

/// How many uncovered directions are aimed at in turns.
const GOALS: usize = 32;

/// After so many choices, other directions become goals, and what is known of the graph is renewed.
const RENEW: u64 = 4096;

/// The same, if no goal is left.
const RENEW_NONE: u64 = 64;

/// How many choices in vain count as a step of distance.
const IN_VAIN: u32 = 8;

/// The candidates of one direction.
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

    /// Removes the newest, which continues what was begun, or the shallowest, which begins anew.
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

/// An uncovered direction that is aimed at.
struct Goal {
    direction: Direction,
    /// How far blocks are from it.
    distances: HashMap<u64, u32>,
    /// How often candidates of a direction were chosen for it.
    chosen: HashMap<Direction, u32>,
}

/// Candidates by direction.
#[derive(Default)]
pub(super) struct Nearest {
    waiting: BTreeMap<Option<Direction>, Candidates>,
    goals: Vec<Goal>,
    /// The goal that is next in turn.
    turn: usize,
    /// Number of choices so far.
    choices: u64,
    /// The last direction that was a goal.
    last: Option<Direction>,
}

impl Nearest {
    /// Takes the next directions as goals.
    fn renew(&mut self, view: &dyn SearchView) {
        let open = view.open();
        let behind = open.iter().position(|direction| Some(*direction) > self.last).unwrap_or(0);
        let next = open.iter().cycle().skip(behind).take(open.len().min(GOALS));
        self.goals = next
            .map(|direction| Goal {
                direction: *direction,
                distances: view.distances(*direction),
                chosen: HashMap::new(),
            })
            .collect();
        self.last = self.goals.last().map(|goal| goal.direction);
    }

    /// The direction whose candidates are nearest to the goal that is next in turn.
    fn nearest(&mut self, view: &dyn SearchView) -> Option<Direction> {
        self.goals.retain(|goal| !view.is_covered(goal.direction));
        for _ in 0..self.goals.len() {
            self.turn = (self.turn + 1) % self.goals.len();
            let goal = &mut self.goals[self.turn];
            let far = |direction: &Direction| {
                let distance = match *direction == goal.direction {
                    true => 0,
                    false => 1 + goal.distances.get(&direction.target.0)?,
                };
                Some((distance + goal.chosen.get(direction).copied().unwrap_or(0) / IN_VAIN, *direction))
            };
            if let Some((_, direction)) = self.waiting.keys().flatten().filter_map(far).min() {
                *goal.chosen.entry(direction).or_default() += 1;
                return Some(direction);
            }
        }
        None
    }
}

impl Strategy for Nearest {
    fn add(&mut self, candidate: Candidate) {
        self.waiting.entry(candidate.direction).or_default().add(candidate);
    }

    fn forget(&mut self, candidate: Candidate) {
        if let Some(candidates) = self.waiting.get_mut(&candidate.direction) {
            candidates.remove(candidate.number);
            if candidates.by_number.is_empty() {
                self.waiting.remove(&candidate.direction);
            }
        }
    }

    fn next(&mut self, view: &dyn SearchView) -> Option<Candidate> {
        let every = if self.goals.is_empty() { RENEW_NONE } else { RENEW };
        if self.choices.is_multiple_of(every) {
            self.renew(view);
        }
        self.choices += 1;
        let direction = self.nearest(view);
        let key = if direction.is_some() { direction } else { *self.waiting.keys().next_back()? };
        let candidates = self.waiting.get_mut(&key)?;
        let chosen = candidates.take(self.choices.is_multiple_of(2));
        if candidates.by_number.is_empty() {
            self.waiting.remove(&key);
        }
        chosen
    }
}

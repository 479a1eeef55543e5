//! Backtracking search with forward checking (Haralick and Elliott 1980), smallest-domain variable order and random
//! restarts. On an arc-consistent forest it never backtracks (Freuder 1982).

use everypath_term::{ByteSet, Model};

use super::network::Network;
use super::relation::Relation;
use super::total::Deduction;
use crate::layer::polish::preferred;

/// The number of assignments tried before a restart. On a forest the first value of each byte succeeds.
const TRIES: usize = 1000;
/// The number of restarts, each with another value order: a wrong choice near the root is rarely revised otherwise.
const BEGINNINGS: u64 = 12;

/// The result of a search.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    Model(Model),
    Nothing,
    GaveUp,
}

/// A decision: a byte that was assigned.
struct Choice {
    number: usize,
    untried: ByteSet,
    /// The trail: domains before the decision.
    before: Vec<(usize, ByteSet)>,
}

/// An item of the propagation worklist.
enum Work {
    /// A byte whose domain became a singleton.
    Byte(usize),
    /// A linear constraint of which a domain changed.
    Total(usize),
}

/// The value order.
struct Order<'m> {
    known: &'m Model,
    /// Zero for known values first, then preferred ones; otherwise the state of a generator for random order.
    state: u64,
}

impl Order<'_> {
    fn pick(&mut self, network: &Network, choice: &Choice) -> Option<u8> {
        if choice.untried.is_empty() {
            return None;
        }
        if self.state == 0 {
            let known = self.known.get(network.inputs[choice.number]);
            let known = Some(known).filter(|known| choice.untried.contains(*known));
            return known.or_else(|| preferred().find(|value| choice.untried.contains(*value)));
        }
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let place = (self.state >> 33) % u64::from(choice.untried.len());
        choice.untried.iter().nth(place as usize)
    }
}

impl Network {
    /// Searches for a solution, trying the values of the known model first.
    pub(super) fn search(&mut self, relations: &[Relation], known: &Model) -> Found {
        // Propagates the linear constraints before the first decision.
        let mut work: Vec<Work> = (0..self.totals.len()).map(Work::Total).collect();
        if !self.settle(relations, &mut Vec::new(), &mut work) {
            return Found::Nothing;
        }
        let left = self.left.clone();
        for beginning in 0..BEGINNINGS {
            let found = self.descend(relations, Order { known, state: beginning });
            if found != Found::GaveUp {
                return found;
            }
            self.left.clone_from(&left);
        }
        Found::GaveUp
    }

    fn descend(&mut self, relations: &[Relation], mut order: Order<'_>) -> Found {
        let mut chosen: Vec<Choice> = Vec::new();
        let mut taken = vec![false; self.inputs.len()];
        let mut tries = TRIES + self.inputs.len();
        while chosen.len() < self.inputs.len() {
            let number = if self.is_forest { self.order[chosen.len()] } else { self.next(&taken) };
            taken[number] = true;
            chosen.push(Choice { number, untried: self.left[number], before: Vec::new() });
            // Backtracks to the last decision with an untried value.
            while let Some(choice) = chosen.last_mut() {
                for (number, values) in choice.before.drain(..).rev() {
                    self.left[number] = values;
                }
                let Some(value) = order.pick(self, choice) else {
                    taken[choice.number] = false;
                    chosen.pop();
                    continue;
                };
                if tries == 0 {
                    return Found::GaveUp;
                }
                tries -= 1;
                choice.untried.remove(value);
                if self.choose(choice, value, relations) {
                    break;
                }
            }
            if chosen.is_empty() {
                return Found::Nothing;
            }
        }
        let mut model = order.known.clone();
        for (number, &input) in self.inputs.iter().enumerate() {
            if let Some(value) = self.left[number].only() {
                model.set(input, value);
            }
        }
        Found::Model(model)
    }

    /// The next variable: the smallest domain among the neighbours of assigned bytes.
    fn next(&self, taken: &[bool]) -> usize {
        let rank = |&&number: &&usize| {
            let near = self.links[number].iter().any(|link| taken[link.to]);
            (!near, self.left[number].len())
        };
        *self.order.iter().filter(|&&number| !taken[number]).min_by_key(rank).unwrap_or(&0)
    }

    /// Assigns a byte and propagates; `false` if a domain becomes empty.
    fn choose(&mut self, choice: &mut Choice, value: u8, relations: &[Relation]) -> bool {
        let mut work = Vec::new();
        if !self.leave(choice.number, [value].into_iter().collect(), &mut choice.before, &mut work) {
            return false;
        }
        // The domain may have been a singleton already.
        if work.is_empty() {
            work.push(Work::Byte(choice.number));
        }
        self.settle(relations, &mut choice.before, &mut work)
    }

    /// Propagates until the worklist is empty; `false` if a domain becomes empty.
    fn settle(
        &mut self,
        relations: &[Relation],
        before: &mut Vec<(usize, ByteSet)>,
        work: &mut Vec<Work>,
    ) -> bool {
        while let Some(next) = work.pop() {
            let possible = match next {
                Work::Byte(number) => self.go_with(number, relations, before, work),
                Work::Total(total) => self.add_up(total, before, work),
            };
            if !possible {
                return false;
            }
        }
        true
    }

    /// Intersects the domain of a byte with these values; `false` if it becomes empty.
    fn leave(
        &mut self,
        number: usize,
        values: ByteSet,
        before: &mut Vec<(usize, ByteSet)>,
        work: &mut Vec<Work>,
    ) -> bool {
        let old = self.left[number];
        let new = old.meet(&values);
        if new == old {
            return true;
        }
        before.push((number, old));
        self.left[number] = new;
        work.extend(self.totals_of[number].iter().map(|total| Work::Total(*total)));
        if new.len() == 1 {
            work.push(Work::Byte(number));
        }
        !new.is_empty()
    }

    /// Forward checking: removes values of neighbours that are incompatible with an assigned byte.
    fn go_with(
        &mut self,
        number: usize,
        relations: &[Relation],
        before: &mut Vec<(usize, ByteSet)>,
        work: &mut Vec<Work>,
    ) -> bool {
        let Some(value) = self.left[number].only() else { return false };
        for place in 0..self.links[number].len() {
            let link = self.links[number][place];
            let values = *relations[link.relation].with(link.side, value);
            if !self.leave(link.to, values, before, work) {
                return false;
            }
        }
        true
    }

    /// Removes values that violate the bounds of a linear constraint.
    fn add_up(&mut self, total: usize, before: &mut Vec<(usize, ByteSet)>, work: &mut Vec<Work>) -> bool {
        let mut deductions = Vec::new();
        self.totals[total].deduce(&self.left, |deduction| deductions.push(deduction));
        deductions.into_iter().all(|deduction| match deduction {
            Deduction::Impossible => false,
            Deduction::Only(number, values) => self.leave(number, values, before, work),
        })
    }
}

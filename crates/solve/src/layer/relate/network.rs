//! Bytes with the values they may have, and the relations between them.

use everypath_term::{Input, Model};
use rustc_hash::FxHashMap;

use super::byte_set::ByteSet;
use super::relation::{Relation, Side};
use crate::layer::polish::preferred;

/// So often all relations are gone through if they form circles. Without a circle once is enough.
const ROUNDS: usize = 6;
/// So many values are tried before the search is given up. Without a circle the first try of each byte is right.
const TRIES: usize = 3000;

/// A relation to a neighbour.
#[derive(Clone, Copy)]
struct Link {
    to: usize,
    relation: usize,
    /// The side on which this byte is.
    side: Side,
}

/// Bytes, the values that are left to them, and their relations.
#[derive(Default)]
pub(super) struct Network {
    inputs: Vec<Input>,
    numbers: FxHashMap<Input, usize>,
    left: Vec<ByteSet>,
    links: Vec<Vec<Link>>,
    relations: usize,
    /// Whether there is no circle.
    is_forest: bool,
    /// Each byte behind one that it has a relation to, if there is one.
    order: Vec<usize>,
}

/// What a search came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    Model(Model),
    Nothing,
    GaveUp,
}

impl Network {
    /// How many bytes there are.
    pub(super) fn len(&self) -> usize {
        self.inputs.len()
    }

    /// The number of a byte.
    pub(super) fn number(&mut self, input: Input) -> usize {
        let Network { inputs, numbers, left, links, .. } = self;
        *numbers.entry(input).or_insert_with(|| {
            inputs.push(input);
            left.push(ByteSet::ALL);
            links.push(Vec::new());
            inputs.len() - 1
        })
    }

    /// Leaves a byte only these values.
    pub(super) fn restrict(&mut self, number: usize, values: &ByteSet) {
        self.left[number] = self.left[number].meet(values);
    }

    /// Adds a relation between two bytes that have none yet.
    pub(super) fn relate(&mut self, first: usize, second: usize, relation: usize) {
        self.links[first].push(Link { to: second, relation, side: Side::First });
        self.links[second].push(Link { to: first, relation, side: Side::Second });
        self.relations += 1;
    }

    /// Takes away what goes with nothing on the other side of a relation; `false` if nothing is left to a byte.
    pub(super) fn propagate(&mut self, relations: &[Relation]) -> bool {
        let parts = self.arrange();
        self.is_forest = self.relations + parts == self.inputs.len();
        let mut places = vec![0; self.order.len()];
        for (place, &number) in self.order.iter().enumerate() {
            places[number] = place;
        }
        let order = std::mem::take(&mut self.order);
        let mut possible = !self.left.iter().any(ByteSet::is_empty);
        for _ in 0..ROUNDS {
            let mut changed = false;
            // From the ends to the beginning, and back.
            let backwards = order.iter().rev().map(|&number| (number, true));
            for (number, towards) in backwards.chain(order.iter().map(|&number| (number, false))) {
                for link in &self.links[number] {
                    if (places[link.to] < places[number]) != towards {
                        continue;
                    }
                    let others = self.left[link.to];
                    let left = relations[link.relation].supported(link.side, &self.left[number], &others);
                    changed |= left != others;
                    possible &= !left.is_empty();
                    self.left[link.to] = left;
                }
                if !possible {
                    break;
                }
            }
            if self.is_forest || !changed || !possible {
                break;
            }
        }
        self.order = order;
        possible
    }

    /// Puts the bytes in order; gives how many parts have nothing to do with each other.
    fn arrange(&mut self) -> usize {
        let mut seen = vec![false; self.inputs.len()];
        let mut parts = 0;
        // From the last: the question speaks of it.
        for start in (0..self.inputs.len()).rev() {
            if seen[start] {
                continue;
            }
            parts += 1;
            seen[start] = true;
            let mut next = self.order.len();
            self.order.push(start);
            while let Some(&number) = self.order.get(next) {
                next += 1;
                for link in &self.links[number] {
                    if !seen[link.to] {
                        seen[link.to] = true;
                        self.order.push(link.to);
                    }
                }
            }
        }
        parts
    }

    /// Looks for a value of each byte, those of the model first.
    pub(super) fn search(&mut self, relations: &[Relation], known: &Model) -> Found {
        let mut chosen: Vec<Choice> = Vec::new();
        let mut taken = vec![false; self.inputs.len()];
        let mut tries = TRIES;
        while chosen.len() < self.inputs.len() {
            let number = if self.is_forest { self.order[chosen.len()] } else { self.next(&taken) };
            taken[number] = true;
            chosen.push(Choice { number, untried: self.left[number], before: Vec::new() });
            // The last choice that has a value left, and that value.
            while let Some(choice) = chosen.last_mut() {
                for (number, values) in choice.before.drain(..).rev() {
                    self.left[number] = values;
                }
                let number = choice.number;
                let Some(value) = choice.next(known.get(self.inputs[number])) else {
                    taken[number] = false;
                    chosen.pop();
                    continue;
                };
                if tries == 0 {
                    return Found::GaveUp;
                }
                tries -= 1;
                if self.choose(choice, value, &taken, relations) {
                    break;
                }
            }
            if chosen.is_empty() {
                return Found::Nothing;
            }
        }
        let mut model = known.clone();
        for (number, &input) in self.inputs.iter().enumerate() {
            if let Some(value) = self.left[number].iter().next() {
                model.set(input, value);
            }
        }
        Found::Model(model)
    }

    /// The byte to choose next: the one with the fewest values among the neighbours of those that are chosen.
    fn next(&self, taken: &[bool]) -> usize {
        let rank = |&&number: &&usize| {
            let near = self.links[number].iter().any(|link| taken[link.to]);
            (!near, self.left[number].len())
        };
        *self.order.iter().filter(|&&number| !taken[number]).min_by_key(rank).unwrap_or(&0)
    }

    /// Gives a byte a value, and its neighbours what goes with it; `false` if one of them has nothing left.
    fn choose(&mut self, choice: &mut Choice, value: u8, taken: &[bool], relations: &[Relation]) -> bool {
        let number = choice.number;
        choice.before.push((number, self.left[number]));
        self.left[number] = ByteSet::EMPTY;
        self.left[number].insert(value);
        for link in &self.links[number] {
            if taken[link.to] {
                continue;
            }
            let others = self.left[link.to];
            choice.before.push((link.to, others));
            self.left[link.to] = others.meet(relations[link.relation].with(link.side, value));
            if self.left[link.to].is_empty() {
                return false;
            }
        }
        true
    }
}

/// A byte that was given a value.
struct Choice {
    number: usize,
    untried: ByteSet,
    /// What was left to bytes before.
    before: Vec<(usize, ByteSet)>,
}

impl Choice {
    /// The next value to try: the known one, then what a person likes.
    fn next(&mut self, known: u8) -> Option<u8> {
        let value = match self.untried.contains(known) {
            true => known,
            false => preferred().find(|value| self.untried.contains(*value))?,
        };
        self.untried.remove(value);
        Some(value)
    }
}

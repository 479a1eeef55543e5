//! Constraint network with arc consistency (Mackworth 1977). On a forest two passes suffice: leaves to root, then back
//! (Freuder 1982).

use everypath_term::{ByteSet, Input};
use rustc_hash::FxHashMap;

use super::relation::{Relation, Side};
use super::total::Total;

/// The number of passes if the constraint graph has cycles. On a forest one is enough.
const ROUNDS: usize = 6;

/// An edge of the constraint graph.
#[derive(Clone, Copy)]
pub(super) struct Link {
    pub(super) to: usize,
    pub(super) relation: usize,
    /// The side of the relation on which this byte is.
    pub(super) side: Side,
}

/// Byte variables with their domains, binary relations and linear constraints.
#[derive(Default)]
pub(super) struct Network {
    pub(super) inputs: Vec<Input>,
    numbers: FxHashMap<Input, usize>,
    pub(super) left: Vec<ByteSet>,
    pub(super) links: Vec<Vec<Link>>,
    /// Linear constraints, and for each byte those in which it occurs.
    pub(super) totals: Vec<Total>,
    pub(super) totals_of: Vec<Vec<usize>>,
    relations: usize,
    /// True if the constraint graph is a forest and there are no linear constraints.
    pub(super) is_forest: bool,
    /// Breadth-first order: each byte follows a neighbour, if it has one.
    pub(super) order: Vec<usize>,
}

impl Network {
    /// The number of bytes.
    pub(super) fn len(&self) -> usize {
        self.inputs.len()
    }

    /// The variable number of a byte; adds it if it is new.
    pub(super) fn number(&mut self, input: Input) -> usize {
        let Network { inputs, numbers, left, links, totals_of, .. } = self;
        *numbers.entry(input).or_insert_with(|| {
            inputs.push(input);
            left.push(ByteSet::ALL);
            links.push(Vec::new());
            totals_of.push(Vec::new());
            inputs.len() - 1
        })
    }

    /// Intersects the domain of a byte with these values.
    pub(super) fn restrict(&mut self, number: usize, values: &ByteSet) {
        self.left[number] = self.left[number].meet(values);
    }

    /// Adds a relation between two bytes that have none yet.
    pub(super) fn relate(&mut self, first: usize, second: usize, relation: usize) {
        self.links[first].push(Link { to: second, relation, side: Side::First });
        self.links[second].push(Link { to: first, relation, side: Side::Second });
        self.relations += 1;
    }

    /// Adds a linear constraint.
    pub(super) fn add(&mut self, total: Total) {
        for (number, _) in &total.parts {
            self.totals_of[*number].push(self.totals.len());
        }
        self.totals.push(total);
    }

    /// Enforces arc consistency: removes values without support in a neighbour's domain; `false` if a domain becomes
    /// empty.
    pub(super) fn propagate(&mut self, relations: &[Relation]) -> bool {
        let parts = self.arrange();
        self.is_forest = self.relations + parts == self.inputs.len() && self.totals.is_empty();
        let mut places = vec![0; self.order.len()];
        for (place, &number) in self.order.iter().enumerate() {
            places[number] = place;
        }
        let order = std::mem::take(&mut self.order);
        let mut possible = !self.left.iter().any(ByteSet::is_empty);
        for _ in 0..ROUNDS {
            let mut changed = false;
            // From the leaves to the roots, and back.
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

    /// Computes the breadth-first order; returns the number of connected components.
    fn arrange(&mut self) -> usize {
        let mut seen = vec![false; self.inputs.len()];
        let mut parts = 0;
        // From the last byte: the negated branch depends on it.
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
}

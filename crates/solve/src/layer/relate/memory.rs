//! What is known of conditions on one byte or two: they are recognised by what they compute.

use std::collections::hash_map::Entry;

use everypath_term::{Input, Term, Terms};
use rustc_hash::FxHashMap;

use super::byte_set::ByteSet;
use super::network::Network;
use super::relation::Relation;
use super::shape::Shape;

/// A relation takes 65,536 evaluations: it is made when a query has so many conditions for each that is missing.
const PAYS: usize = 6;
/// So many relations are kept, of 16 kB each, before all are dropped.
const RELATIONS: usize = 512;
/// So many conditions and shapes are remembered before all are forgotten.
const REMEMBERED: usize = 1 << 18;

/// A condition on one byte or two.
#[derive(Clone, Copy)]
pub(super) struct Bound {
    pub(super) condition: Term,
    pub(super) first: Input,
    pub(super) second: Option<Input>,
    pub(super) shape: usize,
}

/// A shape with what was computed of it.
struct Known {
    shape: Shape,
    /// The values for which it holds if both bytes have the same.
    diagonal: ByteSet,
    relation: Option<usize>,
}

/// What is known of conditions.
#[derive(Default)]
pub(in crate::layer) struct Memory {
    /// Nothing for conditions that have other inputs.
    conditions: FxHashMap<Term, Option<Bound>>,
    numbers: FxHashMap<Shape, usize>,
    shapes: Vec<Known>,
    relations: Vec<Relation>,
    /// What two relations have in common.
    meets: FxHashMap<(usize, usize), usize>,
    collections: u32,
}

impl Memory {
    /// Those of some conditions that are on one byte or two.
    pub(super) fn bounds(&mut self, terms: &Terms, conditions: &[Term]) -> Vec<Bound> {
        if self.relations.len() > RELATIONS || self.shapes.len() + self.conditions.len() > REMEMBERED {
            *self = Memory::default();
        }
        if self.collections != terms.collections() {
            // The numbers of terms may mean other terms now.
            self.collections = terms.collections();
            self.conditions.clear();
        }
        conditions.iter().filter_map(|&condition| self.bound(terms, condition)).collect()
    }

    fn bound(&mut self, terms: &Terms, condition: Term) -> Option<Bound> {
        let Memory { conditions, numbers, shapes, .. } = self;
        *conditions.entry(condition).or_insert_with(|| {
            let mut inputs = terms.inputs(condition).iter();
            let (first, second, third) = (inputs.next()?, inputs.next(), inputs.next());
            if third.is_some() {
                return None;
            }
            let shape = Shape::of(terms, condition, first)?;
            let shape = *numbers.entry(shape).or_insert_with_key(|shape| {
                shapes.push(Known { shape: shape.clone(), diagonal: shape.diagonal(), relation: None });
                shapes.len() - 1
            });
            Some(Bound { condition, first, second, shape })
        })
    }

    /// The values for which a condition holds if both bytes have the same one.
    pub(super) fn diagonal(&self, bound: &Bound) -> &ByteSet {
        &self.shapes[bound.shape].diagonal
    }

    pub(super) fn relations(&self) -> &[Relation] {
        &self.relations
    }

    /// The relation of a shape.
    fn relation(&mut self, shape: usize) -> usize {
        if let Some(relation) = self.shapes[shape].relation {
            return relation;
        }
        self.relations.push(Relation::new(self.shapes[shape].shape.rows()));
        let relation = self.relations.len() - 1;
        self.shapes[shape].relation = Some(relation);
        relation
    }

    /// What two relations have in common.
    fn meet(&mut self, a: usize, b: usize) -> usize {
        if a == b {
            return a;
        }
        let relations = &mut self.relations;
        *self.meets.entry((a.min(b), a.max(b))).or_insert_with(|| {
            relations.push(relations[a].meet(&relations[b]));
            relations.len() - 1
        })
    }

    /// Whether there are enough conditions for those relations that would have to be made.
    pub(super) fn pays(&self, bounds: &[Bound]) -> bool {
        let mut missing: Vec<usize> = Vec::new();
        for bound in bounds.iter().filter(|bound| bound.second.is_some()) {
            if self.shapes[bound.shape].relation.is_none() && !missing.contains(&bound.shape) {
                missing.push(bound.shape);
                if missing.len() * PAYS > bounds.len() {
                    return false;
                }
            }
        }
        true
    }

    /// The network of some conditions.
    pub(super) fn network(&mut self, bounds: &[Bound]) -> Network {
        let mut network = Network::default();
        let mut pairs: FxHashMap<(usize, usize), usize> = FxHashMap::default();
        let mut order = Vec::new();
        for bound in bounds {
            let first = network.number(bound.first);
            let Some(second) = bound.second else {
                network.restrict(first, self.diagonal(bound));
                continue;
            };
            let second = network.number(second);
            let relation = self.relation(bound.shape);
            match pairs.entry((first, second)) {
                Entry::Vacant(entry) => {
                    order.push((first, second));
                    entry.insert(relation);
                }
                Entry::Occupied(mut entry) => {
                    let both = self.meet(*entry.get(), relation);
                    entry.insert(both);
                }
            }
        }
        for pair in order {
            network.relate(pair.0, pair.1, pairs[&pair]);
        }
        network
    }
}

//! The cache of unary and binary constraints: conditions on one or two bytes, recognised by the function that they
//! compute.

use std::collections::hash_map::Entry;

use everypath_term::{ByteSet, Input, Term, Terms};
use rustc_hash::FxHashMap;

use super::network::Network;
use super::relation::Relation;
use super::shape::Shape;

/// A relation takes 65,536 evaluations: missing relations are computed only if the query has this many conditions for
/// each.
const PAYS: usize = 6;
/// The number of relations, of 16 kB each, at which all are dropped.
const RELATIONS: usize = 512;
/// The number of conditions and shapes at which all are dropped.
const REMEMBERED: usize = 1 << 18;

/// A constraint on one or two bytes.
#[derive(Clone, Copy)]
pub(super) struct Bound {
    pub(super) condition: Term,
    pub(super) first: Input,
    pub(super) second: Option<Input>,
    pub(super) shape: usize,
}

/// A shape with its computed tables.
struct Known {
    shape: Shape,
    /// The values for which it holds if both bytes are equal.
    diagonal: ByteSet,
    relation: Option<usize>,
}

/// The constraints of conditions, their shapes and their relations.
#[derive(Default)]
pub(in crate::layer) struct Memory {
    /// `None` for a condition that is not a constraint on one or two bytes.
    conditions: FxHashMap<Term, Option<Bound>>,
    numbers: FxHashMap<Shape, usize>,
    shapes: Vec<Known>,
    relations: Vec<Relation>,
    /// Intersections of two relations.
    meets: FxHashMap<(usize, usize), usize>,
    collections: u32,
}

impl Memory {
    /// The constraints on one or two bytes among the conditions.
    pub(super) fn bounds(&mut self, terms: &Terms, conditions: &[Term]) -> Vec<Bound> {
        if self.relations.len() > RELATIONS || self.shapes.len() + self.conditions.len() > REMEMBERED {
            *self = Memory::default();
        }
        if self.collections != terms.collections() {
            // After a collection, term numbers may denote other terms.
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

    /// The values for which a condition holds if both bytes are equal; for a unary constraint, its allowed values.
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

    /// The intersection of two relations.
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

    /// Returns true if there are enough conditions to justify computing the missing relations.
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

    /// The constraint network of the conditions.
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

//! Finds sums that contradict each other, by elimination: what clauses would have to count for hours.

use std::collections::BTreeMap;

use everypath_ir::Width;
use everypath_term::{Term, Terms};

use super::attempt::Attempt;
use super::relate::Memory;
use super::sum::{Sum, difference};
use crate::{Answer, Query};

/// So many equations of one width are looked at.
const EQUATIONS: usize = 64;
/// Where there are sums of so many parts, it is looked for numbers whose sum is known because they all differ.
const LONG: usize = 3;

/// Takes the equations between sums of a query, modulo a power of two as they are, and answers "none" if they leave the
/// query no model. Where a query speaks of nothing but sums of bytes and of relations between two of them, it looks for a model.
#[derive(Default)]
pub struct Linear {
    memory: Memory,
}

impl Attempt for Linear {
    const NAME: &'static str = "linear";

    fn attempt(&mut self, terms: &mut Terms, query: Query<'_>) -> Option<Answer> {
        match contradiction(terms, &mut self.memory, query.conditions) {
            Some(core) => Some(Answer::None(core)),
            None => self.memory.with_sums(terms, query),
        }
    }
}

/// The equations of one width, each solved for a term that no later one has.
#[derive(Default)]
struct System(Vec<(Term, Sum)>);

impl System {
    /// Puts in what the equations say. One pass does: a later equation has none of the terms that earlier ones are solved
    /// for.
    fn reduce(&self, sum: &mut Sum) {
        for (solved, equation) in &self.0 {
            if let Some(&factor) = sum.factors.get(solved) {
                sum.add_times(equation, factor.wrapping_neg());
            }
        }
    }

    /// Takes an equation; the conditions that exclude each other if it cannot hold.
    fn insert(&mut self, mut equation: Sum) -> Option<Vec<Term>> {
        self.reduce(&mut equation);
        if equation.factors.is_empty() {
            return (equation.constant != 0).then_some(equation.by);
        }
        // An odd factor has an inverse. An equation without one stays out, which loses answers and makes none wrong.
        let odd = equation.factors.iter().find(|(_, factor)| *factor & 1 == 1);
        if let Some((&term, &factor)) = odd
            && self.0.len() < EQUATIONS
        {
            let mut solved = Sum { factors: BTreeMap::new(), constant: 0, by: Vec::new(), ..equation };
            solved.add_times(&equation, inverse(factor));
            self.0.push((term, solved));
        }
        None
    }
}

/// The inverse of an odd number modulo a power of two: each step doubles the bits that are right.
fn inverse(odd: u64) -> u64 {
    (0..6).fold(odd, |inverse, _| inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse))))
}

/// Conditions that exclude each other by the sums they speak of.
fn contradiction(terms: &mut Terms, memory: &mut Memory, conditions: &[Term]) -> Option<Vec<Term>> {
    let mut systems: BTreeMap<Width, System> = BTreeMap::new();
    let mut different = Vec::new();
    let mut long = false;
    for &condition in conditions {
        let Some((difference, width, equal)) = difference(terms, condition) else { continue };
        let system = systems.entry(width).or_default();
        long |= difference.factors.len() >= LONG;
        if !equal {
            different.push((width, difference));
        } else if let Some(core) = system.insert(difference) {
            return Some(within(&core, conditions));
        }
    }
    let filled = if long { memory.filled(terms, conditions) } else { Vec::new() };
    for filled in filled {
        let Some(total) = filled.sum else { return Some(within(&filled.by, conditions)) };
        for (&width, system) in systems.iter_mut().filter(|(width, _)| **width >= Width::W8) {
            let mut equation = Sum::new(width, filled.by.clone());
            equation.add_constant(total.wrapping_neg());
            for &input in &filled.inputs {
                equation.add(terms.input(input), 1);
            }
            if let Some(core) = system.insert(equation) {
                return Some(within(&core, conditions));
            }
        }
    }
    different.into_iter().find_map(|(width, mut difference)| {
        systems.get(&width)?.reduce(&mut difference);
        let is_zero = difference.factors.is_empty() && difference.constant == 0;
        is_zero.then(|| within(&difference.by, conditions))
    })
}

/// The core in the order of the query, each condition once.
fn within(core: &[Term], conditions: &[Term]) -> Vec<Term> {
    conditions.iter().copied().filter(|condition| core.contains(condition)).collect()
}

//! Gaussian elimination over linear equations modulo 2^n: refutes systems on which a SAT solver spends hours.

use std::collections::BTreeMap;

use everypath_ir::Width;
use everypath_term::{Term, Terms};

use super::attempt::Attempt;
use super::relate::Memory;
use super::sum::{Sum, difference};
use crate::{Answer, Query, QueryLimits};

/// The maximum number of equations of one width.
const EQUATIONS: usize = 64;
/// The number of addends from which `all different` constraints that determine a total are searched for.
const LONG: usize = 3;

/// Collects the linear equations of a query, modulo 2^n, and answers unsat if they are contradictory. If every
/// condition is a linear constraint or a relation between at most two bytes, it also searches for a model.
#[derive(Default)]
pub struct Linear {
    memory: Memory,
}

impl Attempt for Linear {
    const NAME: &'static str = "linear";

    fn attempt(&mut self, terms: &mut Terms, query: Query<'_>, _limits: &QueryLimits) -> Option<Answer> {
        match contradiction(terms, &mut self.memory, query.conditions) {
            Some(core) => Some(Answer::Unsat(core)),
            None => self.memory.with_sums(terms, query),
        }
    }
}

/// The equations of one width in echelon form: each is solved for a term that no later one contains.
#[derive(Default)]
struct System(Vec<(Term, Sum)>);

impl System {
    /// Substitutes the solved terms. One pass suffices: a later equation contains no term that an earlier one is solved
    /// for.
    fn reduce(&self, sum: &mut Sum) {
        for (solved, equation) in &self.0 {
            if let Some(&factor) = sum.factors.get(solved) {
                sum.add_times(equation, factor.wrapping_neg());
            }
        }
    }

    /// Adds an equation; returns an unsat core if it contradicts the others.
    fn insert(&mut self, mut equation: Sum) -> Option<Vec<Term>> {
        self.reduce(&mut equation);
        if equation.factors.is_empty() {
            return (equation.constant != 0).then_some(equation.by);
        }
        // An odd factor has an inverse. An equation without one is ignored, which is incomplete but sound.
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

/// The inverse of an odd number modulo a power of two, by Newton iteration.
fn inverse(odd: u64) -> u64 {
    (0..6).fold(odd, |inverse, _| inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse))))
}

/// An unsat core of linear constraints, if they are contradictory.
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

/// The core in the order of the query, without duplicates.
fn within(core: &[Term], conditions: &[Term]) -> Vec<Term> {
    conditions.iter().copied().filter(|condition| core.contains(condition)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use everypath_ir::Op;
    use everypath_term::Input;

    /// Each equation is reduced by the two before it: lists of conditions that were only appended would grow like Fibonacci's numbers.
    #[test]
    fn a_long_chain_of_equations_is_quickly_refuted() {
        let mut terms = Terms::new();
        let number = |terms: &mut Terms, input: u32| {
            let byte = terms.input(Input(input));
            terms.apply(Op::Zext, Width::W16, &[byte])
        };
        let numbers: Vec<Term> = (0..62).map(|input| number(&mut terms, input)).collect();
        let sum = |terms: &mut Terms, at: usize, more: u64| {
            let both = terms.apply(Op::Add, Width::W16, &[numbers[at - 1], numbers[at - 2]]);
            let more = terms.constant_u64(more, Width::W16);
            let all = terms.apply(Op::Add, Width::W16, &[both, more]);
            terms.eq(numbers[at], all)
        };
        let mut conditions: Vec<Term> = (2..62).rev().map(|at| sum(&mut terms, at, 0)).collect();
        conditions.push(sum(&mut terms, 2, 1));
        let query = Query { conditions: &conditions, known: None };
        let answer = Linear::default().attempt(&mut terms, query, &QueryLimits::default());
        assert!(matches!(answer, Some(Answer::Unsat(_))), "{answer:?}");
    }
}

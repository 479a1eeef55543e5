//! Finds sums that contradict each other, by elimination: what clauses would have to count for hours.

use std::collections::BTreeMap;

use everypath_ir::{Op, Width};
use everypath_term::{Term, Terms, View};

use super::relate::Memory;
use super::report;
use crate::{Answer, Limits, Query, Solver, Statistics};

/// So many equations of one width are looked at, and so many parts of a sum.
const EQUATIONS: usize = 64;
const PARTS: usize = 256;
/// Where there are sums of so many parts, it is looked for numbers whose sum is known because they all differ.
const LONG: usize = 3;

/// Takes the equations between sums of a query, modulo a power of two as they are, and answers "none" if they leave the
/// query no model. It never has a model to offer.
pub struct Linear {
    below: Box<dyn Solver>,
    memory: Memory,
    statistics: Statistics,
}

impl Linear {
    /// Puts the layer above another solver.
    #[must_use]
    pub fn new(below: Box<dyn Solver>) -> Linear {
        let statistics = Statistics { name: "linear", ..Statistics::default() };
        Linear { below, memory: Memory::default(), statistics }
    }
}

impl Solver for Linear {
    fn check(&mut self, terms: &mut Terms, query: Query<'_>, limits: &Limits) -> Answer {
        self.statistics.asked += 1;
        match contradiction(terms, &mut self.memory, query.conditions) {
            Some(core) => {
                self.statistics.answered += 1;
                Answer::None(core)
            }
            None => self.below.check(terms, query, limits),
        }
    }

    fn statistics(&self, list: &mut Vec<Statistics>) {
        report(self.statistics, &*self.below, list);
    }
}

/// A sum of terms with factors, and a constant; of an equation it is zero. A term that is narrower than the sum stands for its
/// number without a sign.
#[derive(Clone)]
struct Sum {
    factors: BTreeMap<Term, u64>,
    constant: u64,
    mask: u64,
    /// The conditions that it comes from.
    by: Vec<Term>,
}

impl Sum {
    fn new(width: Width, by: Vec<Term>) -> Sum {
        Sum { factors: BTreeMap::new(), constant: 0, mask: u64::MAX >> (64 - width.bits()), by }
    }

    fn add(&mut self, term: Term, factor: u64) {
        let sum = self.factors.entry(term).or_insert(0);
        *sum = sum.wrapping_add(factor) & self.mask;
        if *sum == 0 {
            self.factors.remove(&term);
        }
    }

    fn add_constant(&mut self, value: u64) {
        self.constant = self.constant.wrapping_add(value) & self.mask;
    }

    fn add_times(&mut self, other: &Sum, factor: u64) {
        for (&term, &own) in &other.factors {
            self.add(term, own.wrapping_mul(factor));
        }
        self.add_constant(other.constant.wrapping_mul(factor));
        self.by.extend(&other.by);
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

/// The difference of the two sides if a condition says that they are equal, or that they are not, and which of both.
fn difference(terms: &Terms, condition: Term) -> Option<(Sum, Width, bool)> {
    let View::Apply { op, arguments } = terms.view(condition) else { return None };
    let (a, b, equal) = match (op, &arguments[..]) {
        (Op::Eq, &[a, b]) => (a, b, true),
        (Op::Ne, &[a, b]) => (a, b, false),
        (Op::Not, &[inner]) => match terms.view(inner) {
            View::Apply { op: Op::Eq, arguments } => (arguments[0], arguments[1], false),
            _ => return None,
        },
        _ => return None,
    };
    let width = terms.width(a);
    if width > Width::W64 || width == Width::W1 {
        return None;
    }
    let mut sum = Sum::new(width, vec![condition]);
    let mut work = vec![(a, 1), (b, u64::MAX)];
    for _ in 0..PARTS {
        let Some((term, factor)) = work.pop() else { return Some((sum, width, equal)) };
        take(terms, term, factor, &mut sum, &mut work);
    }
    None
}

/// Takes a term so many times: its parts if it is a sum, otherwise itself.
fn take(terms: &Terms, term: Term, factor: u64, sum: &mut Sum, work: &mut Vec<(Term, u64)>) {
    if let Some(value) = terms.as_u64(term) {
        return sum.add_constant(value.wrapping_mul(factor));
    }
    let View::Apply { op, arguments } = terms.view(term) else { return sum.add(term, factor) };
    match (op, &arguments[..]) {
        (Op::Add, &[a, b]) => work.extend([(a, factor), (b, factor)]),
        (Op::Sub, &[a, b]) => work.extend([(a, factor), (b, factor.wrapping_neg())]),
        (Op::Neg, &[a]) => work.push((a, factor.wrapping_neg())),
        // `!a` is `-a - 1`.
        (Op::Not, &[a]) => {
            work.push((a, factor.wrapping_neg()));
            sum.add_constant(factor.wrapping_neg());
        }
        (Op::Mul, &[a, b]) => match (terms.as_u64(a), terms.as_u64(b)) {
            (Some(value), _) => work.push((b, factor.wrapping_mul(value))),
            (_, Some(value)) => work.push((a, factor.wrapping_mul(value))),
            _ => sum.add(term, factor),
        },
        (Op::Zext, &[a]) => sum.add(a, factor),
        (Op::Concat, &[high, low]) => match pieces(terms, high, low) {
            Some(pieces) => {
                for piece in pieces {
                    match terms.as_u64(piece) {
                        Some(value) => sum.add_constant(value.wrapping_mul(factor)),
                        None => sum.add(piece, factor),
                    }
                }
            }
            None => sum.add(term, factor),
        },
        _ => sum.add(term, factor),
    }
}

/// The numbers that were added piece by piece, as narrow processors do: the high part holds the carries of the low part's sums,
/// and nothing else.
fn pieces(terms: &Terms, high: Term, low: Term) -> Option<Vec<Term>> {
    let mut carries = Vec::new();
    let mut work = vec![high];
    while let Some(term) = work.pop() {
        let View::Apply { op, arguments } = terms.view(term) else { return None };
        match (op, &arguments[..]) {
            (Op::Add, &[a, b]) => work.extend([a, b]),
            (Op::Zext, &[bit]) => match terms.view(bit) {
                View::Apply { op: Op::Carry, arguments } => carries.push((arguments[0], arguments[1])),
                _ => return None,
            },
            _ => return None,
        }
        if work.len() + carries.len() > PARTS {
            return None;
        }
    }
    let mut pieces = Vec::new();
    let mut work = vec![low];
    while let Some(term) = work.pop() {
        let parts = match terms.view(term) {
            View::Apply { op: Op::Add, arguments } => Some((arguments[0], arguments[1])),
            _ => None,
        };
        let carry = parts.and_then(|(a, b)| {
            let place = carries.iter().position(|&carry| carry == (a, b) || carry == (b, a))?;
            carries.swap_remove(place);
            Some([a, b])
        });
        match carry {
            Some(parts) => work.extend(parts),
            None => pieces.push(term),
        }
    }
    carries.is_empty().then_some(pieces)
}

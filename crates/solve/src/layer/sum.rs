//! Linear combinations modulo 2^n, and the equations and disequations between them.

use std::collections::BTreeMap;

use everypath_ir::{Op, Width};
use everypath_term::{Term, Terms, View};

/// The maximum number of addends visited.
const PARTS: usize = 256;

/// A linear combination of terms plus a constant; an equation states that it is zero. A term narrower than the sum is
/// zero-extended.
#[derive(Clone)]
pub(super) struct Sum {
    pub(super) factors: BTreeMap<Term, u64>,
    pub(super) constant: u64,
    pub(super) mask: u64,
    /// The conditions that imply it.
    pub(super) by: Vec<Term>,
}

impl Sum {
    pub(super) fn new(width: Width, by: Vec<Term>) -> Sum {
        Sum { factors: BTreeMap::new(), constant: 0, mask: u64::MAX >> (64 - width.bits()), by }
    }

    pub(super) fn add(&mut self, term: Term, factor: u64) {
        let sum = self.factors.entry(term).or_insert(0);
        *sum = sum.wrapping_add(factor) & self.mask;
        if *sum == 0 {
            self.factors.remove(&term);
        }
    }

    pub(super) fn add_constant(&mut self, value: u64) {
        self.constant = self.constant.wrapping_add(value) & self.mask;
    }

    pub(super) fn add_times(&mut self, other: &Sum, factor: u64) {
        for (&term, &own) in &other.factors {
            self.add(term, own.wrapping_mul(factor));
        }
        self.add_constant(other.constant.wrapping_mul(factor));
        self.by.extend(&other.by);
        // Equations share conditions: without this, each substitution could double the list.
        self.by.sort_unstable();
        self.by.dedup();
    }
}

/// The difference of both sides of an equation or disequation; the flag is true for an equation.
pub(super) fn difference(terms: &Terms, condition: Term) -> Option<(Sum, Width, bool)> {
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

/// Adds a multiple of a term: its addends if it is a sum, otherwise the term itself.
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
        _ => sum.add(term, factor),
    }
}

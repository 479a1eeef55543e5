//! Sums that were computed piece by piece, as narrow processors do.

use everypath_ir::{Algebra, Op, Width};

use crate::{Term, Terms};

/// Whether a bit is the carry of these addends.
fn is_carry(terms: &Terms, bit: Term, (a, b): (Term, Term)) -> bool {
    let addends = terms.arguments_of(Op::Carry, bit);
    addends.is_some_and(|addends| addends == (a, b) || addends == (b, a))
}

/// A sum with its carry on top, made wider: one wide sum.
pub(super) fn extended(terms: &mut Terms, width: Width, high: Term, low: Term) -> Option<Term> {
    let addends = terms.arguments_of(Op::Add, low).filter(|addends| is_carry(terms, high, *addends))?;
    let (a, b) = addends;
    let (a, b) = (terms.compute(Op::Zext, width, &[a]), terms.compute(Op::Zext, width, &[b]));
    Some(terms.compute(Op::Add, width, &[a, b]))
}

/// A sum as the low part, and its carry added to the high part: one wide sum. What is left of the high part goes with the addend
/// that may be such a sum itself.
pub(super) fn joined(terms: &mut Terms, width: Width, high: Term, low: Term) -> Option<Term> {
    let addends = terms.arguments_of(Op::Add, low)?;
    let (x, y) = terms.arguments_of(Op::Add, high)?;
    let carries =
        |term: Term| terms.argument_of(Op::Zext, term).is_some_and(|bit| is_carry(terms, bit, addends));
    let rest = match (carries(x), carries(y)) {
        (_, true) => x,
        (true, _) => y,
        _ => return None,
    };
    let (a, b) = addends;
    let (sum, addend) = if terms.arguments_of(Op::Add, b).is_some() { (b, a) } else { (a, b) };
    let sum = terms.compute(Op::Concat, width, &[rest, sum]);
    let addend = terms.compute(Op::Zext, width, &[addend]);
    Some(terms.compute(Op::Add, width, &[sum, addend]))
}

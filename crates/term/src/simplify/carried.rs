//! Recognition of multi-word addition: byte-wise sums with carries, as narrow processors compute them.

use everypath_ir::{Algebra, Op, Width};

use crate::{Term, Terms};

/// Returns true if a bit is the carry of these addends.
fn is_carry(terms: &Terms, bit: Term, (a, b): (Term, Term)) -> bool {
    let addends = terms.arguments_of(Op::Carry, bit);
    addends.is_some_and(|addends| addends == (a, b) || addends == (b, a))
}

/// The wide sum with these high and low parts, if the low part is a sum and the high part contains its carry.
fn whole(terms: &mut Terms, high: Term, low: Term) -> Option<Term> {
    let width = Width::new(terms.width(high).bits() + terms.width(low).bits())?;
    match terms.argument_of(Op::Zext, high) {
        Some(carry) => extended(terms, width, carry, low),
        None => joined(terms, width, high, low),
    }
}

/// Both parts of a sum equal constants, so the sum equals their concatenation. The high part may be compared with the
/// borrow of the comparison of the low part, which is zero if the low parts are equal.
pub(super) fn equal(terms: &mut Terms, x: Term, y: Term) -> Option<Term> {
    [(x, y), (y, x)].into_iter().find_map(|(x, y)| {
        let (low, value) = terms.arguments_of(Op::Eq, x)?;
        let below = terms.as_constant(value)?;
        let (high, other) = terms.arguments_of(Op::Eq, y)?;
        let (high, above) = match terms.as_constant(other) {
            Some(above) => (high, above),
            None => [(high, other), (other, high)].into_iter().find_map(|(high, borrow)| {
                let borrow = terms.argument_of(Op::Zext, borrow)?;
                let (less, bound) = terms.arguments_of(Op::Ult, borrow)?;
                let bit = Op::Ult.apply(Width::W1, &[below.clone(), terms.as_constant(bound)?]);
                (less == low).then(|| (high, Op::Zext.apply(terms.width(high), &[bit])))
            })?,
        };
        let whole = whole(terms, high, low)?;
        let value = Op::Concat.apply(terms.width(whole), &[above, below]);
        let value = terms.constant(&value);
        Some(terms.compute(Op::Eq, Width::W1, &[whole, value]))
    })
}

/// The high part of a sum is less than the borrow of the low part: the sum is less.
pub(super) fn less(terms: &mut Terms, high: Term, borrow: Term) -> Option<Term> {
    let borrow = terms.argument_of(Op::Zext, borrow)?;
    let (low, bound) = terms.arguments_of(Op::Ult, borrow)?;
    let bound = terms.as_constant(bound)?;
    let whole = whole(terms, high, low)?;
    let bound = Op::Zext.apply(terms.width(whole), &[bound]);
    let bound = terms.constant(&bound);
    Some(terms.compute(Op::Ult, Width::W1, &[whole, bound]))
}

/// A zero-extended sum with its carry as the top bit: one wide sum.
pub(super) fn extended(terms: &mut Terms, width: Width, high: Term, low: Term) -> Option<Term> {
    let addends = terms.arguments_of(Op::Add, low).filter(|addends| is_carry(terms, high, *addends))?;
    let (a, b) = addends;
    let (a, b) = (terms.compute(Op::Zext, width, &[a]), terms.compute(Op::Zext, width, &[b]));
    Some(terms.compute(Op::Add, width, &[a, b]))
}

/// A sum as the low part, and its carry added to the high part: one wide sum. The rest of the high part joins the
/// addend that may itself be such a sum.
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

//! Rewrite rules for conjunctions and disjunctions: absorption, and pairs of comparisons that combine into one.

use everypath_ir::{Algebra, Bits, Op, Width};

use super::carried;
use crate::{Term, Terms};

pub(super) fn and(terms: &mut Terms, width: Width, x: Term, y: Term) -> Option<Term> {
    absorbed(terms, Op::And, Op::Or, x, y).or_else(|| combined(terms, Op::And, width, x, y))
}

pub(super) fn or(terms: &mut Terms, width: Width, x: Term, y: Term) -> Option<Term> {
    absorbed(terms, Op::Or, Op::And, x, y).or_else(|| combined(terms, Op::Or, width, x, y))
}

/// `x & (x | z)` is `x`, `x & (x & z)` is `x & z`; and `x & (!x | z)` is `x & z`.
fn absorbed(terms: &mut Terms, op: Op, dual: Op, x: Term, y: Term) -> Option<Term> {
    for (x, y) in [(x, y), (y, x)] {
        let Some((inner, [a, b, _])) = terms.applied(y) else { continue };
        if inner != op && inner != dual {
            continue;
        }
        if a == x || b == x {
            return Some(if inner == op { y } else { x });
        }
        if inner == dual {
            for (a, b) in [(a, b), (b, a)] {
                if are_opposite(terms, x, a) {
                    return Some(terms.compute(op, terms.width(x), &[x, b]));
                }
            }
        }
    }
    None
}

/// Returns true if one term is syntactically the complement of the other.
pub(super) fn are_opposite(terms: &Terms, x: Term, y: Term) -> bool {
    if terms.argument_of(Op::Not, x) == Some(y) || terms.argument_of(Op::Not, y) == Some(x) {
        return true;
    }
    match (terms.applied(x), terms.applied(y)) {
        (Some((Op::Eq, [a, b, _])), Some((Op::Ne, [c, d, _])))
        | (Some((Op::Ne, [a, b, _])), Some((Op::Eq, [c, d, _]))) => a == c && b == d,
        (Some((Op::Ult, [a, b, _])), Some((Op::Ule, [c, d, _])))
        | (Some((Op::Ule, [a, b, _])), Some((Op::Ult, [c, d, _])))
        | (Some((Op::Slt, [a, b, _])), Some((Op::Sle, [c, d, _])))
        | (Some((Op::Sle, [a, b, _])), Some((Op::Slt, [c, d, _]))) => a == d && b == c,
        _ => false,
    }
}

/// Combines two comparisons, such as the flags "less" and "equal" into "less or equal".
fn combined(terms: &mut Terms, op: Op, width: Width, x: Term, y: Term) -> Option<Term> {
    if width != Width::W1 {
        return None;
    }
    if are_opposite(terms, x, y) {
        return Some(terms.truth(op == Op::Or));
    }
    if op == Op::And
        && let Some(equal) = carried::equal(terms, x, y)
    {
        return Some(equal);
    }
    [(x, y), (y, x)].into_iter().find_map(|(x, y)| {
        let (equality, [a, b, _]) = terms.applied(x)?;
        let (order, [c, d, _]) = terms.applied(y)?;
        match (op, equality) {
            (Op::Or, Op::Eq) => or_equal(terms, order, [a, b], [c, d]),
            (Op::And, Op::Ne) => and_different(terms, order, [a, b], [c, d]),
            (Op::And, Op::Eq) => and_equal(terms, order, [a, b], [c, d]),
            _ => None,
        }
    })
}

fn is_same(a: [Term; 2], b: [Term; 2]) -> bool {
    a == b || a == [b[1], b[0]]
}

/// `a == b || c < d`.
fn or_equal(terms: &mut Terms, order: Op, equal: [Term; 2], less: [Term; 2]) -> Option<Term> {
    let weak = match order {
        Op::Ult => Op::Ule,
        Op::Slt => Op::Sle,
        Op::Ule | Op::Sle => return is_same(equal, less).then(|| terms.compute(order, Width::W1, &less)),
        _ => return None,
    };
    is_same(equal, less).then(|| terms.compute(weak, Width::W1, &less))
}

/// `a != b && c <= d`, where `c <= d` may be in strict form with the next constant.
fn and_different(terms: &mut Terms, order: Op, differ: [Term; 2], less: [Term; 2]) -> Option<Term> {
    match order {
        Op::Ule if is_same(differ, less) => return Some(terms.compute(Op::Ult, Width::W1, &less)),
        Op::Sle if is_same(differ, less) => return Some(terms.compute(Op::Slt, Width::W1, &less)),
        Op::Ult | Op::Slt => {}
        _ => return None,
    }
    if is_same(differ, less) {
        return Some(terms.compute(order, Width::W1, &less));
    }
    let value = terms.as_constant(differ[1])?;
    let one = Bits::from_u64(1, value.width());
    let [c, d] = less;
    // Overflow was checked when the bounds were made strict.
    if c == differ[0] && terms.as_constant(d)? == Op::Add.apply(value.width(), &[value.clone(), one.clone()])
    {
        return Some(terms.compute(order, Width::W1, &[c, differ[1]]));
    }
    if d == differ[0] && terms.as_constant(c)? == Op::Sub.apply(value.width(), &[value, one]) {
        return Some(terms.compute(order, Width::W1, &[differ[1], d]));
    }
    None
}

/// `x == c && p(x)`: the equality decides a comparison of the same term with a constant.
fn and_equal(terms: &mut Terms, order: Op, equal: [Term; 2], other: [Term; 2]) -> Option<Term> {
    let compares = matches!(order, Op::Eq | Op::Ne | Op::Ult | Op::Ule | Op::Slt | Op::Sle);
    let value = terms.as_constant(equal[1])?;
    if !compares || !other.contains(&equal[0]) {
        return None;
    }
    let [Some(a), Some(b)] =
        other.map(|term| if term == equal[0] { Some(value.clone()) } else { terms.as_constant(term) })
    else {
        return None;
    };
    let holds = !order.apply(Width::W1, &[a, b]).is_zero();
    Some(if holds { terms.compute(Op::Eq, Width::W1, &equal) } else { terms.truth(false) })
}

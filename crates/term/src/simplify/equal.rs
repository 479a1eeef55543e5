//! Rewrite rules for equalities and disequalities.

use everypath_ir::{Algebra, Bits, Op, Width};

use super::linear;
use crate::{Term, Terms};

/// `op` is `eq` or `ne`.
pub(super) fn equal(terms: &mut Terms, op: Op, x: Term, y: Term) -> Option<Term> {
    let found = match terms.as_constant(y) {
        Some(value) => to_constant(terms, op, x, y, &value),
        None => of_same_shape(terms, op, x, y),
    };
    found.or_else(|| linear::equal(terms, op, x, y))
}

/// The equality or disequality of these.
fn again(terms: &mut Terms, op: Op, x: Term, y: Term) -> Term {
    terms.compute(op, Width::W1, &[x, y])
}

fn to_constant(terms: &mut Terms, op: Op, x: Term, y: Term, value: &Bits) -> Option<Term> {
    let positive = op == Op::Eq;
    let width = value.width();
    let (definition, [a, b, c]) = terms.applied(x)?;
    match definition {
        Op::Not | Op::Neg => {
            let moved = terms.constant(&definition.apply(width, std::slice::from_ref(value)));
            Some(again(terms, op, a, moved))
        }
        // `c - b == value`; the IR's identities handle other sums.
        Op::Sub => {
            let minuend = terms.as_constant(a)?;
            let moved = terms.constant(&Op::Sub.apply(width, &[minuend, value.clone()]));
            Some(again(terms, op, b, moved))
        }
        Op::Mul => {
            let inverse = inverse(&terms.as_constant(b)?)?;
            let moved = terms.constant(&Op::Mul.apply(width, &[value.clone(), inverse]));
            Some(again(terms, op, a, moved))
        }
        Op::Sext => {
            let inner = terms.width(a);
            let low = Op::Extract(0).apply(inner, std::slice::from_ref(value));
            if Op::Sext.apply(width, std::slice::from_ref(&low)) != *value {
                return Some(terms.truth(!positive));
            }
            let low = terms.constant(&low);
            Some(again(terms, op, a, low))
        }
        Op::Concat => {
            let (above, below) = (terms.width(a), terms.width(b));
            let high = Op::Extract(below.bits() as u16).apply(above, std::slice::from_ref(value));
            let low = Op::Extract(0).apply(below, std::slice::from_ref(value));
            let (rest, constant, known, expected) = match (terms.as_constant(a), terms.as_constant(b)) {
                (Some(known), _) => (b, low, known, high),
                (_, Some(known)) => (a, high, known, low),
                _ => return None,
            };
            if known != expected {
                return Some(terms.truth(!positive));
            }
            let constant = terms.constant(&constant);
            Some(again(terms, op, rest, constant))
        }
        Op::Or if value.is_zero() => {
            let (a, b) = (again(terms, op, a, y), again(terms, op, b, y));
            Some(terms.compute(if positive { Op::And } else { Op::Or }, Width::W1, &[a, b]))
        }
        Op::Select => select(terms, op, [a, b, c], y),
        _ => None,
    }
}

/// A select with a constant arm, compared with a constant.
fn select(terms: &mut Terms, op: Op, [condition, then, otherwise]: [Term; 3], y: Term) -> Option<Term> {
    let positive = op == Op::Eq;
    let (decided, rest, condition) = if terms.is_constant(then) {
        (then == y, otherwise, condition)
    } else if terms.is_constant(otherwise) {
        (otherwise == y, then, terms.negation(condition))
    } else {
        return None;
    };
    // `condition ? decided : rest == y`.
    let rest = again(terms, op, rest, y);
    if decided == positive {
        return Some(terms.compute(Op::Or, Width::W1, &[condition, rest]));
    }
    let opposite = terms.negation(condition);
    Some(terms.compute(Op::And, Width::W1, &[opposite, rest]))
}

/// The multiplicative inverse of an odd constant.
fn inverse(value: &Bits) -> Option<Bits> {
    if !value.bit(0) {
        return None;
    }
    let width = value.width();
    // Newton iteration doubles the number of correct bits; the value itself has three.
    let two = Bits::from_u64(2, width);
    let mut inverse = value.clone();
    for _ in 0..8 {
        let product = Op::Mul.apply(width, &[value.clone(), inverse.clone()]);
        let correction = Op::Sub.apply(width, &[two.clone(), product]);
        inverse = Op::Mul.apply(width, &[inverse, correction]);
    }
    Some(inverse)
}

fn of_same_shape(terms: &mut Terms, op: Op, x: Term, y: Term) -> Option<Term> {
    let (Some((first, [a, b, _])), Some((second, [c, d, _]))) = (terms.applied(x), terms.applied(y)) else {
        return with_one_side(terms, op, x, y);
    };
    match (first, second) {
        (Op::Zext, Op::Zext) => {
            let (a, c) = if terms.width(a) < terms.width(c) { (c, a) } else { (a, c) };
            let extended = terms.compute(Op::Zext, terms.width(a), &[c]);
            Some(again(terms, op, a, extended))
        }
        (Op::Sext, Op::Sext) => {
            let (a, c) = if terms.width(a) < terms.width(c) { (c, a) } else { (a, c) };
            let extended = terms.compute(Op::Sext, terms.width(a), &[c]);
            Some(again(terms, op, a, extended))
        }
        (Op::Not, Op::Not) | (Op::Neg, Op::Neg) => Some(again(terms, op, a, c)),
        (Op::Concat, Op::Concat) if terms.width(a) == terms.width(c) => {
            if a == c {
                Some(again(terms, op, b, d))
            } else if b == d {
                Some(again(terms, op, a, c))
            } else {
                None
            }
        }
        (Op::Xor, Op::Xor) if a == c => Some(again(terms, op, b, d)),
        (Op::Xor, Op::Xor) if b == d => Some(again(terms, op, a, c)),
        (Op::Xor, Op::Xor) if a == d => Some(again(terms, op, b, c)),
        (Op::Xor, Op::Xor) if b == c => Some(again(terms, op, a, d)),
        _ => with_one_side(terms, op, x, y),
    }
}

/// `a ^ b == a`.
fn with_one_side(terms: &mut Terms, op: Op, x: Term, y: Term) -> Option<Term> {
    for (x, y) in [(x, y), (y, x)] {
        if let Some((a, b)) = terms.arguments_of(Op::Xor, x)
            && (a == y || b == y)
        {
            let rest = if a == y { b } else { a };
            let zero = terms.zero(terms.width(x));
            return Some(again(terms, op, rest, zero));
        }
    }
    None
}

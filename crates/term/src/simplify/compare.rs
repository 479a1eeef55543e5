//! Rewrite rules for orderings and overflow flags.

use everypath_ir::{Algebra, Bits, Op, Width, Word};

use super::carried;
use super::divide::is_positive;
use crate::{Term, Terms};

pub(super) fn less(terms: &mut Terms, op: Op, x: Term, y: Term) -> Option<Term> {
    let width = terms.width(x);
    let one = Width::W1;
    let signed = matches!(op, Op::Slt | Op::Sle);
    if width == Width::W1 {
        // As a signed bit, one is -1, the lesser.
        let (low, high) = if signed { (y, x) } else { (x, y) };
        let opposite = terms.negation(low);
        let join = if matches!(op, Op::Ult | Op::Slt) { Op::And } else { Op::Or };
        return Some(terms.compute(join, one, &[opposite, high]));
    }
    if let Some(strict) = strict(terms, op, x, y) {
        return Some(strict);
    }
    if signed {
        let same_sign =
            is_positive(terms, x) && is_positive(terms, y) || is_negative(terms, x) && is_negative(terms, y);
        if same_sign {
            let unsigned = if op == Op::Slt { Op::Ult } else { Op::Ule };
            return Some(terms.compute(unsigned, one, &[x, y]));
        }
        return extended(terms, op, x, y).or_else(|| sign(terms, op, x, y));
    }
    if op == Op::Ult {
        // A sum less than one of its addends has wrapped.
        if let Some((a, b)) = terms.arguments_of(Op::Add, x)
            && (a == y || b == y)
        {
            return Some(terms.compute(Op::Carry, one, &[a, b]));
        }
        // Only the greatest value is greater than its predecessor.
        if let Some(value) = terms.as_constant(x) {
            let next = Op::Add.apply(width, &[value, Bits::from_u64(1, width)]);
            if next.is_ones() {
                let next = terms.constant(&next);
                return Some(terms.compute(Op::Eq, one, &[y, next]));
            }
        }
        return carried::less(terms, x, y).or_else(|| by_upper_part(terms, x, y));
    }
    // If the negation has a simpler form, use it.
    less(terms, Op::Ult, y, x).map(|opposite| terms.negation(opposite))
}

fn is_negative(terms: &Terms, x: Term) -> bool {
    let width = terms.width(x);
    if width <= Width::W64 {
        return terms.facts(x).ones & u64::sign_bit(width) != 0;
    }
    terms.as_constant(x).is_some_and(|value| value.bit(width.bits() - 1))
}

/// `x <= c` becomes `x < c + 1`, and `c <= x` becomes `c - 1 < x`.
fn strict(terms: &mut Terms, op: Op, x: Term, y: Term) -> Option<Term> {
    let (order, signed) = match op {
        Op::Ule => (Op::Ult, false),
        Op::Sle => (Op::Slt, true),
        _ => return None,
    };
    let width = terms.width(x);
    let sign = Op::Shl
        .apply(width, &[Bits::from_u64(1, width), Bits::from_u64(u64::from(width.bits()) - 1, Width::W16)]);
    let (least, greatest) = if signed {
        (sign.clone(), Op::Not.apply(width, &[sign]))
    } else {
        (Bits::zero(width), Bits::ones(width))
    };
    let one = Bits::from_u64(1, width);
    if let Some(value) = terms.as_constant(y) {
        if value == greatest {
            return Some(terms.truth(true));
        }
        let next = terms.constant(&Op::Add.apply(width, &[value, one]));
        return Some(terms.compute(order, Width::W1, &[x, next]));
    }
    let value = terms.as_constant(x)?;
    if value == least {
        return Some(terms.truth(true));
    }
    let next = terms.constant(&Op::Sub.apply(width, &[value, one]));
    Some(terms.compute(order, Width::W1, &[next, y]))
}

/// Sign-extended values compare as the originals.
fn extended(terms: &mut Terms, op: Op, x: Term, y: Term) -> Option<Term> {
    let (inner, a, b) = match (terms.argument_of(Op::Sext, x), terms.argument_of(Op::Sext, y)) {
        (Some(a), Some(b)) if terms.width(a) == terms.width(b) => {
            return Some(terms.compute(op, Width::W1, &[a, b]));
        }
        (Some(a), None) => (terms.width(a), Some(a), None),
        (None, Some(b)) => (terms.width(b), None, Some(b)),
        _ => return None,
    };
    let value = terms.as_constant(if a.is_some() { y } else { x })?;
    let low = Op::Extract(0).apply(inner, std::slice::from_ref(&value));
    if Op::Sext.apply(value.width(), std::slice::from_ref(&low)) != value {
        return None;
    }
    let constant = terms.constant(&low);
    Some(terms.compute(op, Width::W1, &[a.unwrap_or(constant), b.unwrap_or(constant)]))
}

/// The sign test depends on the upper part alone.
fn sign(terms: &mut Terms, op: Op, x: Term, y: Term) -> Option<Term> {
    if op != Op::Slt || !terms.is_zero(y) {
        return None;
    }
    match terms.applied(x)? {
        (Op::Concat, [a, ..]) | (Op::Sext, [a, ..]) => {
            let zero = terms.zero(terms.width(a));
            if terms.width(a) == Width::W1 {
                Some(a)
            } else {
                Some(terms.compute(Op::Slt, Width::W1, &[a, zero]))
            }
        }
        (Op::Not, [a, ..]) => {
            let zero = terms.zero(terms.width(a));
            Some(terms.compute(Op::Sle, Width::W1, &[zero, a]))
        }
        _ => None,
    }
}

/// `concat a b < c` where the low part of `c` is irrelevant.
fn by_upper_part(terms: &mut Terms, x: Term, y: Term) -> Option<Term> {
    let (upper, lower, constant, is_left) = match (terms.applied(x), terms.applied(y)) {
        (Some((Op::Concat, [a, b, _])), _) if terms.is_constant(y) => (a, b, y, true),
        (_, Some((Op::Concat, [a, b, _]))) if terms.is_constant(x) => (a, b, x, false),
        (Some((Op::Concat, [a, b, _])), Some((Op::Concat, [c, d, _]))) => {
            return if a == c && terms.width(b) == terms.width(d) {
                Some(terms.compute(Op::Ult, Width::W1, &[b, d]))
            } else if b == d {
                Some(terms.compute(Op::Ult, Width::W1, &[a, c]))
            } else {
                None
            };
        }
        _ => return None,
    };
    let value = terms.as_constant(constant)?;
    let boundary = terms.width(lower).bits() as u16;
    let low = Op::Extract(0).apply(terms.width(lower), std::slice::from_ref(&value));
    if !(if is_left { low.is_zero() } else { low.is_ones() }) {
        return None;
    }
    let high = Op::Extract(boundary).apply(terms.width(upper), std::slice::from_ref(&value));
    let high = terms.constant(&high);
    let sides = if is_left { [upper, high] } else { [high, upper] };
    Some(terms.compute(Op::Ult, Width::W1, &sides))
}

/// `carry` and `scarry`.
pub(super) fn overflow(terms: &mut Terms, op: Op, x: Term, y: Term) -> Option<Term> {
    let value = terms.as_constant(y)?;
    let width = value.width();
    let negated = Op::Neg.apply(width, std::slice::from_ref(&value));
    if op == Op::Carry {
        // `x + c` wraps from `-c` on; `c` is not zero here.
        let bound = terms.constant(&negated);
        return Some(terms.compute(Op::Ule, Width::W1, &[bound, x]));
    }
    // Canonical form: the flag patterns of comparisons use differences. The least number has no negation.
    if negated == value {
        return None;
    }
    let subtrahend = terms.constant(&negated);
    Some(terms.compute(Op::Sborrow, Width::W1, &[x, subtrahend]))
}

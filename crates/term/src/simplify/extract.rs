//! Rewrite rules for bit extraction and concatenation.

use everypath_ir::{Algebra, Op, Width};

use super::carried;
use crate::{Term, Terms};

/// The `width` bits of a term from `low` upwards, all within the term.
pub(super) fn part(terms: &mut Terms, x: Term, low: u32, width: Width) -> Term {
    terms.compute(Op::Extract(low as u16), width, &[x])
}

/// Returns true if these bits are a constant or an existing term, so that extracting them creates no new node.
fn is_cheap(terms: &Terms, x: Term, low: u32, width: Width) -> bool {
    let high = low + width.bits();
    let Some((op, [a, b, _])) = terms.applied(x) else {
        return terms.is_constant(x) || low == 0 && width == terms.width(x);
    };
    let inner = terms.width(a).bits();
    match op {
        Op::Zext => low >= inner || low == 0 && high >= inner,
        Op::Sext => low == 0 && high >= inner,
        Op::Concat => {
            let boundary = terms.width(b).bits();
            if high <= boundary {
                is_cheap(terms, b, low, width)
            } else {
                low >= boundary && is_cheap(terms, a, low - boundary, width)
            }
        }
        _ => low == 0 && width == terms.width(x),
    }
}

/// These bits, if all of them are known to be zero or all to be one.
fn known_uniform_bits(terms: &mut Terms, x: Term, low: u32, width: Width) -> Option<Term> {
    if terms.is_constant(x) {
        let bits = part(terms, x, low, width);
        return (terms.is_zero(bits) || terms.is_ones(bits)).then_some(bits);
    }
    if terms.width(x) > Width::W64 {
        return None;
    }
    let mask = (u64::MAX >> (64 - width.bits())) << low;
    let facts = terms.facts(x);
    let bits = if facts.zeros & mask == mask {
        0
    } else if facts.ones & mask == mask {
        u64::MAX
    } else {
        return None;
    };
    Some(terms.constant_u64(bits, width))
}

pub(super) fn extract(terms: &mut Terms, low: u32, width: Width, x: Term) -> Option<Term> {
    let high = low + width.bits();
    let (op, [a, b, c]) = terms.applied(x)?;
    let inner = terms.width(a).bits();
    match op {
        // Copies of the sign, and perhaps bits below them.
        Op::Sext => {
            let low = low.min(inner - 1);
            let rest = part(terms, a, low, Width::new(inner - low)?);
            Some(terms.compute(Op::Sext, width, &[rest]))
        }
        Op::Concat => {
            let boundary = terms.width(b).bits();
            let above = part(terms, a, 0, Width::new(high - boundary)?);
            let below = part(terms, b, low, Width::new(boundary - low)?);
            Some(terms.compute(Op::Concat, width, &[above, below]))
        }
        Op::And | Op::Or | Op::Xor => {
            // Bits that are all zero or all one on one side leave those of the other: updating one of the flags in a
            // register keeps the rest.
            for (known, other) in [(a, b), (b, a)] {
                if let Some(bits) = known_uniform_bits(terms, known, low, width) {
                    let other = part(terms, other, low, width);
                    return Some(terms.compute(op, width, &[other, bits]));
                }
            }
            if !is_cheap(terms, a, low, width) || !is_cheap(terms, b, low, width) {
                return None;
            }
            let (a, b) = (part(terms, a, low, width), part(terms, b, low, width));
            Some(terms.compute(op, width, &[a, b]))
        }
        Op::Not if is_cheap(terms, a, low, width) => {
            let a = part(terms, a, low, width);
            Some(terms.compute(Op::Not, width, &[a]))
        }
        Op::Select if is_cheap(terms, b, low, width) && is_cheap(terms, c, low, width) => {
            let (b, c) = (part(terms, b, low, width), part(terms, c, low, width));
            Some(terms.compute(Op::Select, width, &[a, b, c]))
        }
        // Carries propagate upwards only.
        Op::Add | Op::Sub if low == 0 && is_cheap(terms, a, 0, width) && is_cheap(terms, b, 0, width) => {
            let (a, b) = (part(terms, a, 0, width), part(terms, b, 0, width));
            Some(terms.compute(op, width, &[a, b]))
        }
        // The sign bit, as in processor flags.
        Op::Add | Op::Sub | Op::Neg if width == Width::W1 && high == terms.width(x).bits() && high > 1 => {
            let zero = terms.zero(terms.width(x));
            Some(terms.compute(Op::Slt, width, &[x, zero]))
        }
        _ => None,
    }
}

pub(super) fn concat(terms: &mut Terms, width: Width, x: Term, y: Term) -> Option<Term> {
    // Canonical form: nested to the right, so that neighbours are adjacent.
    if let Some((high, low)) = terms.arguments_of(Op::Concat, x) {
        let rest = Width::new(terms.width(low).bits() + terms.width(y).bits())?;
        let rest = terms.compute(Op::Concat, rest, &[low, y]);
        return Some(terms.compute(Op::Concat, width, &[high, rest]));
    }
    if let Some(joined) = sign_copies(terms, width, x, y).or_else(|| carried::joined(terms, width, x, y)) {
        return Some(joined);
    }
    let (next, rest) = match terms.applied(y)? {
        (Op::Concat, [next, rest, _]) => (next, rest),
        // Zeros on top of the low part join a constant above.
        (Op::Zext, [inner, ..]) => {
            let value = terms.as_constant(x)?;
            let above = Width::new(width.bits() - terms.width(inner).bits())?;
            let zeros = Width::new(above.bits() - value.width().bits())?;
            let zeros = everypath_ir::Bits::zero(zeros);
            let constant = terms.constant(&Op::Concat.apply(above, &[value, zeros]));
            return Some(terms.compute(Op::Concat, width, &[constant, inner]));
        }
        _ => return None,
    };
    let both = Width::new(terms.width(x).bits() + terms.width(next).bits())?;
    let adjacent = match (terms.applied(x), terms.applied(next)) {
        (Some((Op::Extract(high), [a, ..])), Some((Op::Extract(low), [b, ..]))) => {
            a == b && u32::from(high) == u32::from(low) + terms.width(next).bits()
        }
        _ => terms.is_constant(x) && terms.is_constant(next),
    };
    if !adjacent {
        return None;
    }
    let joined = terms.compute(Op::Concat, both, &[x, next]);
    Some(terms.compute(Op::Concat, width, &[joined, rest]))
}

/// Copies of the sign above a value are its sign extension.
fn sign_copies(terms: &mut Terms, width: Width, x: Term, y: Term) -> Option<Term> {
    let top = terms.width(y).bits() - 1;
    let bit = terms.argument_of(Op::Sext, x).unwrap_or(x);
    let (Op::Extract(low), [a, ..]) = terms.applied(bit)? else { return None };
    let is_sign = terms.width(bit) == Width::W1 && a == y && u32::from(low) == top;
    is_sign.then(|| terms.compute(Op::Sext, width, &[y]))
}

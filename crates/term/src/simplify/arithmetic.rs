//! Rewrite rules for sums, differences and products.

use everypath_ir::{Algebra, Bits, Op, Width};

use super::divide::{dividend, remainder};
use crate::{Term, Terms};

fn negated(terms: &mut Terms, constant: Term) -> Option<Term> {
    let value = terms.as_constant(constant)?;
    Some(terms.constant(&Op::Neg.apply(value.width(), &[value])))
}

pub(super) fn add(terms: &mut Terms, width: Width, x: Term, y: Term) -> Option<Term> {
    if width == Width::W1 {
        return Some(terms.compute(Op::Xor, width, &[x, y]));
    }
    if let Some(constant) = terms.as_constant(y) {
        return add_constant(terms, width, x, &constant);
    }
    if x == y {
        let one = terms.constant_u64(1, Width::W8);
        return Some(terms.compute(Op::Shl, width, &[x, one]));
    }
    for (x, y) in [(x, y), (y, x)] {
        if let Some(dividend) = dividend(terms, x, y) {
            return Some(dividend);
        }
        match terms.applied(x) {
            // Canonical form: a constant addend is outermost, where the next one folds with it.
            Some((Op::Add, [a, constant, _])) if terms.is_constant(constant) => {
                let rest = terms.compute(Op::Add, width, &[a, y]);
                return Some(terms.compute(Op::Add, width, &[rest, constant]));
            }
            Some((Op::Sub, [a, b, _])) if b == y => return Some(a),
            Some((Op::Sub, [constant, b, _])) if terms.is_constant(constant) => {
                let rest = terms.compute(Op::Sub, width, &[y, b]);
                return Some(terms.compute(Op::Add, width, &[rest, constant]));
            }
            Some((Op::Neg, [a, ..])) => return Some(terms.compute(Op::Sub, width, &[y, a])),
            // `a + !a` is all ones; `y + !a` is `y - a - 1`, which is how some processors subtract.
            Some((Op::Not, [a, ..])) => {
                let rest = terms.compute(Op::Sub, width, &[y, a]);
                let minus_one = terms.constant(&Bits::ones(width));
                return Some(terms.compute(Op::Add, width, &[rest, minus_one]));
            }
            _ => {}
        }
    }
    None
}

fn add_constant(terms: &mut Terms, width: Width, x: Term, constant: &Bits) -> Option<Term> {
    match terms.applied(x)? {
        (Op::Sub, [a, b, _]) if terms.is_constant(a) => {
            let value = terms.as_constant(a)?;
            let sum = terms.constant(&Op::Add.apply(width, &[value, constant.clone()]));
            Some(terms.compute(Op::Sub, width, &[sum, b]))
        }
        (Op::Not, [a, ..]) => {
            // `!a + c` is `(c - 1) - a`.
            let less = Op::Sub.apply(width, &[constant.clone(), Bits::from_u64(1, width)]);
            let less = terms.constant(&less);
            Some(terms.compute(Op::Sub, width, &[less, a]))
        }
        (Op::Concat, [high, low, _]) => {
            // A sum that does not carry out of the low part.
            let low_width = terms.width(low);
            let value = terms.as_constant(low)?;
            let addend = terms.narrowed(constant, low_width)?;
            let addend = terms.as_constant(addend)?;
            let both = [value, addend];
            if !Op::Carry.apply(Width::W1, &both).is_zero() {
                return None;
            }
            let sum = terms.constant(&Op::Add.apply(low_width, &both));
            Some(terms.compute(Op::Concat, width, &[high, sum]))
        }
        _ => None,
    }
}

pub(super) fn sub(terms: &mut Terms, width: Width, x: Term, y: Term) -> Option<Term> {
    if width == Width::W1 {
        return Some(terms.compute(Op::Xor, width, &[x, y]));
    }
    if let Some(addend) = negated(terms, y) {
        return Some(terms.compute(Op::Add, width, &[x, addend]));
    }
    if let Some(remainder) = remainder(terms, width, x, y) {
        return Some(remainder);
    }
    if let Some((op, [a, b, _])) = terms.applied(y) {
        match op {
            Op::Neg => return Some(terms.compute(Op::Add, width, &[x, a])),
            Op::Add if a == x => return Some(terms.compute(Op::Neg, width, &[b])),
            Op::Add if b == x => return Some(terms.compute(Op::Neg, width, &[a])),
            Op::Add => {
                if let Some(addend) = negated(terms, b) {
                    let rest = terms.compute(Op::Sub, width, &[x, a]);
                    return Some(terms.compute(Op::Add, width, &[rest, addend]));
                }
            }
            // `x - (a - b)` with a constant on either side.
            Op::Sub if a == x => return Some(b),
            Op::Sub if terms.is_constant(a) => {
                let sum = terms.compute(Op::Add, width, &[x, b]);
                return Some(terms.compute(Op::Sub, width, &[sum, a]));
            }
            _ => {}
        }
    }
    match terms.applied(x)? {
        (Op::Add, [a, b, _]) if a == y => Some(b),
        (Op::Add, [a, b, _]) if b == y => Some(a),
        (Op::Add, [a, constant, _]) if terms.is_constant(constant) => {
            let rest = terms.compute(Op::Sub, width, &[a, y]);
            Some(terms.compute(Op::Add, width, &[rest, constant]))
        }
        (Op::Sub, [a, b, _]) if a == y => Some(terms.compute(Op::Neg, width, &[b])),
        _ => None,
    }
}

pub(super) fn neg(terms: &mut Terms, width: Width, x: Term) -> Option<Term> {
    if width == Width::W1 {
        return Some(x);
    }
    match terms.applied(x)? {
        (Op::Not, [a, ..]) => {
            let one = terms.constant_u64(1, width);
            Some(terms.compute(Op::Add, width, &[a, one]))
        }
        (Op::Add, [a, b, _]) => {
            let constant = negated(terms, b)?;
            Some(terms.compute(Op::Sub, width, &[constant, a]))
        }
        (Op::Mul, [a, b, _]) => {
            let constant = negated(terms, b)?;
            Some(terms.compute(Op::Mul, width, &[a, constant]))
        }
        _ => None,
    }
}

/// The exponent, if the value is a power of two.
pub(super) fn power_of_two(value: &Bits) -> Option<u32> {
    let ones = Op::Popcount.apply(Width::W16, std::slice::from_ref(value));
    let leading = Op::Lzcount.apply(Width::W16, std::slice::from_ref(value)).to_u64()? as u32;
    (ones.to_u64() == Some(1)).then(|| value.width().bits() - 1 - leading)
}

pub(super) fn mul(terms: &mut Terms, width: Width, x: Term, y: Term) -> Option<Term> {
    if width == Width::W1 {
        return Some(terms.compute(Op::And, width, &[x, y]));
    }
    let constant = terms.as_constant(y)?;
    if let Some(exponent) = power_of_two(&constant) {
        let amount = terms.constant_u64(u64::from(exponent), Width::W16);
        return Some(terms.compute(Op::Shl, width, &[x, amount]));
    }
    if constant.is_ones() {
        return Some(terms.compute(Op::Neg, width, &[x]));
    }
    match terms.applied(x)? {
        (Op::Mul, [a, b, _]) => {
            let inner = terms.as_constant(b)?;
            let product = terms.constant(&Op::Mul.apply(width, &[inner, constant]));
            Some(terms.compute(Op::Mul, width, &[a, product]))
        }
        (Op::Add, [a, b, _]) => {
            let inner = terms.as_constant(b)?;
            let product = terms.compute(Op::Mul, width, &[a, y]);
            let addend = terms.constant(&Op::Mul.apply(width, &[inner, constant]));
            Some(terms.compute(Op::Add, width, &[product, addend]))
        }
        (Op::Neg, [a, ..]) => {
            let factor = negated(terms, y)?;
            Some(terms.compute(Op::Mul, width, &[a, factor]))
        }
        _ => None,
    }
}

//! Rewrite rules for masks, exclusive or, extensions and population count.

use everypath_ir::{Algebra, Bits, Op, Width};

use super::carried;
use super::divide::is_positive;
use super::extract::part;
use crate::{Term, Terms};

/// Start and length of the run of ones, if the value has exactly one.
fn run_of_ones(value: &Bits) -> Option<(u32, u32)> {
    let width = value.width().bits();
    let (low, end) = match value.to_u64() {
        Some(0) => return None,
        Some(word) => {
            let low = word.trailing_zeros();
            (low, low + (word >> low).trailing_ones())
        }
        None => {
            let low = (0..width).find(|&bit| value.bit(bit))?;
            (low, (low..width).find(|&bit| !value.bit(bit)).unwrap_or(width))
        }
    };
    let ones = Op::Popcount.apply(Width::W16, std::slice::from_ref(value)).to_u64()? as u32;
    (ones == end - low).then_some((low, end - low))
}

pub(super) fn and(terms: &mut Terms, width: Width, x: Term, y: Term) -> Option<Term> {
    if width <= Width::W64 {
        // All bits that the mask clears are already zero, or the mask keeps only known ones.
        let (a, b) = (terms.facts(x), terms.facts(y));
        let all = Bits::ones(width).to_u64()?;
        if b.ones | a.zeros == all {
            return Some(x);
        }
        if a.ones | b.zeros == all {
            return Some(y);
        }
    }
    let (low, length) = run_of_ones(&terms.as_constant(y)?)?;
    let kept = part(terms, x, low, Width::new(length)?);
    let shifted = match Width::new(low) {
        Some(zeros) => {
            let zeros = terms.zero(zeros);
            terms.compute(Op::Concat, Width::new(low + length)?, &[kept, zeros])
        }
        None => kept,
    };
    Some(terms.compute(Op::Zext, width, &[shifted]))
}

pub(super) fn xor(terms: &mut Terms, width: Width, x: Term, y: Term) -> Option<Term> {
    for (x, y) in [(x, y), (y, x)] {
        match terms.applied(x) {
            Some((Op::Xor, [a, b, _])) if a == y => return Some(b),
            Some((Op::Xor, [a, b, _])) if b == y => return Some(a),
            Some((Op::Not, [a, ..])) => {
                let inner = terms.compute(Op::Xor, width, &[a, y]);
                return Some(terms.compute(Op::Not, width, &[inner]));
            }
            _ => {}
        }
    }
    (width == Width::W1).then(|| terms.compute(Op::Ne, width, &[x, y]))
}

pub(super) fn extend(terms: &mut Terms, op: Op, width: Width, x: Term) -> Option<Term> {
    if op == Op::Sext && is_positive(terms, x) {
        return Some(terms.compute(Op::Zext, width, &[x]));
    }
    match terms.applied(x)? {
        (Op::Select, [condition, a, b]) => {
            let (a, b) = (terms.as_constant(a)?, terms.as_constant(b)?);
            let (a, b) = (op.apply(width, &[a]), op.apply(width, &[b]));
            let (a, b) = (terms.constant(&a), terms.constant(&b));
            Some(terms.compute(Op::Select, width, &[condition, a, b]))
        }
        (Op::Concat, [high, low, _]) if op == Op::Zext => carried::extended(terms, width, high, low),
        _ => None,
    }
}

pub(super) fn popcount(terms: &mut Terms, width: Width, x: Term) -> Option<Term> {
    if terms.width(x) == Width::W1 {
        return Some(terms.compute(Op::Zext, width, &[x]));
    }
    let inner = terms.argument_of(Op::Zext, x)?;
    Some(terms.compute(Op::Popcount, width, &[inner]))
}

//! Sums and disjunctions of terms with disjoint bits become concatenations.

use everypath_ir::{Algebra, Op, Width, Word};

use super::extract::part;
use crate::{Term, Terms};

/// The number of known trailing zeros.
fn low_zeros(terms: &Terms, x: Term) -> u32 {
    let width = terms.width(x);
    if width <= Width::W64 {
        return terms.facts(x).zeros.trailing_ones().min(width.bits());
    }
    match terms.applied(x) {
        Some((Op::Concat, [_, b, _])) if terms.is_zero(b) => terms.width(b).bits(),
        _ => terms
            .as_constant(x)
            .map_or(0, |value| (0..width.bits()).find(|&bit| value.bit(bit)).unwrap_or(width.bits())),
    }
}

/// The number of significant bits: all bits from this one upwards are zero.
fn significant(terms: &Terms, x: Term) -> u32 {
    let width = terms.width(x);
    if width <= Width::W64 {
        return 64 - terms.facts(x).greatest.leading_zeros();
    }
    match terms.applied(x) {
        Some((Op::Zext, [a, ..])) => terms.width(a).bits(),
        _ => terms.as_constant(x).map_or(width.bits(), |value| {
            (0..width.bits()).rev().find(|&bit| value.bit(bit)).map_or(0, |bit| bit + 1)
        }),
    }
}

/// For `or`, `xor` and `add`, which agree if no bit is one in both arguments.
pub(super) fn joined(terms: &mut Terms, op: Op, width: Width, x: Term, y: Term) -> Option<Term> {
    for (low, high) in [(x, y), (y, x)] {
        let boundary = low_zeros(terms, high);
        if boundary > 0 && boundary < width.bits() && significant(terms, low) <= boundary {
            let below = part(terms, low, 0, Width::new(boundary)?);
            let above = part(terms, high, boundary, Width::new(width.bits() - boundary)?);
            return Some(terms.compute(Op::Concat, width, &[above, below]));
        }
    }
    for (whole, piece) in [(x, y), (y, x)] {
        let Some((Op::Concat, [a, b, _])) = terms.applied(whole) else { continue };
        let (above, below) = (terms.width(a), terms.width(b));
        let boundary = below.bits();
        // A constant addend stays outermost.
        let stays = op == Op::Add && terms.is_constant(piece);
        if low_zeros(terms, piece) >= boundary && !stays {
            // Only the upper part changes; a carry out of it is dropped in any case.
            let rest = part(terms, piece, boundary, above);
            let changed = terms.compute(op, above, &[a, rest]);
            return Some(terms.compute(Op::Concat, width, &[changed, b]));
        }
        if significant(terms, piece) <= boundary && (op != Op::Add || has_no_carry(terms, b, piece)) {
            let rest = part(terms, piece, 0, below);
            let changed = terms.compute(op, below, &[b, rest]);
            return Some(terms.compute(Op::Concat, width, &[a, changed]));
        }
    }
    None
}

/// Returns true if the sum of a term and a piece that fits into its width provably does not carry.
fn has_no_carry(terms: &Terms, b: Term, piece: Term) -> bool {
    if terms.width(b) > Width::W64 || terms.width(piece) > Width::W64 {
        return false;
    }
    let sum = terms.facts(b).greatest.checked_add(terms.facts(piece).greatest);
    sum.is_some_and(|sum| sum <= u64::mask(terms.width(b)))
}

//! Rewrite rules for shifts: constant amounts become extractions and concatenations.

use everypath_ir::{Op, Width};

use super::divide::is_positive;
use super::extract::part;
use crate::{Term, Terms};

pub(super) fn shift(terms: &mut Terms, op: Op, width: Width, x: Term, amount: Term) -> Option<Term> {
    if op == Op::Ashr && is_positive(terms, x) {
        return Some(terms.compute(Op::Lshr, width, &[x, amount]));
    }
    let Some(by) = terms.as_constant(amount) else { return narrow_amount(terms, op, width, x, amount) };
    let by = by.to_u64().filter(|&by| by < u64::from(width.bits()));
    let (by, rest) = match by {
        Some(by) => (by as u32, Width::new(width.bits() - by as u32)?),
        None if op == Op::Ashr => (width.bits() - 1, Width::W1),
        None => return None,
    };
    match op {
        Op::Shl => {
            // A constant addend stays outermost.
            if let Some((Op::Add, [a, b, _])) = terms.applied(x)
                && let Some(addend) = terms.as_constant(b)
            {
                let shift = terms.as_constant(amount)?;
                let shifted = terms.compute(Op::Shl, width, &[a, amount]);
                let addend = terms.constant(&Op::Shl.apply(width, &[addend, shift]));
                return Some(terms.compute(Op::Add, width, &[shifted, addend]));
            }
            let kept = part(terms, x, 0, rest);
            let zeros = terms.constant_u64(0, Width::new(by)?);
            Some(terms.compute(Op::Concat, width, &[kept, zeros]))
        }
        _ => {
            let kept = part(terms, x, by, rest);
            let extension = if op == Op::Lshr { Op::Zext } else { Op::Sext };
            Some(terms.compute(extension, width, &[kept]))
        }
    }
}

/// A zero-extended amount can be narrowed.
fn narrow_amount(terms: &mut Terms, op: Op, width: Width, x: Term, amount: Term) -> Option<Term> {
    match terms.applied(amount)? {
        (Op::Zext, [inner, ..]) => Some(terms.compute(op, width, &[x, inner])),
        _ => None,
    }
}

//! Bits that nobody looks at: what only sets or clears those need not be computed.
//!
//! Flags that share a register are put in and taken out by masks; setting one of them has nothing to do with the others.

use super::Algebra;
use crate::{Op, Width, Word};

/// How deep a value is looked into.
const DEPTH: u32 = 5;

/// A simpler value that always equals the computation, if it is one that looks at some bits only.
///
/// The same holds of widths and arguments as for [`super::simplified`].
pub(crate) fn without_masked<A: Algebra>(
    algebra: &mut A,
    op: Op,
    width: Width,
    x: A::Value,
    y: A::Value,
) -> Option<A::Value> {
    let inner = algebra.width(x);
    if inner > Width::W64 || width > Width::W64 {
        return None;
    }
    let all = u64::mask(inner);
    match op {
        Op::And => {
            let mask = algebra.value(y)?.to_u64()?;
            let possible = possible(algebra, x, DEPTH);
            if possible & mask == 0 {
                return Some(algebra.zero(width));
            }
            if possible & !mask == 0 {
                return Some(x);
            }
            let x = stripped(algebra, x, mask)?;
            Some(algebra.compute(op, width, &[x, y]))
        }
        Op::Lshr => {
            let amount = shift_amount(algebra, y, inner)?;
            if let Some((a, by)) = algebra.arguments_of(Op::Shl, x)
                && shift_amount(algebra, by, inner) == Some(amount)
                && possible(algebra, a, DEPTH) & !(all >> amount) == 0
            {
                return Some(a);
            }
            let x = stripped(algebra, x, all & all << amount)?;
            Some(algebra.compute(op, width, &[x, y]))
        }
        Op::Extract(low) => {
            let x = stripped(algebra, x, u64::mask(width) << low)?;
            Some(algebra.compute(op, width, &[x]))
        }
        Op::Eq | Op::Ne if algebra.is_zero(y) => {
            let (a, by) = algebra.arguments_of(Op::Shl, x)?;
            let amount = shift_amount(algebra, by, inner)?;
            let keeps = possible(algebra, a, DEPTH) & !(all >> amount) == 0;
            keeps.then(|| algebra.compute(op, width, &[a, y]))
        }
        _ => None,
    }
}

/// The value without what has no part in the wanted bits, if there is such a thing.
fn stripped<A: Algebra>(algebra: &A, value: A::Value, wanted: u64) -> Option<A::Value> {
    let (op, [a, b, _]) = algebra.definition(value)?;
    let rest = match op {
        Op::Or | Op::Xor if possible(algebra, b, DEPTH) & wanted == 0 => a,
        Op::Or | Op::Xor if possible(algebra, a, DEPTH) & wanted == 0 => b,
        Op::And => {
            let mask = algebra.value(b)?.to_u64()?;
            (possible(algebra, a, DEPTH) & !mask & wanted == 0).then_some(a)?
        }
        _ => return None,
    };
    Some(stripped(algebra, rest, wanted).unwrap_or(rest))
}

/// A constant amount by which something is left of a value.
fn shift_amount<A: Algebra>(algebra: &A, amount: A::Value, width: Width) -> Option<u32> {
    let amount = u32::try_from(algebra.value(amount)?.to_u64()?).ok()?;
    (amount < width.bits()).then_some(amount)
}

/// The bits of a value that may be one; it has at most 64.
fn possible<A: Algebra>(algebra: &A, value: A::Value, depth: u32) -> u64 {
    let width = algebra.width(value);
    let all = u64::mask(width);
    if let Some(bits) = algebra.value(value) {
        return bits.to_u64().unwrap_or(all);
    }
    let Some((op, [a, b, c])) = algebra.definition(value).filter(|_| depth > 0) else { return all };
    let of = |value: A::Value| possible(algebra, value, depth - 1);
    let inner = algebra.width(a);
    match op {
        Op::And => of(a) & of(b),
        Op::Or | Op::Xor => of(a) | of(b),
        Op::Select => of(b) | of(c),
        Op::Zext => of(a),
        Op::Concat => of(a) << algebra.width(b).bits() | of(b),
        Op::Extract(low) if inner <= Width::W64 => of(a) >> low & all,
        Op::Shl => shift_amount(algebra, b, inner).map_or(all, |amount| of(a) << amount & all),
        Op::Lshr => shift_amount(algebra, b, inner).map_or(all, |amount| of(a) >> amount),
        Op::Popcount => u64::MAX >> u64::from(inner.bits()).leading_zeros() & all,
        _ => all,
    }
}

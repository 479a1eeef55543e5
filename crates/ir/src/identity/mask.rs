//! Known-zero-bits simplification (LLVM's `computeKnownBits` and `SimplifyDemandedBits`): drops operations on bits that
//! a mask discards.
//!
//! Flags that share a register are inserted and extracted by masks; setting one of them does not affect the others.

use super::Algebra;
use crate::{Op, Width, Word};

/// Recursion limit of the known-bits analysis.
const DEPTH: u32 = 5;

/// A simpler value that always equals the computation, if the operator uses only some bits of its argument.
///
/// The preconditions are those of [`super::simplified`].
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
            if possible(algebra, x, DEPTH) >> amount == 0 {
                return Some(algebra.zero(width));
            }
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

/// The value without outer operations that do not affect the wanted bits, if there are any.
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

/// The amount of a shift, if it is constant and less than the width.
fn shift_amount<A: Algebra>(algebra: &A, amount: A::Value, width: Width) -> Option<u32> {
    let amount = u32::try_from(algebra.value(amount)?.to_u64()?).ok()?;
    (amount < width.bits()).then_some(amount)
}

/// The bits of a value that may be one. The value has at most 64 bits.
pub(crate) fn possible_bits<A: Algebra>(algebra: &A, value: A::Value) -> u64 {
    possible(algebra, value, DEPTH)
}

fn possible<A: Algebra>(algebra: &A, value: A::Value, depth: u32) -> u64 {
    let width = algebra.width(value);
    if let Some(bits) = algebra.value(value) {
        return bits.to_u64().unwrap_or(u64::MAX);
    }
    let Some((op, arguments)) = algebra.definition(value).filter(|_| depth > 0) else {
        return u64::mask(width);
    };
    let widths = |place: usize| algebra.width(arguments[place]);
    let constant = |place: usize| algebra.value(arguments[place])?.to_u64();
    possible_result(op, width, widths, constant, |place| possible(algebra, arguments[place], depth - 1))
}

/// Transfer function of the known-bits analysis: the bits of the result that may be one. The result has at most 64
/// bits. The closures give an argument's width, its value if constant, and, if it has at most 64 bits, its bits that
/// may be one.
pub(crate) fn possible_result(
    op: Op,
    width: Width,
    widths: impl Fn(usize) -> Width,
    constant: impl Fn(usize) -> Option<u64>,
    of: impl Fn(usize) -> u64,
) -> u64 {
    let all = u64::mask(width);
    let amount = || constant(1).filter(|amount| *amount < u64::from(width.bits()));
    match op {
        Op::And => of(0) & of(1),
        Op::Or | Op::Xor => of(0) | of(1),
        Op::Select => of(1) | of(2),
        Op::Zext => of(0),
        Op::Concat => of(0) << widths(1).bits() | of(1),
        Op::Extract(low) if widths(0) <= Width::W64 => of(0) >> low & all,
        Op::Shl => amount().map_or(all, |amount| of(0) << amount & all),
        Op::Lshr => amount().map_or(all, |amount| of(0) >> amount),
        Op::Popcount => u64::MAX >> u64::from(widths(0).bits()).leading_zeros() & all,
        _ => all,
    }
}

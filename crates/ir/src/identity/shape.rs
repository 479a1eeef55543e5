//! Identities of extension, extraction, concatenation and selection.

use super::Algebra;
use crate::{Op, Width};

pub(super) fn zext<A: Algebra>(algebra: &mut A, width: Width, x: A::Value) -> Option<A::Value> {
    if algebra.width(x) == width {
        return Some(x);
    }
    let inner = algebra.argument_of(Op::Zext, x)?;
    Some(algebra.compute(Op::Zext, width, &[inner]))
}

pub(super) fn sext<A: Algebra>(algebra: &mut A, width: Width, x: A::Value) -> Option<A::Value> {
    if algebra.width(x) == width {
        return Some(x);
    }
    // An extension to the same width is simplified away, so the result of an inner `zext` has a zero sign bit.
    let (op, arguments) = algebra.definition(x)?;
    match op {
        Op::Zext | Op::Sext => Some(algebra.compute(op, width, &arguments[..1])),
        _ => None,
    }
}

pub(super) fn extract<A: Algebra>(algebra: &mut A, low: u32, width: Width, x: A::Value) -> Option<A::Value> {
    if algebra.width(x) == width {
        return Some(x);
    }
    let high = low + width.bits();
    let (op, [a, b, _]) = algebra.definition(x)?;
    let inner = algebra.width(a).bits();
    match op {
        Op::Extract(offset) => take(algebra, low + u32::from(offset), width, a),
        Op::Zext | Op::Sext if high <= inner => take(algebra, low, width, a),
        Op::Zext if low >= inner => Some(algebra.zero(width)),
        Op::Zext => {
            let part = take(algebra, low, Width::new(inner - low)?, a)?;
            Some(algebra.compute(Op::Zext, width, &[part]))
        }
        Op::Concat => {
            let boundary = algebra.width(b).bits();
            if high <= boundary {
                take(algebra, low, width, b)
            } else if low >= boundary {
                take(algebra, low - boundary, width, a)
            } else {
                None
            }
        }
        Op::Lshr => {
            let amount = u32::try_from(algebra.value(b)?.to_u64()?).ok()?;
            let inside = high.checked_add(amount).is_some_and(|high| high <= inner);
            if inside { take(algebra, low + amount, width, a) } else { None }
        }
        _ => None,
    }
}

/// The bits `low` to `low + width` of a value; all of them are within its width.
fn take<A: Algebra>(algebra: &mut A, low: u32, width: Width, x: A::Value) -> Option<A::Value> {
    let low = u16::try_from(low).ok()?;
    Some(algebra.compute(Op::Extract(low), width, &[x]))
}

pub(super) fn concat<A: Algebra>(
    algebra: &mut A,
    width: Width,
    x: A::Value,
    y: A::Value,
) -> Option<A::Value> {
    if algebra.is_zero(x) {
        return Some(algebra.compute(Op::Zext, width, &[y]));
    }
    let (op, [a, ..]) = algebra.definition(x)?;
    match op {
        Op::Zext => {
            let inside = Width::new(algebra.width(a).bits() + algebra.width(y).bits())?;
            let joined = algebra.compute(Op::Concat, inside, &[a, y]);
            Some(algebra.compute(Op::Zext, width, &[joined]))
        }
        Op::Extract(high) => {
            let (Op::Extract(low), [b, ..]) = algebra.definition(y)? else { return None };
            let adjacent = u32::from(high) == u32::from(low) + algebra.width(y).bits();
            if a == b && adjacent { take(algebra, u32::from(low), width, a) } else { None }
        }
        _ => None,
    }
}

pub(super) fn select<A: Algebra>(
    algebra: &mut A,
    width: Width,
    condition: A::Value,
    then: A::Value,
    otherwise: A::Value,
) -> Option<A::Value> {
    if let Some(value) = algebra.value(condition) {
        return Some(if value.is_zero() { otherwise } else { then });
    }
    if then == otherwise {
        return Some(then);
    }
    if let Some(opposite) = algebra.argument_of(Op::Not, condition) {
        return Some(algebra.compute(Op::Select, width, &[opposite, otherwise, then]));
    }
    if algebra.is_one(then) && algebra.is_zero(otherwise) {
        return Some(algebra.compute(Op::Zext, width, &[condition]));
    }
    if algebra.is_zero(then) && algebra.is_one(otherwise) {
        let opposite = algebra.negation(condition);
        return Some(algebra.compute(Op::Zext, width, &[opposite]));
    }
    if width != Width::W1 {
        return None;
    }
    if algebra.is_zero(otherwise) {
        return Some(algebra.compute(Op::And, width, &[condition, then]));
    }
    algebra.is_one(then).then(|| algebra.compute(Op::Or, width, &[condition, otherwise]))
}

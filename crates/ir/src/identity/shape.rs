//! Identities of operators that put bits together, take them apart, or choose.

use crate::{BlockBuilder, Op, Operand, Width};

pub(super) fn zext(builder: &mut BlockBuilder, width: Width, x: Operand) -> Option<Operand> {
    if builder.width(x) == width {
        return Some(x);
    }
    let inner = builder.argument_of(Op::Zext, x)?;
    Some(builder.compute(Op::Zext, width, &[inner]))
}

pub(super) fn sext(builder: &mut BlockBuilder, width: Width, x: Operand) -> Option<Operand> {
    if builder.width(x) == width {
        return Some(x);
    }
    // An extension to the same width is never written down, so the sign of an extended value is zero.
    let (op, arguments) = builder.definition(x)?;
    match op {
        Op::Zext | Op::Sext => Some(builder.compute(op, width, &arguments[..1])),
        _ => None,
    }
}

pub(super) fn extract(builder: &mut BlockBuilder, low: u32, width: Width, x: Operand) -> Option<Operand> {
    if builder.width(x) == width {
        return Some(x);
    }
    let high = low + width.bits();
    let (op, [a, b, _]) = builder.definition(x)?;
    let inner = builder.width(a).bits();
    match op {
        Op::Extract(offset) => take(builder, low + u32::from(offset), width, a),
        Op::Zext | Op::Sext if high <= inner => take(builder, low, width, a),
        Op::Zext if low >= inner => Some(builder.zero(width)),
        Op::Zext => {
            let part = take(builder, low, Width::new(inner - low)?, a)?;
            Some(builder.compute(Op::Zext, width, &[part]))
        }
        Op::Concat => {
            let boundary = builder.width(b).bits();
            if high <= boundary {
                take(builder, low, width, b)
            } else if low >= boundary {
                take(builder, low - boundary, width, a)
            } else {
                None
            }
        }
        Op::Lshr => {
            let amount = u32::try_from(builder.value(b)?.to_u64()?).ok()?;
            let inside = high.checked_add(amount).is_some_and(|high| high <= inner);
            if inside { take(builder, low + amount, width, a) } else { None }
        }
        _ => None,
    }
}

/// Bits of a value, all of which it has.
fn take(builder: &mut BlockBuilder, low: u32, width: Width, x: Operand) -> Option<Operand> {
    let low = u16::try_from(low).ok()?;
    Some(builder.compute(Op::Extract(low), width, &[x]))
}

pub(super) fn concat(builder: &mut BlockBuilder, width: Width, x: Operand, y: Operand) -> Option<Operand> {
    if builder.is_zero(x) {
        return Some(builder.compute(Op::Zext, width, &[y]));
    }
    let (op, [a, ..]) = builder.definition(x)?;
    match op {
        Op::Zext => {
            let inside = Width::new(builder.width(a).bits() + builder.width(y).bits())?;
            let joined = builder.compute(Op::Concat, inside, &[a, y]);
            Some(builder.compute(Op::Zext, width, &[joined]))
        }
        Op::Extract(high) => {
            let (Op::Extract(low), [b, ..]) = builder.definition(y)? else { return None };
            let adjacent = u32::from(high) == u32::from(low) + builder.width(y).bits();
            if a == b && adjacent { take(builder, u32::from(low), width, a) } else { None }
        }
        _ => None,
    }
}

pub(super) fn select(
    builder: &mut BlockBuilder,
    width: Width,
    condition: Operand,
    then: Operand,
    otherwise: Operand,
) -> Option<Operand> {
    if let Some(value) = builder.value(condition) {
        return Some(if value.is_zero() { otherwise } else { then });
    }
    if then == otherwise {
        return Some(then);
    }
    if let Some(opposite) = builder.argument_of(Op::Not, condition) {
        return Some(builder.compute(Op::Select, width, &[opposite, otherwise, then]));
    }
    if builder.is_one(then) && builder.is_zero(otherwise) {
        return Some(builder.compute(Op::Zext, width, &[condition]));
    }
    if builder.is_zero(then) && builder.is_one(otherwise) {
        let opposite = builder.negation(condition);
        return Some(builder.compute(Op::Zext, width, &[opposite]));
    }
    if width != Width::W1 {
        return None;
    }
    if builder.is_zero(otherwise) {
        return Some(builder.compute(Op::And, width, &[condition, then]));
    }
    builder.is_one(then).then(|| builder.compute(Op::Or, width, &[condition, otherwise]))
}

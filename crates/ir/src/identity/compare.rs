//! Identities of comparisons.

use crate::{Bits, BlockBuilder, Op, Operand, Width};

/// `op` is `eq` or `ne`.
pub(super) fn equal(builder: &mut BlockBuilder, op: Op, x: Operand, y: Operand) -> Option<Operand> {
    let positive = op == Op::Eq;
    if x == y {
        return Some(builder.truth(positive));
    }
    let sides = [Op::Xor, Op::Sub].into_iter().find_map(|difference| builder.arguments_of(difference, x));
    if let Some((a, b)) = sides.filter(|_| builder.is_zero(y)) {
        return Some(builder.compute(op, Width::W1, &[a, b]));
    }
    if let Some(value) = builder.value(y).cloned() {
        return equal_to_constant(builder, op, x, &value);
    }
    if let (Some(a), Some(b)) = (builder.argument_of(Op::Zext, x), builder.argument_of(Op::Zext, y))
        && builder.width(a) == builder.width(b)
    {
        return Some(builder.compute(op, Width::W1, &[a, b]));
    }
    let less = signed_less(builder, x, y)?;
    Some(if positive { builder.negation(less) } else { less })
}

fn equal_to_constant(builder: &mut BlockBuilder, op: Op, x: Operand, value: &Bits) -> Option<Operand> {
    let positive = op == Op::Eq;
    if value.width() == Width::W1 {
        return Some(if value.is_zero() == positive { builder.negation(x) } else { x });
    }
    let (definition, arguments) = builder.definition(x)?;
    match definition {
        Op::Zext => {
            let inner = builder.width(arguments[0]);
            Some(match builder.narrowed(value, inner) {
                Some(narrow) => builder.compute(op, Width::W1, &[arguments[0], narrow]),
                None => builder.truth(!positive),
            })
        }
        Op::Add | Op::Sub | Op::Xor => {
            let moved = builder.value(arguments[1])?.clone();
            let back = match definition {
                Op::Add => Op::Sub,
                Op::Sub => Op::Add,
                _ => Op::Xor,
            };
            let constant = builder.constant(back.apply(value.width(), &[value.clone(), moved]));
            Some(builder.compute(op, Width::W1, &[arguments[0], constant]))
        }
        Op::Select => {
            let then = (builder.value(arguments[1])? == value) == positive;
            let otherwise = (builder.value(arguments[2])? == value) == positive;
            Some(match (then, otherwise) {
                (true, false) => arguments[0],
                (false, true) => builder.negation(arguments[0]),
                (same, _) => builder.truth(same),
            })
        }
        _ => None,
    }
}

/// Whether two different bits are the overflow and the sign of one difference: then "they differ" is the signed
/// comparison of which processors with these two flags make it.
pub(super) fn signed_less(builder: &mut BlockBuilder, x: Operand, y: Operand) -> Option<Operand> {
    for (overflow, sign) in [(x, y), (y, x)] {
        if let Some((a, b)) = builder.arguments_of(Op::Sborrow, overflow)
            && let Some((difference, zero)) = builder.arguments_of(Op::Slt, sign)
            && builder.is_zero(zero)
            && is_difference(builder, difference, a, b)
        {
            return Some(builder.compute(Op::Slt, Width::W1, &[a, b]));
        }
    }
    None
}

fn is_difference(builder: &BlockBuilder, difference: Operand, a: Operand, b: Operand) -> bool {
    builder.arguments_of(Op::Sub, difference) == Some((a, b))
}

pub(super) fn ult(builder: &mut BlockBuilder, x: Operand, y: Operand) -> Option<Operand> {
    if x == y || builder.is_zero(y) || builder.is_ones(x) {
        return Some(builder.truth(false));
    }
    if builder.is_one(y) {
        let zero = builder.zero(builder.width(x));
        return Some(builder.compute(Op::Eq, Width::W1, &[x, zero]));
    }
    if builder.is_zero(x) {
        return Some(builder.compute(Op::Ne, Width::W1, &[y, x]));
    }
    extended(builder, Op::Ult, x, y)
}

pub(super) fn ule(builder: &mut BlockBuilder, x: Operand, y: Operand) -> Option<Operand> {
    if x == y || builder.is_zero(x) || builder.is_ones(y) {
        return Some(builder.truth(true));
    }
    if builder.is_zero(y) {
        return Some(builder.compute(Op::Eq, Width::W1, &[x, y]));
    }
    extended(builder, Op::Ule, x, y)
}

/// Values extended by zeros compare as they did before.
fn extended(builder: &mut BlockBuilder, op: Op, x: Operand, y: Operand) -> Option<Operand> {
    let (a, b) = match (builder.argument_of(Op::Zext, x), builder.argument_of(Op::Zext, y)) {
        (Some(a), Some(b)) if builder.width(a) == builder.width(b) => (a, b),
        (Some(a), None) => {
            let value = builder.value(y)?.clone();
            (a, builder.narrowed(&value, builder.width(a))?)
        }
        (None, Some(b)) => {
            let value = builder.value(x)?.clone();
            (builder.narrowed(&value, builder.width(b))?, b)
        }
        _ => return None,
    };
    Some(builder.compute(op, Width::W1, &[a, b]))
}

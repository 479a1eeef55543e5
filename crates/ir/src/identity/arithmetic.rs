//! Identities of sums, products and shifts.

use crate::{BlockBuilder, Op, Operand, Width};

pub(super) fn add(builder: &mut BlockBuilder, width: Width, x: Operand, y: Operand) -> Option<Operand> {
    if builder.is_zero(y) {
        return Some(x);
    }
    add_constants(builder, Op::Add, width, x, y)
}

pub(super) fn sub(builder: &mut BlockBuilder, width: Width, x: Operand, y: Operand) -> Option<Operand> {
    if builder.is_zero(y) {
        return Some(x);
    }
    if x == y {
        return Some(builder.zero(width));
    }
    if builder.is_zero(x) {
        return Some(builder.compute(Op::Neg, width, &[y]));
    }
    add_constants(builder, Op::Sub, width, x, y)
}

/// `(z ± a) ± b` is `z ± c`: pushing and popping moves the stack pointer by several constants.
fn add_constants(
    builder: &mut BlockBuilder,
    outer: Op,
    width: Width,
    x: Operand,
    y: Operand,
) -> Option<Operand> {
    let b = builder.value(y)?.clone();
    let inner = [Op::Add, Op::Sub].into_iter().find_map(|op| Some((op, builder.with_constant(op, x)?)));
    let (inner, (z, a)) = inner?;
    let both = if inner == outer { Op::Add } else { Op::Sub };
    let constant = builder.constant(both.apply(width, &[b, a]));
    Some(builder.compute(outer, width, &[z, constant]))
}

pub(super) fn mul(builder: &mut BlockBuilder, x: Operand, y: Operand) -> Option<Operand> {
    if builder.is_zero(y) {
        return Some(y);
    }
    builder.is_one(y).then_some(x)
}

pub(super) fn neg(builder: &mut BlockBuilder, width: Width, x: Operand) -> Option<Operand> {
    if let Some((a, b)) = builder.arguments_of(Op::Sub, x) {
        return Some(builder.compute(Op::Sub, width, &[b, a]));
    }
    builder.argument_of(Op::Neg, x)
}

pub(super) fn shift(
    builder: &mut BlockBuilder,
    op: Op,
    width: Width,
    x: Operand,
    amount: Operand,
) -> Option<Operand> {
    if builder.is_zero(amount) || builder.is_zero(x) {
        return Some(x);
    }
    let amount = builder.value(amount)?;
    let clears = amount.to_u64().is_none_or(|amount| amount >= u64::from(width.bits()));
    (clears && op != Op::Ashr).then(|| builder.zero(width))
}

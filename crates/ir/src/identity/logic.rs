//! Identities of bitwise operators.

use super::compare;
use crate::{Bits, BlockBuilder, Op, Operand, Width};

pub(super) fn and(builder: &mut BlockBuilder, width: Width, x: Operand, y: Operand) -> Option<Operand> {
    if builder.is_zero(y) || x == y {
        return Some(y);
    }
    if builder.is_ones(y) {
        return Some(x);
    }
    if are_complements(builder, x, y) {
        return Some(builder.zero(width));
    }
    combine_constants(builder, Op::And, width, x, y).or_else(|| narrow(builder, Op::And, width, x, y))
}

pub(super) fn or(builder: &mut BlockBuilder, width: Width, x: Operand, y: Operand) -> Option<Operand> {
    if builder.is_zero(y) || x == y {
        return Some(x);
    }
    if builder.is_ones(y) {
        return Some(y);
    }
    if are_complements(builder, x, y) {
        return Some(builder.constant(Bits::ones(width)));
    }
    combine_constants(builder, Op::Or, width, x, y).or_else(|| narrow(builder, Op::Or, width, x, y))
}

pub(super) fn xor(builder: &mut BlockBuilder, width: Width, x: Operand, y: Operand) -> Option<Operand> {
    if builder.is_zero(y) {
        return Some(x);
    }
    if x == y {
        return Some(builder.zero(width));
    }
    if builder.is_ones(y) {
        return Some(builder.compute(Op::Not, width, &[x]));
    }
    if are_complements(builder, x, y) {
        return Some(builder.constant(Bits::ones(width)));
    }
    if width == Width::W1
        && let Some(less) = compare::signed_less(builder, x, y)
    {
        return Some(less);
    }
    combine_constants(builder, Op::Xor, width, x, y).or_else(|| narrow(builder, Op::Xor, width, x, y))
}

pub(super) fn not(builder: &mut BlockBuilder, width: Width, x: Operand) -> Option<Operand> {
    let (op, [a, b, _]) = builder.definition(x)?;
    // The order of floating-point values is partial: there, only equality has an opposite.
    let (opposite, a, b) = match op {
        Op::Not => return Some(a),
        Op::Eq => (Op::Ne, a, b),
        Op::Ne => (Op::Eq, a, b),
        Op::Ult => (Op::Ule, b, a),
        Op::Ule => (Op::Ult, b, a),
        Op::Slt => (Op::Sle, b, a),
        Op::Sle => (Op::Slt, b, a),
        Op::Feq => (Op::Fne, a, b),
        Op::Fne => (Op::Feq, a, b),
        _ => return None,
    };
    Some(builder.compute(opposite, width, &[a, b]))
}

fn are_complements(builder: &BlockBuilder, x: Operand, y: Operand) -> bool {
    builder.argument_of(Op::Not, x) == Some(y) || builder.argument_of(Op::Not, y) == Some(x)
}

/// `(z op a) op b` is `z op (a op b)`.
fn combine_constants(
    builder: &mut BlockBuilder,
    op: Op,
    width: Width,
    x: Operand,
    y: Operand,
) -> Option<Operand> {
    let b = builder.value(y)?.clone();
    let (z, a) = builder.with_constant(op, x)?;
    let constant = builder.constant(op.apply(width, &[a, b]));
    Some(builder.compute(op, width, &[z, constant]))
}

/// Flags are bytes that hold one bit: operators on extended values are done before the extension.
fn narrow(builder: &mut BlockBuilder, op: Op, width: Width, x: Operand, y: Operand) -> Option<Operand> {
    let a = builder.argument_of(Op::Zext, x)?;
    let inner = builder.width(a);
    let b = match builder.value(y).cloned() {
        Some(value) if op == Op::And => builder.constant(Op::Extract(0).apply(inner, &[value])),
        Some(value) => builder.narrowed(&value, inner)?,
        None => builder.argument_of(Op::Zext, y).filter(|&b| builder.width(b) == inner)?,
    };
    let narrow = builder.compute(op, inner, &[a, b]);
    Some(builder.compute(Op::Zext, width, &[narrow]))
}

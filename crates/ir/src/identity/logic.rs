//! Identities of bitwise operators.

use super::{Algebra, compare};
use crate::{Bits, Op, Width};

pub(super) fn and<A: Algebra>(algebra: &mut A, width: Width, x: A::Value, y: A::Value) -> Option<A::Value> {
    if algebra.is_zero(y) || x == y {
        return Some(y);
    }
    if algebra.is_ones(y) {
        return Some(x);
    }
    if are_complements(algebra, x, y) {
        return Some(algebra.zero(width));
    }
    combine_constants(algebra, Op::And, width, x, y).or_else(|| narrow(algebra, Op::And, width, x, y))
}

pub(super) fn or<A: Algebra>(algebra: &mut A, width: Width, x: A::Value, y: A::Value) -> Option<A::Value> {
    if algebra.is_zero(y) || x == y {
        return Some(x);
    }
    if algebra.is_ones(y) {
        return Some(y);
    }
    if are_complements(algebra, x, y) {
        return Some(algebra.constant(Bits::ones(width)));
    }
    combine_constants(algebra, Op::Or, width, x, y).or_else(|| narrow(algebra, Op::Or, width, x, y))
}

pub(super) fn xor<A: Algebra>(algebra: &mut A, width: Width, x: A::Value, y: A::Value) -> Option<A::Value> {
    if algebra.is_zero(y) {
        return Some(x);
    }
    if x == y {
        return Some(algebra.zero(width));
    }
    if algebra.is_ones(y) {
        return Some(algebra.compute(Op::Not, width, &[x]));
    }
    if are_complements(algebra, x, y) {
        return Some(algebra.constant(Bits::ones(width)));
    }
    if width == Width::W1
        && let Some(less) = compare::signed_less(algebra, x, y)
    {
        return Some(less);
    }
    combine_constants(algebra, Op::Xor, width, x, y).or_else(|| narrow(algebra, Op::Xor, width, x, y))
}

pub(super) fn not<A: Algebra>(algebra: &mut A, width: Width, x: A::Value) -> Option<A::Value> {
    let (op, [a, b, _]) = algebra.definition(x)?;
    // The order of floating-point values is partial: there, only equality can be negated into another comparison.
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
    Some(algebra.compute(opposite, width, &[a, b]))
}

fn are_complements<A: Algebra>(algebra: &A, x: A::Value, y: A::Value) -> bool {
    algebra.argument_of(Op::Not, x) == Some(y) || algebra.argument_of(Op::Not, y) == Some(x)
}

/// `(z op a) op b` is `z op (a op b)`.
fn combine_constants<A: Algebra>(
    algebra: &mut A,
    op: Op,
    width: Width,
    x: A::Value,
    y: A::Value,
) -> Option<A::Value> {
    let b = algebra.value(y)?;
    let (z, a) = algebra.with_constant(op, x)?;
    let constant = algebra.constant(op.apply(width, &[a, b]));
    Some(algebra.compute(op, width, &[z, constant]))
}

/// Hoists a zero extension out of an operator. Flags are bytes that hold one bit, so this makes operations on flags one
/// bit wide.
fn narrow<A: Algebra>(algebra: &mut A, op: Op, width: Width, x: A::Value, y: A::Value) -> Option<A::Value> {
    let a = algebra.argument_of(Op::Zext, x)?;
    let inner = algebra.width(a);
    let b = match algebra.value(y) {
        Some(value) if op == Op::And => algebra.constant(Op::Extract(0).apply(inner, &[value])),
        Some(value) => algebra.narrowed(&value, inner)?,
        None => algebra.argument_of(Op::Zext, y).filter(|&b| algebra.width(b) == inner)?,
    };
    let narrow = algebra.compute(op, inner, &[a, b]);
    Some(algebra.compute(Op::Zext, width, &[narrow]))
}

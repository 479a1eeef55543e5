//! Identities of sums, products and shifts.

use super::Algebra;
use crate::{Op, Width};

pub(super) fn add<A: Algebra>(algebra: &mut A, width: Width, x: A::Value, y: A::Value) -> Option<A::Value> {
    if algebra.is_zero(y) {
        return Some(x);
    }
    add_constants(algebra, Op::Add, width, x, y)
}

pub(super) fn sub<A: Algebra>(algebra: &mut A, width: Width, x: A::Value, y: A::Value) -> Option<A::Value> {
    if algebra.is_zero(y) {
        return Some(x);
    }
    if x == y {
        return Some(algebra.zero(width));
    }
    if algebra.is_zero(x) {
        return Some(algebra.compute(Op::Neg, width, &[y]));
    }
    add_constants(algebra, Op::Sub, width, x, y)
}

/// Reassociates constants, `(z ± a) ± b` to `z ± c`: pushes and pops adjust the stack pointer several times.
fn add_constants<A: Algebra>(
    algebra: &mut A,
    outer: Op,
    width: Width,
    x: A::Value,
    y: A::Value,
) -> Option<A::Value> {
    let b = algebra.value(y)?;
    let inner = [Op::Add, Op::Sub].into_iter().find_map(|op| Some((op, algebra.with_constant(op, x)?)));
    let (inner, (z, a)) = inner?;
    let both = if inner == outer { Op::Add } else { Op::Sub };
    let constant = algebra.constant(both.apply(width, &[b, a]));
    Some(algebra.compute(outer, width, &[z, constant]))
}

pub(super) fn mul<A: Algebra>(algebra: &mut A, x: A::Value, y: A::Value) -> Option<A::Value> {
    if algebra.is_zero(y) {
        return Some(y);
    }
    algebra.is_one(y).then_some(x)
}

pub(super) fn neg<A: Algebra>(algebra: &mut A, width: Width, x: A::Value) -> Option<A::Value> {
    if let Some((a, b)) = algebra.arguments_of(Op::Sub, x) {
        return Some(algebra.compute(Op::Sub, width, &[b, a]));
    }
    algebra.argument_of(Op::Neg, x)
}

pub(super) fn shift<A: Algebra>(
    algebra: &mut A,
    op: Op,
    width: Width,
    x: A::Value,
    amount: A::Value,
) -> Option<A::Value> {
    if algebra.is_zero(amount) || algebra.is_zero(x) {
        return Some(x);
    }
    let amount = algebra.value(amount)?;
    let clears = amount.to_u64().is_none_or(|amount| amount >= u64::from(width.bits()));
    (clears && op != Op::Ashr).then(|| algebra.zero(width))
}

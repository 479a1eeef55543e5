//! Identities of comparisons.

use super::Algebra;
use crate::{Bits, Op, Width};

/// Identities of equality; `op` is `eq` or `ne`.
pub(super) fn equal<A: Algebra>(algebra: &mut A, op: Op, x: A::Value, y: A::Value) -> Option<A::Value> {
    let positive = op == Op::Eq;
    if x == y {
        return Some(algebra.truth(positive));
    }
    let sides = [Op::Xor, Op::Sub].into_iter().find_map(|difference| algebra.arguments_of(difference, x));
    if let Some((a, b)) = sides.filter(|_| algebra.is_zero(y)) {
        return Some(algebra.compute(op, Width::W1, &[a, b]));
    }
    if let Some(value) = algebra.value(y) {
        return equal_to_constant(algebra, op, x, &value);
    }
    if let (Some(a), Some(b)) = (algebra.argument_of(Op::Zext, x), algebra.argument_of(Op::Zext, y))
        && algebra.width(a) == algebra.width(b)
    {
        return Some(algebra.compute(op, Width::W1, &[a, b]));
    }
    let less = signed_less(algebra, x, y)?;
    Some(if positive { algebra.negation(less) } else { less })
}

fn equal_to_constant<A: Algebra>(algebra: &mut A, op: Op, x: A::Value, value: &Bits) -> Option<A::Value> {
    let positive = op == Op::Eq;
    if value.width() == Width::W1 {
        return Some(if value.is_zero() == positive { algebra.negation(x) } else { x });
    }
    let (definition, arguments) = algebra.definition(x)?;
    match definition {
        Op::Zext => {
            let inner = algebra.width(arguments[0]);
            Some(match algebra.narrowed(value, inner) {
                Some(narrow) => algebra.compute(op, Width::W1, &[arguments[0], narrow]),
                None => algebra.truth(!positive),
            })
        }
        Op::Add | Op::Sub | Op::Xor => {
            let moved = algebra.value(arguments[1])?;
            let back = match definition {
                Op::Add => Op::Sub,
                Op::Sub => Op::Add,
                _ => Op::Xor,
            };
            let constant = algebra.constant(back.apply(value.width(), &[value.clone(), moved]));
            Some(algebra.compute(op, Width::W1, &[arguments[0], constant]))
        }
        Op::Select => {
            let then = (algebra.value(arguments[1])? == *value) == positive;
            let otherwise = (algebra.value(arguments[2])? == *value) == positive;
            Some(match (then, otherwise) {
                (true, false) => arguments[0],
                (false, true) => algebra.negation(arguments[0]),
                (same, _) => algebra.truth(same),
            })
        }
        _ => None,
    }
}

/// If two bits are the overflow and the sign flag of one subtraction `a - b`, their exclusive or is the signed
/// comparison `a < b`. Processors with these flags branch on it.
pub(super) fn signed_less<A: Algebra>(algebra: &mut A, x: A::Value, y: A::Value) -> Option<A::Value> {
    for (overflow, sign) in [(x, y), (y, x)] {
        if let Some((a, b)) = algebra.arguments_of(Op::Sborrow, overflow)
            && let Some((difference, zero)) = algebra.arguments_of(Op::Slt, sign)
            && algebra.is_zero(zero)
            && is_difference(algebra, difference, a, b)
        {
            return Some(algebra.compute(Op::Slt, Width::W1, &[a, b]));
        }
    }
    None
}

/// A subtraction of a constant may be represented as an addition.
fn is_difference<A: Algebra>(algebra: &A, difference: A::Value, a: A::Value, b: A::Value) -> bool {
    if algebra.arguments_of(Op::Sub, difference) == Some((a, b)) {
        return true;
    }
    match (algebra.with_constant(Op::Add, difference), algebra.value(b)) {
        (Some((x, addend)), Some(b)) => x == a && addend == Op::Neg.apply(b.width(), &[b]),
        _ => false,
    }
}

pub(super) fn ult<A: Algebra>(algebra: &mut A, x: A::Value, y: A::Value) -> Option<A::Value> {
    if x == y || algebra.is_zero(y) || algebra.is_ones(x) {
        return Some(algebra.truth(false));
    }
    if algebra.is_one(y) {
        let zero = algebra.zero(algebra.width(x));
        return Some(algebra.compute(Op::Eq, Width::W1, &[x, zero]));
    }
    if algebra.is_zero(x) {
        return Some(algebra.compute(Op::Ne, Width::W1, &[y, x]));
    }
    extended(algebra, Op::Ult, x, y)
}

pub(super) fn ule<A: Algebra>(algebra: &mut A, x: A::Value, y: A::Value) -> Option<A::Value> {
    if x == y || algebra.is_zero(x) || algebra.is_ones(y) {
        return Some(algebra.truth(true));
    }
    if algebra.is_zero(y) {
        return Some(algebra.compute(Op::Eq, Width::W1, &[x, y]));
    }
    extended(algebra, Op::Ule, x, y)
}

/// Zero extension preserves the unsigned order.
fn extended<A: Algebra>(algebra: &mut A, op: Op, x: A::Value, y: A::Value) -> Option<A::Value> {
    let (a, b) = match (algebra.argument_of(Op::Zext, x), algebra.argument_of(Op::Zext, y)) {
        (Some(a), Some(b)) if algebra.width(a) == algebra.width(b) => (a, b),
        (Some(a), None) => {
            let value = algebra.value(y)?;
            (a, algebra.narrowed(&value, algebra.width(a))?)
        }
        (None, Some(b)) => {
            let value = algebra.value(x)?;
            (algebra.narrowed(&value, algebra.width(b))?, b)
        }
        _ => return None,
    };
    Some(algebra.compute(op, Width::W1, &[a, b]))
}

//! Dispatch from an operator to its identities.

use super::{Algebra, arithmetic, compare, logic, shape};
use crate::{Op, Width};

/// A value that always equals the computation, if an identity applies.
///
/// The caller has checked the widths, ordered the arguments of a commutative operator with a constant last, and folded
/// computations on constants. An identity may call [`Algebra::compute`] again, with smaller computations.
pub fn simplified<A: Algebra>(
    algebra: &mut A,
    op: Op,
    width: Width,
    arguments: [A::Value; 3],
) -> Option<A::Value> {
    let [x, y, z] = arguments;
    match op {
        Op::Add => arithmetic::add(algebra, width, x, y),
        Op::Sub => arithmetic::sub(algebra, width, x, y),
        Op::Mul => arithmetic::mul(algebra, x, y),
        Op::Udiv | Op::Sdiv => algebra.is_one(y).then_some(x),
        Op::Urem | Op::Srem => algebra.is_one(y).then(|| algebra.zero(width)),
        Op::Neg => arithmetic::neg(algebra, width, x),
        Op::Shl | Op::Lshr | Op::Ashr => arithmetic::shift(algebra, op, width, x, y),
        Op::And => logic::and(algebra, width, x, y),
        Op::Or => logic::or(algebra, width, x, y),
        Op::Xor => logic::xor(algebra, width, x, y),
        Op::Not => logic::not(algebra, width, x),
        Op::Eq | Op::Ne => compare::equal(algebra, op, x, y),
        Op::Ult => compare::ult(algebra, x, y),
        Op::Ule => compare::ule(algebra, x, y),
        Op::Slt => (x == y).then(|| algebra.truth(false)),
        Op::Sle => (x == y).then(|| algebra.truth(true)),
        Op::Carry | Op::Scarry => algebra.is_zero(y).then(|| algebra.truth(false)),
        Op::Sborrow => (x == y || algebra.is_zero(y)).then(|| algebra.truth(false)),
        Op::Zext => shape::zext(algebra, width, x),
        Op::Sext => shape::sext(algebra, width, x),
        Op::Extract(low) => shape::extract(algebra, u32::from(low), width, x),
        Op::Concat => shape::concat(algebra, width, x, y),
        Op::Select => shape::select(algebra, width, x, y, z),
        // These change only the sign bit, so the identities hold for NaN, too.
        Op::Fneg => algebra.argument_of(Op::Fneg, x),
        Op::Fabs => {
            let inner = algebra.argument_of(Op::Fabs, x).or_else(|| algebra.argument_of(Op::Fneg, x))?;
            Some(algebra.compute(Op::Fabs, width, &[inner]))
        }
        _ => None,
    }
}

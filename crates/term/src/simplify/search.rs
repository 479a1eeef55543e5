//! Dispatch of rewrite rules by operator.

use everypath_ir::{Op, Width, simplified as by_identity};

use super::{arithmetic, bits, boolean, compare, disjoint, divide, equal, extract, select, shift};
use crate::{Term, Terms};

/// An equivalent term, if a rule gives one.
///
/// The caller guarantees valid widths, canonical order of commutative arguments, and at least one argument that is not
/// constant.
pub(crate) fn simplified(terms: &mut Terms, op: Op, width: Width, arguments: [Term; 3]) -> Option<Term> {
    if let Some(simpler) = by_identity(terms, op, width, arguments) {
        return Some(simpler);
    }
    let [x, y, z] = arguments;
    match op {
        Op::Add => arithmetic::add(terms, width, x, y).or_else(|| disjoint::joined(terms, op, width, x, y)),
        Op::Sub => arithmetic::sub(terms, width, x, y),
        Op::Neg => arithmetic::neg(terms, width, x),
        Op::Mul => arithmetic::mul(terms, width, x, y),
        Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem => divide::divide(terms, op, width, x, y),
        Op::Shl | Op::Lshr | Op::Ashr => shift::shift(terms, op, width, x, y),
        Op::And => bits::and(terms, width, x, y).or_else(|| boolean::and(terms, width, x, y)),
        Op::Or => {
            let joined = disjoint::joined(terms, op, width, x, y);
            joined.or_else(|| boolean::or(terms, width, x, y))
        }
        Op::Xor => bits::xor(terms, width, x, y).or_else(|| disjoint::joined(terms, op, width, x, y)),
        Op::Eq | Op::Ne => equal::equal(terms, op, x, y),
        Op::Ult | Op::Ule | Op::Slt | Op::Sle => compare::less(terms, op, x, y),
        Op::Carry | Op::Scarry => compare::overflow(terms, op, x, y),
        Op::Zext | Op::Sext => bits::extend(terms, op, width, x),
        Op::Extract(low) => extract::extract(terms, u32::from(low), width, x),
        Op::Concat => extract::concat(terms, width, x, y),
        Op::Select => select::select(terms, width, x, y, z),
        Op::Popcount => bits::popcount(terms, width, x),
        _ => None,
    }
}

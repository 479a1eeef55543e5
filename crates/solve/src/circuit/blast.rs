//! Bit blasting: the circuit of every bit-vector operator.

use std::fmt;

use everypath_ir::{Op, Width};

use super::add::{add, complement, negate_if, subtract};
use super::compare::{equal, less, with_sign_inverted};
use super::count::{count_leading_zeros, count_ones};
use super::divide::{divide, divide_signed};
use super::multiply::multiply;
use super::shift::{shift_left, shift_right};
use super::{Circuit, Literal};

/// An operator without a circuit: one on floating-point values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnsupportedOperator(
    /// The operator.
    pub Op,
);

impl fmt::Display for UnsupportedOperator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} is not translated into a circuit", self.0)
    }
}

impl std::error::Error for UnsupportedOperator {}

/// Builds the circuit of an operator: the bits of its result from those of its arguments, least significant first.
///
/// The widths must satisfy [`Op::check`]; otherwise the function may panic.
///
/// # Errors
/// If the operator is one on floating-point values.
pub fn blast(
    circuit: &mut Circuit,
    op: Op,
    result: Width,
    arguments: &[&[Literal]],
) -> Result<Vec<Literal>, UnsupportedOperator> {
    let width = result.bits() as usize;
    let a = arguments[0];
    // Unary operators never use the others.
    let b = arguments.get(1).copied().unwrap_or_default();
    let bits = match op {
        Op::Add => add(circuit, a, b, Literal::FALSE).bits,
        Op::Sub => subtract(circuit, a, b).bits,
        Op::Mul => multiply(circuit, a, b),
        Op::Udiv => divide(circuit, a, b).0,
        Op::Urem => divide(circuit, a, b).1,
        Op::Sdiv => divide_signed(circuit, a, b).0,
        Op::Srem => divide_signed(circuit, a, b).1,
        Op::And => bitwise(a, b, |a, b| circuit.and(a, b)),
        Op::Or => bitwise(a, b, |a, b| circuit.or(a, b)),
        Op::Xor => bitwise(a, b, |a, b| circuit.xor(a, b)),
        Op::Not => complement(a),
        Op::Neg => negate_if(circuit, Literal::TRUE, a),
        Op::Shl => shift_left(circuit, a, b),
        Op::Lshr => shift_right(circuit, a, b, Literal::FALSE),
        Op::Ashr => shift_right(circuit, a, b, a[a.len() - 1]),
        Op::Eq => vec![equal(circuit, a, b)],
        Op::Ne => vec![!equal(circuit, a, b)],
        Op::Ult => vec![less(circuit, a, b)],
        Op::Ule => vec![!less(circuit, b, a)],
        Op::Slt => vec![less(circuit, &with_sign_inverted(a), &with_sign_inverted(b))],
        Op::Sle => vec![!less(circuit, &with_sign_inverted(b), &with_sign_inverted(a))],
        Op::Carry => vec![add(circuit, a, b, Literal::FALSE).carry],
        Op::Scarry => vec![add(circuit, a, b, Literal::FALSE).signed_overflow(circuit)],
        Op::Sborrow => vec![subtract(circuit, a, b).signed_overflow(circuit)],
        Op::Zext => fitted(a, width),
        Op::Sext => a.iter().copied().chain(std::iter::repeat(a[a.len() - 1])).take(width).collect(),
        Op::Extract(low) => a[usize::from(low)..][..width].to_vec(),
        Op::Concat => [b, a].concat(),
        Op::Select => bitwise(b, arguments[2], |then, otherwise| circuit.select(a[0], then, otherwise)),
        Op::Popcount => fitted(&count_ones(circuit, a), width),
        Op::Lzcount => fitted(&count_leading_zeros(circuit, a), width),
        Op::Fadd
        | Op::Fsub
        | Op::Fmul
        | Op::Fdiv
        | Op::Fneg
        | Op::Fabs
        | Op::Fsqrt
        | Op::Fceil
        | Op::Ffloor
        | Op::Fround
        | Op::Feq
        | Op::Fne
        | Op::Flt
        | Op::Fle
        | Op::Fisnan
        | Op::Int2float
        | Op::Float2float
        | Op::Float2int => return Err(UnsupportedOperator(op)),
    };
    debug_assert_eq!(bits.len(), width, "{op} gives a result of the width asked for");
    Ok(bits)
}

fn bitwise(a: &[Literal], b: &[Literal], mut gate: impl FnMut(Literal, Literal) -> Literal) -> Vec<Literal> {
    a.iter().zip(b).map(|(&a, &b)| gate(a, b)).collect()
}

/// The low bits, zero-extended if there are too few.
fn fitted(bits: &[Literal], width: usize) -> Vec<Literal> {
    bits.iter().copied().chain(std::iter::repeat(Literal::FALSE)).take(width).collect()
}

//! Which identities are tried for which operator.

use super::{arithmetic, compare, logic, shape};
use crate::{Bits, BlockBuilder, Op, Operand, Width};

impl BlockBuilder {
    /// An operand that always has the same value as the computation, if an identity gives one.
    ///
    /// The widths are right, the arguments of a commutative operator in order with a constant last, and not all
    /// arguments are constant. An identity may compute again, with something smaller.
    pub(crate) fn simplified(&mut self, op: Op, width: Width, arguments: [Operand; 3]) -> Option<Operand> {
        let [x, y, z] = arguments;
        match op {
            Op::Add => arithmetic::add(self, width, x, y),
            Op::Sub => arithmetic::sub(self, width, x, y),
            Op::Mul => arithmetic::mul(self, x, y),
            Op::Udiv | Op::Sdiv => self.is_one(y).then_some(x),
            Op::Urem | Op::Srem => self.is_one(y).then(|| self.zero(width)),
            Op::Neg => arithmetic::neg(self, width, x),
            Op::Shl | Op::Lshr | Op::Ashr => arithmetic::shift(self, op, width, x, y),
            Op::And => logic::and(self, width, x, y),
            Op::Or => logic::or(self, width, x, y),
            Op::Xor => logic::xor(self, width, x, y),
            Op::Not => logic::not(self, width, x),
            Op::Eq | Op::Ne => compare::equal(self, op, x, y),
            Op::Ult => compare::ult(self, x, y),
            Op::Ule => compare::ule(self, x, y),
            Op::Slt => (x == y).then(|| self.truth(false)),
            Op::Sle => (x == y).then(|| self.truth(true)),
            Op::Carry | Op::Scarry => self.is_zero(y).then(|| self.truth(false)),
            Op::Sborrow => (x == y || self.is_zero(y)).then(|| self.truth(false)),
            Op::Zext => shape::zext(self, width, x),
            Op::Sext => shape::sext(self, width, x),
            Op::Extract(low) => shape::extract(self, u32::from(low), width, x),
            Op::Concat => shape::concat(self, width, x, y),
            Op::Select => shape::select(self, width, x, y, z),
            // These only touch the sign bit, so this holds for what is not a number too.
            Op::Fneg => self.argument_of(Op::Fneg, x),
            Op::Fabs => {
                let inner = self.argument_of(Op::Fabs, x).or_else(|| self.argument_of(Op::Fneg, x))?;
                Some(self.compute(Op::Fabs, width, &[inner]))
            }
            _ => None,
        }
    }

    /// The argument of the computation that defines the operand, if that is this operator of one argument.
    pub(super) fn argument_of(&self, op: Op, operand: Operand) -> Option<Operand> {
        self.definition(operand).filter(|definition| definition.0 == op).map(|definition| definition.1[0])
    }

    /// The arguments of the computation that defines the operand, if that is this operator of two arguments.
    pub(super) fn arguments_of(&self, op: Op, operand: Operand) -> Option<(Operand, Operand)> {
        self.definition(operand)
            .filter(|definition| definition.0 == op)
            .map(|definition| (definition.1[0], definition.1[1]))
    }

    /// The same, if the second argument is a constant.
    pub(super) fn with_constant(&self, op: Op, operand: Operand) -> Option<(Operand, Bits)> {
        let (x, constant) = self.arguments_of(op, operand)?;
        Some((x, self.value(constant)?.clone()))
    }

    pub(super) fn is_zero(&self, operand: Operand) -> bool {
        self.value(operand).is_some_and(Bits::is_zero)
    }

    pub(super) fn is_one(&self, operand: Operand) -> bool {
        self.value(operand).is_some_and(|value| value.to_u64() == Some(1))
    }

    pub(super) fn is_ones(&self, operand: Operand) -> bool {
        self.value(operand).is_some_and(Bits::is_ones)
    }

    pub(super) fn zero(&mut self, width: Width) -> Operand {
        self.constant(Bits::zero(width))
    }

    pub(super) fn truth(&mut self, value: bool) -> Operand {
        self.constant(Bits::from(value))
    }

    /// The negation of one bit.
    pub(super) fn negation(&mut self, operand: Operand) -> Operand {
        self.compute(Op::Not, Width::W1, &[operand])
    }

    /// The low bits of a constant if the bits above are zero.
    pub(super) fn narrowed(&mut self, value: &Bits, width: Width) -> Option<Operand> {
        let low = Op::Extract(0).apply(width, std::slice::from_ref(value));
        let fits = Op::Zext.apply(value.width(), std::slice::from_ref(&low)) == *value;
        fits.then(|| self.constant(low))
    }
}

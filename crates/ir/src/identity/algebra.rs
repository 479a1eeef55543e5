//! The interface between the identities and the representations that they simplify.

use crate::{Bits, Op, Width};

/// A representation of computed values: the operands of a block, the terms of a path condition.
///
/// The identities are generic over this trait, so that blocks and terms are simplified by the same rules.
pub trait Algebra {
    /// A handle of a value. Equal handles denote equal values; different handles may denote equal values, too.
    type Value: Copy + Eq;

    /// The width of a value.
    fn width(&self, value: Self::Value) -> Width;

    /// The bits of a value, if it is a constant.
    fn value(&self, value: Self::Value) -> Option<Bits>;

    /// The computation that defines a value, if there is one. Argument slots beyond the operator's arity are
    /// unspecified.
    fn definition(&self, value: Self::Value) -> Option<(Op, [Self::Value; 3])>;

    /// The handle of a constant.
    fn constant(&mut self, bits: Bits) -> Self::Value;

    /// The handle of a computation, which is simplified recursively.
    fn compute(&mut self, op: Op, width: Width, arguments: &[Self::Value]) -> Self::Value;

    /// Whether the value is the constant zero.
    fn is_zero(&self, value: Self::Value) -> bool {
        self.value(value).is_some_and(|bits| bits.is_zero())
    }

    /// Whether the value is the constant one.
    fn is_one(&self, value: Self::Value) -> bool {
        self.value(value).is_some_and(|bits| bits.to_u64() == Some(1))
    }

    /// Whether the value is the constant whose bits are all one.
    fn is_ones(&self, value: Self::Value) -> bool {
        self.value(value).is_some_and(|bits| bits.is_ones())
    }

    /// The argument of the value's definition, if that is the unary operator `op`.
    fn argument_of(&self, op: Op, value: Self::Value) -> Option<Self::Value> {
        self.definition(value).filter(|definition| definition.0 == op).map(|definition| definition.1[0])
    }

    /// The arguments of the value's definition, if that is the binary operator `op`.
    fn arguments_of(&self, op: Op, value: Self::Value) -> Option<(Self::Value, Self::Value)> {
        self.definition(value)
            .filter(|definition| definition.0 == op)
            .map(|definition| (definition.1[0], definition.1[1]))
    }

    /// The same, if the second argument is a constant.
    fn with_constant(&self, op: Op, value: Self::Value) -> Option<(Self::Value, Bits)> {
        let (x, constant) = self.arguments_of(op, value)?;
        Some((x, self.value(constant)?))
    }

    /// Zero.
    fn zero(&mut self, width: Width) -> Self::Value {
        self.constant(Bits::zero(width))
    }

    /// The one-bit constant of a truth value.
    fn truth(&mut self, value: bool) -> Self::Value {
        self.constant(Bits::from(value))
    }

    /// The negation of one bit.
    fn negation(&mut self, value: Self::Value) -> Self::Value {
        self.compute(Op::Not, Width::W1, &[value])
    }

    /// The constant truncated to `width`, if that loses no set bit.
    fn narrowed(&mut self, bits: &Bits, width: Width) -> Option<Self::Value> {
        let low = Op::Extract(0).apply(width, std::slice::from_ref(bits));
        let fits = Op::Zext.apply(bits.width(), std::slice::from_ref(&low)) == *bits;
        fits.then(|| self.constant(low))
    }
}

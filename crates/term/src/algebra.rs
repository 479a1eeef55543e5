//! Terms as an algebra to which the IR's algebraic identities apply.

use everypath_ir::{Algebra, Bits, Op, Width, Word};

use crate::{Term, Terms};

impl Algebra for Terms {
    type Value = Term;

    fn width(&self, value: Term) -> Width {
        Terms::width(self, value)
    }

    fn value(&self, value: Term) -> Option<Bits> {
        self.as_constant(value)
    }

    fn definition(&self, value: Term) -> Option<(Op, [Term; 3])> {
        self.applied(value)
    }

    fn constant(&mut self, bits: Bits) -> Term {
        Terms::constant(self, &bits)
    }

    fn compute(&mut self, op: Op, width: Width, arguments: &[Term]) -> Term {
        Terms::compute(self, op, width, arguments)
    }

    fn is_zero(&self, value: Term) -> bool {
        self.as_u64(value) == Some(0) || self.is_wide(value, Bits::is_zero)
    }

    fn is_one(&self, value: Term) -> bool {
        self.as_u64(value) == Some(1) || self.is_wide(value, |bits| bits.to_u64() == Some(1))
    }

    fn is_ones(&self, value: Term) -> bool {
        match self.as_u64(value) {
            Some(word) => word == u64::mask(Terms::width(self, value)),
            None => self.is_wide(value, Bits::is_ones),
        }
    }
}

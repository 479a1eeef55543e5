//! Literals: a gate's output or its complement.

use std::fmt;
use std::ops::{BitXor, Not};

/// The output of a gate or its complement: the gate number, with the sign in the lowest bit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal(u32);

impl Literal {
    /// Zero: the output of gate 0, which every circuit has.
    pub const FALSE: Literal = Literal(0);
    /// One.
    pub const TRUE: Literal = Literal(1);

    /// The output of a gate, not complemented.
    #[inline]
    pub(super) fn of_gate(gate: usize) -> Literal {
        let gate = u32::try_from(gate).ok().filter(|gate| gate >> 31 == 0);
        Literal(gate.expect("a circuit has fewer than 2^31 gates") << 1)
    }

    /// The literal of a truth value.
    #[inline]
    #[must_use]
    pub fn constant(value: bool) -> Literal {
        Literal(u32::from(value))
    }

    /// The number of the gate.
    #[inline]
    #[must_use]
    pub fn gate(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Returns true if the output is complemented.
    #[inline]
    #[must_use]
    pub fn is_complement(self) -> bool {
        self.0 & 1 == 1
    }

    /// The output of the gate, not complemented.
    #[inline]
    #[must_use]
    pub fn positive(self) -> Literal {
        Literal(self.0 & !1)
    }

    /// The constant value, if the literal is one of the two constants.
    #[inline]
    #[must_use]
    pub fn as_constant(self) -> Option<bool> {
        (self.0 < 2).then_some(self.0 == 1)
    }
}

impl Not for Literal {
    type Output = Literal;

    #[inline]
    fn not(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}

/// The literal, complemented if the condition holds.
impl BitXor<bool> for Literal {
    type Output = Literal;

    #[inline]
    fn bitxor(self, complement: bool) -> Literal {
        Literal(self.0 ^ u32::from(complement))
    }
}

impl fmt::Debug for Literal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.as_constant() {
            Some(value) => write!(formatter, "{value}"),
            None if self.is_complement() => write!(formatter, "!g{}", self.gate()),
            None => write!(formatter, "g{}", self.gate()),
        }
    }
}

//! Operands of statements: temporaries and constants, packed into four bytes.

use std::fmt;
use std::num::NonZeroU32;

/// A temporary of a block, in static single assignment form: exactly one statement defines it, and its scope is the
/// block.
///
/// Temporaries are numbered from zero in definition order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Temp(NonZeroU32);

/// An upper bound of the number of temporaries, and of constants, in a block.
const LIMIT: u32 = u32::MAX / 2 - 1;

impl Temp {
    /// The temporary of this number.
    ///
    /// # Panics
    /// If the number is 2^31 - 2 or more.
    #[inline]
    #[must_use]
    pub const fn new(number: u32) -> Temp {
        assert!(number < LIMIT, "a block has fewer temporaries");
        match NonZeroU32::new(number + 1) {
            Some(number) => Temp(number),
            None => unreachable!(),
        }
    }

    /// The number, to look up in [`crate::Block::temps`] and in tables of the same shape.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        (self.0.get() - 1) as usize
    }
}

impl fmt::Display for Temp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "t{}", self.index())
    }
}

impl fmt::Debug for Temp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")
    }
}

/// A temporary or a constant of a block, in four bytes; so is an `Option<Operand>`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Operand(NonZeroU32);

/// The two kinds of [`Operand`], unpacked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OperandKind {
    /// A temporary.
    Temp(Temp),
    /// A constant, by its index in [`crate::Block::constants`].
    Constant(usize),
}

impl Operand {
    /// Fills the argument slots beyond an operator's arity. It is neither a temporary nor a constant of any block.
    pub const FILLER: Operand = Operand(NonZeroU32::MAX);

    /// The temporary as an operand.
    #[inline]
    #[must_use]
    pub const fn temp(temp: Temp) -> Operand {
        match temp.0.checked_mul(NonZeroU32::MIN.saturating_add(1)) {
            Some(encoded) => Operand(encoded),
            None => unreachable!(),
        }
    }

    /// The constant at this index of a block's constants, as an operand.
    ///
    /// # Panics
    /// If the index is 2^31 - 2 or more.
    #[inline]
    #[must_use]
    pub const fn constant(index: usize) -> Operand {
        assert!(index < LIMIT as usize, "a block has fewer constants");
        match NonZeroU32::new(index as u32 * 2 + 1) {
            Some(encoded) => Operand(encoded),
            None => unreachable!(),
        }
    }

    /// Unpacks the operand.
    #[inline]
    #[must_use]
    pub const fn kind(self) -> OperandKind {
        let encoded = self.0.get();
        match NonZeroU32::new(encoded / 2) {
            Some(number) if encoded.is_multiple_of(2) => OperandKind::Temp(Temp(number)),
            _ => OperandKind::Constant((encoded / 2) as usize),
        }
    }

    /// The temporary, if it is one.
    #[inline]
    #[must_use]
    pub const fn as_temp(self) -> Option<Temp> {
        match self.kind() {
            OperandKind::Temp(temp) => Some(temp),
            OperandKind::Constant(_) => None,
        }
    }

    /// Whether it is a constant.
    #[inline]
    #[must_use]
    pub const fn is_constant(self) -> bool {
        !self.0.get().is_multiple_of(2)
    }
}

impl From<Temp> for Operand {
    fn from(temp: Temp) -> Operand {
        Operand::temp(temp)
    }
}

impl fmt::Debug for Operand {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Operand::FILLER {
            return formatter.write_str("-");
        }
        match self.kind() {
            OperandKind::Temp(temp) => write!(formatter, "{temp}"),
            OperandKind::Constant(index) => write!(formatter, "c{index}"),
        }
    }
}

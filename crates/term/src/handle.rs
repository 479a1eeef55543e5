//! The small values by which terms, arrays and input bytes are named.

use std::fmt;
use std::num::NonZeroU32;

/// The number of an input byte.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Input(pub u32);

/// A term of a pool, in four bytes; so is an `Option<Term>`.
///
/// Equal terms of one pool are the same number. A term is valid until a collection that it does not survive
/// ([`crate::Terms::collect`]).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(NonZeroU32);

/// An array of bytes in a pool: constant data, or an array after a store. It is valid as long as a [`Term`] would be.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Array(NonZeroU32);

impl Term {
    /// A number for tables that are looked up by terms; numbers of collected terms are used again.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0.get() as usize
    }

    pub(crate) fn new(slot: u32) -> Term {
        Term(NonZeroU32::new(slot).expect("slot 0 of a pool is never used"))
    }

    pub(crate) const fn slot(self) -> u32 {
        self.0.get()
    }
}

impl Array {
    /// A number for tables that are looked up by arrays; no term of the pool has the same one.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0.get() as usize
    }

    pub(crate) fn new(slot: u32) -> Array {
        Array(NonZeroU32::new(slot).expect("slot 0 of a pool is never used"))
    }

    pub(crate) const fn slot(self) -> u32 {
        self.0.get()
    }
}

impl fmt::Debug for Term {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "t{}", self.0)
    }
}

impl fmt::Debug for Array {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a{}", self.0)
    }
}

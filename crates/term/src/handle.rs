//! Handles of terms, arrays and input bytes.

use std::fmt;
use std::num::NonZeroU32;

/// The number of an input byte.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Input(pub u32);

/// A handle of a term in a pool, four bytes; an `Option<Term>` is not larger.
///
/// Terms are hash-consed: structurally equal terms of one pool are the same handle. A handle is valid until a
/// collection that the term does not survive ([`crate::Terms::collect`]).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(NonZeroU32);

/// A handle of a byte array in a pool: a constant table, or an array after a store. It is valid as long as a [`Term`]
/// would be.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Array(NonZeroU32);

impl Term {
    /// The index for tables keyed by terms; indices of collected terms are reused.
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
    /// The index for tables keyed by arrays; no term of the pool has the same one.
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

//! The representation of a term in the pool.

use std::hash::{Hash, Hasher};

use everypath_ir::{Op, Width};
use rustc_hash::FxHasher;

use crate::input_set::InputSet;

/// The kind of a pool slot, which determines the meaning of its three arguments.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Kind {
    /// Nothing; the slot is on the free list.
    Free,
    /// A constant of at most 64 bits: its low and its high half.
    Narrow,
    /// A wider constant: its index among the wide ones.
    Wide,
    /// An input byte: its number.
    Input,
    /// An operator with its arguments.
    Apply(Op),
    /// The byte of an array at an index.
    Read,
    /// A constant table: its index among the tables. The width is that of an index.
    Table,
    /// An array with a value stored at an index. The width is that of an index.
    Store,
}

/// A slot of the pool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) width: Width,
    /// True if the term is in normal form; a term built without simplification may not be.
    pub(crate) simplest: bool,
    pub(crate) arguments: [u32; 3],
    /// The index of its facts; zero if nothing is known.
    pub(crate) facts: u32,
    pub(crate) inputs: InputSet,
}

impl Node {
    /// The constant that a narrow node holds.
    #[inline]
    pub(crate) fn word(&self) -> u64 {
        u64::from(self.arguments[0]) | u64::from(self.arguments[1]) << 32
    }

    /// The arguments that are slots of the pool.
    #[inline]
    pub(crate) fn slots(&self) -> &[u32] {
        let count = match self.kind {
            Kind::Apply(op) => op.arity(),
            Kind::Read => 2,
            Kind::Store => 3,
            _ => 0,
        };
        &self.arguments[..count]
    }

    /// Returns true if some arguments decide the value alone: a selection, and a conjunction or disjunction of bits.
    #[inline]
    pub(crate) fn is_lazy(&self) -> bool {
        match self.kind {
            Kind::Apply(Op::Select) => true,
            Kind::Apply(Op::And | Op::Or) => self.width == Width::W1,
            _ => false,
        }
    }

    /// The bit that decides a conjunction or disjunction of bits if it is an argument.
    #[inline]
    pub(crate) fn absorbing(&self) -> u64 {
        u64::from(self.kind == Kind::Apply(Op::Or))
    }

    #[inline]
    pub(crate) fn hash_key(&self) -> u64 {
        key_hash(self.kind, self.width, self.arguments)
    }

    #[inline]
    pub(crate) fn is(&self, kind: Kind, width: Width, arguments: [u32; 3]) -> bool {
        self.arguments == arguments && self.width == width && self.kind == kind
    }
}

/// The hash of the structural key of a node.
#[inline]
pub(crate) fn key_hash(kind: Kind, width: Width, arguments: [u32; 3]) -> u64 {
    let mut hasher = FxHasher::default();
    kind.hash(&mut hasher);
    hasher.write_u64(u64::from(width.bits()) << 32 | u64::from(arguments[0]));
    hasher.write_u64(u64::from(arguments[1]) << 32 | u64::from(arguments[2]));
    hasher.finish()
}

#[cfg(test)]
mod checks {
    use super::Node;

    #[test]
    fn a_node_is_as_small_as_the_documentation_says() {
        assert_eq!(size_of::<Node>(), 28);
    }
}

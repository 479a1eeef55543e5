//! The abstract value of a term: known bits and unsigned range.

use everypath_ir::{Op, Width, Word};

use crate::node::{Kind, Node};
use crate::{Term, Terms};

/// Known bits and unsigned range of a value of at most 64 bits.
///
/// For a wider value no bit is known, and the range is meaningless.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// The bits known to be zero.
    pub zeros: u64,
    /// The bits known to be one.
    pub ones: u64,
    /// The unsigned lower bound.
    pub least: u64,
    /// The unsigned upper bound.
    pub greatest: u64,
}

impl Facts {
    /// The top element: nothing is known.
    #[must_use]
    pub fn nothing(width: Width) -> Facts {
        let greatest = if width <= Width::W64 { u64::mask(width) } else { u64::MAX };
        Facts { zeros: 0, ones: 0, least: 0, greatest }
    }

    /// The abstract value of a constant.
    #[must_use]
    pub fn exactly(value: u64, width: Width) -> Facts {
        Facts { zeros: !value & u64::mask(width), ones: value, least: value, greatest: value }
    }

    /// Reduces the product: known bits tighten the range, and the range implies known bits.
    #[must_use]
    pub(super) fn reduced(mut self, width: Width) -> Facts {
        let mask = u64::mask(width);
        self.least = self.least.max(self.ones);
        self.greatest = self.greatest.min(mask & !self.zeros);
        // The common prefix of both bounds is the same for all values between them.
        let differ = self.least ^ self.greatest;
        let common = if differ == 0 { mask } else { mask & !(u64::MAX >> differ.leading_zeros()) };
        self.ones |= self.least & common;
        self.zeros |= !self.least & common;
        self
    }

    /// The value, if only one is possible.
    #[must_use]
    pub fn only(&self) -> Option<u64> {
        (self.least == self.greatest).then_some(self.least)
    }
}

/// The facts of the terms of which something is known.
#[derive(Clone, Debug)]
pub(crate) struct FactStore {
    known: Vec<Facts>,
    free: Vec<u32>,
}

impl FactStore {
    pub(crate) fn new() -> FactStore {
        FactStore { known: vec![Facts { zeros: 0, ones: 0, least: 0, greatest: 0 }], free: Vec::new() }
    }

    pub(crate) fn insert(&mut self, facts: Facts, width: Width) -> u32 {
        if facts == Facts::nothing(width) {
            return 0;
        }
        match self.free.pop() {
            Some(place) => {
                self.known[place as usize] = facts;
                place
            }
            None => {
                self.known.push(facts);
                self.known.len() as u32 - 1
            }
        }
    }

    pub(crate) fn remove(&mut self, place: u32) {
        if place != 0 {
            self.free.push(place);
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.known.capacity() * size_of::<Facts>() + self.free.capacity() * 4
    }
}

impl Terms {
    #[inline]
    pub(crate) fn facts_of(&self, node: &Node) -> Facts {
        match node.kind {
            Kind::Narrow => Facts::exactly(node.word(), node.width),
            _ if node.facts == 0 => Facts::nothing(node.width),
            _ => self.facts.known[node.facts as usize],
        }
    }

    /// Returns true if two terms of one width differ for every input: by known bits, by ranges, or as one base with
    /// different constant offsets.
    pub(crate) fn certainly_differ(&self, a: Term, b: Term) -> bool {
        let (known, other) = (self.facts(a), self.facts(b));
        let apart = known.greatest < other.least || other.greatest < known.least;
        if known.zeros & other.ones != 0
            || known.ones & other.zeros != 0
            || apart && self.width(a) <= Width::W64
        {
            return true;
        }
        let base = |term: Term| match self.applied(term) {
            Some((Op::Add, [base, offset, _])) if self.is_constant(offset) => (base, Some(offset)),
            _ => (term, None),
        };
        let ((base, offset), (other_base, other_offset)) = (base(a), base(b));
        base == other_base && offset != other_offset
    }
}

//! Decision trees of SLEIGH (Ramsey and Fernández 1997 for its ancestor SLED): select the constructor that matches
//! instruction and context bits.

use crate::bad::BadInstruction;
use crate::context::DecodingContext;
use crate::field::Window;
use crate::table::{Span, Tables};

/// A node of a decision tree. The children of a branch are consecutive.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Decision {
    /// Selects the child numbered by the `size` bits from `start` on.
    Branch { in_context: bool, start: u16, size: u8, first: u32 },
    /// Tries these patterns in order.
    Leaf(Span),
}

/// Masks and values that instruction and context bits must match for a constructor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pattern {
    pub(crate) mask: u128,
    pub(crate) value: u128,
    pub(crate) context_mask: u128,
    pub(crate) context_value: u128,
    /// The constructor that matches.
    pub(crate) constructor: u32,
}

impl Tables {
    /// Finds the constructor of a table for the bytes at `offset`.
    #[inline]
    pub(crate) fn choose(
        &self,
        subtable: u32,
        window: &Window,
        offset: usize,
        context: DecodingContext,
    ) -> Result<u32, BadInstruction> {
        let root = self.subtables[subtable as usize].root.ok_or(BadInstruction::Inconsistent)?;
        let mut node = self.decisions[root as usize];
        loop {
            match node {
                Decision::Branch { in_context, start, size, first } => {
                    let (start, size) = (u32::from(start), u32::from(size));
                    let value = if in_context {
                        context.bits(start, size)
                    } else {
                        window.bits(offset, start, size)?
                    };
                    node = self.decisions[first as usize + value as usize];
                }
                Decision::Leaf(patterns) => {
                    let bytes = window.at(offset)?;
                    return self.patterns[patterns.range()]
                        .iter()
                        .find(|pattern| {
                            bytes & pattern.mask == pattern.value
                                && context.0 & pattern.context_mask == pattern.context_value
                        })
                        .map(|pattern| pattern.constructor)
                        .ok_or(BadInstruction::NoMatch);
                }
            }
        }
    }
}

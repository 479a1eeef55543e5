//! Redundant-load elimination and store-to-load forwarding within one instruction: an instruction accesses its memory
//! operand once.
//!
//! A specification names the memory operand of an instruction wherever its value matters: in the result and in each flag.
//! P-code then loads it each time, and after a read-modify-write loads back what was just stored. A processor makes one
//! access. For plain memory both are the same; a memory-mapped register would be read several times, and give each flag
//! another value.
//!
//! *Invariant*: between two loads of one instruction that this takes for one, nothing stores to memory they may overlap
//! and no user operation happens. Nothing is remembered from one instruction to the next.

use everypath_ir::{Algebra, BlockBuilder, Op, Operand, SpaceId, Width};

/// A memory access of an instruction: the space, the address, and the condition under which it happens, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) space: SpaceId,
    pub(super) address: Operand,
    pub(super) guard: Option<Operand>,
}

/// Bytes whose contents are known: they were loaded or stored before by the same instruction.
#[derive(Clone, Copy, Debug)]
struct Known {
    space: SpaceId,
    at: Address,
    size: u64,
    guard: Option<Operand>,
    value: Operand,
}

/// An address as a base, if it is not constant, and a distance from it.
#[derive(Clone, Copy, Debug)]
struct Address {
    base: Option<Operand>,
    distance: u64,
    /// The bits that an address has.
    mask: u64,
}

impl Address {
    /// `None` if the address has more than 64 bits.
    fn of(builder: &BlockBuilder, address: Operand) -> Option<Address> {
        let width = builder.width(address);
        if width > Width::W64 {
            return None;
        }
        let mask = u64::MAX >> (64 - width.bits());
        if let Some(value) = builder.value(address) {
            return Some(Address { base: None, distance: value.to_u64()?, mask });
        }
        let sum = builder.with_constant(Op::Add, address);
        let (base, distance) = match sum.and_then(|(base, distance)| Some((base, distance.to_u64()?))) {
            Some(parts) => parts,
            None => (address, 0),
        };
        Some(Address { base: Some(base), distance, mask })
    }

    /// How far this address lies behind another one; `None` if that is not known.
    fn behind(self, other: Address) -> Option<u64> {
        let comparable = self.base == other.base && self.mask == other.mask;
        comparable.then_some(self.distance.wrapping_sub(other.distance) & self.mask)
    }
}

/// The memory that the instruction at hand has accessed.
#[derive(Debug, Default)]
pub(super) struct InstructionAccesses {
    known: Vec<Known>,
}

impl InstructionAccesses {
    /// Forgets everything: a new instruction begins, or something else may have changed memory.
    pub(super) fn clear(&mut self) {
        self.known.clear();
    }

    /// The value that the instruction has loaded or stored there before, with the number of bytes of it that lie at lower
    /// addresses and its size.
    pub(super) fn find(
        &self,
        builder: &BlockBuilder,
        access: Access,
        width: Width,
    ) -> Option<(Operand, u64, u64)> {
        let at = Address::of(builder, access.address)?;
        let size = width.bytes() as u64;
        self.known.iter().rev().find_map(|known| {
            let happened = known.guard.is_none() || known.guard == access.guard;
            let before = at.behind(known.at).filter(|_| happened && known.space == access.space)?;
            let inside = before.checked_add(size)? <= known.size;
            inside.then_some((known.value, before, known.size))
        })
    }

    /// Remembers what was loaded.
    pub(super) fn loaded(&mut self, builder: &BlockBuilder, access: Access, value: Operand) {
        // A constant is what a load whose guard never holds gives: nothing was loaded.
        if let Some(at) = Address::of(builder, access.address).filter(|_| !value.is_constant()) {
            let size = builder.width(value).bytes() as u64;
            self.known.push(Known { space: access.space, at, size, guard: access.guard, value });
        }
    }

    /// Remembers what is stored, and forgets what that may overwrite.
    pub(super) fn stored(&mut self, builder: &BlockBuilder, access: Access, value: Operand) {
        let Some(at) = Address::of(builder, access.address) else { return self.clear() };
        let size = builder.width(value).bytes() as u64;
        self.known.retain(|known| {
            let apart = match (at.behind(known.at), known.at.behind(at)) {
                (Some(behind), Some(before)) => behind >= known.size && before >= size,
                _ => false,
            };
            known.space != access.space || apart
        });
        self.known.push(Known { space: access.space, at, size, guard: access.guard, value });
    }
}

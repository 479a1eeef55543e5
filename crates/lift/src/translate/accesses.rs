//! Redundant-load elimination and store-to-load forwarding within one instruction: an instruction accesses its memory
//! operand once.
//!
//! A specification names the memory operand of an instruction wherever it uses the value: in the result and in each
//! flag. P-code then loads it each time, and after a read-modify-write loads the stored value back. A processor makes
//! one access. For plain memory both are equivalent; a memory-mapped register would be read several times, and might
//! give each flag another value.
//!
//! *Invariant*: between two loads of one instruction that are merged, no store may overlap them and no user operation
//! occurs. Nothing is carried over from one instruction to the next.

use everypath_ir::{Algebra, BlockBuilder, Op, Operand, SpaceId, Width};

/// A memory access of an instruction: the space, the address, and the guard, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) space: SpaceId,
    pub(super) address: Operand,
    pub(super) guard: Option<Operand>,
}

/// Bytes with known contents: the same instruction has loaded or stored them.
#[derive(Clone, Copy, Debug)]
struct Known {
    space: SpaceId,
    at: Address,
    size: u64,
    guard: Option<Operand>,
    value: Operand,
}

/// An address as a constant offset from a base; a constant address has no base.
#[derive(Clone, Copy, Debug)]
struct Address {
    base: Option<Operand>,
    distance: u64,
    /// The mask of the address's width.
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

    /// The distance from another address to this one; `None` if it is unknown.
    fn behind(self, other: Address) -> Option<u64> {
        let comparable = self.base == other.base && self.mask == other.mask;
        comparable.then_some(self.distance.wrapping_sub(other.distance) & self.mask)
    }
}

/// The memory that the current instruction has accessed.
#[derive(Debug, Default)]
pub(super) struct InstructionAccesses {
    known: Vec<Known>,
}

impl InstructionAccesses {
    /// Forgets everything: a new instruction begins, or memory may have changed otherwise.
    pub(super) fn clear(&mut self) {
        self.known.clear();
    }

    /// The value that the instruction has loaded from or stored to memory that covers the access, with its size and the
    /// number of its bytes below the access.
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

    /// Records a load.
    pub(super) fn loaded(&mut self, builder: &BlockBuilder, access: Access, value: Operand) {
        // A load whose guard is constantly zero yields a constant: nothing was loaded.
        if let Some(at) = Address::of(builder, access.address).filter(|_| !value.is_constant()) {
            let size = builder.width(value).bytes() as u64;
            self.known.push(Known { space: access.space, at, size, guard: access.guard, value });
        }
    }

    /// Records a store, and forgets the values that it may overwrite.
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

//! Load forwarding for computed addresses that are bounded near zero: the register banks of small processors.

use crate::identity::possible_bits;
use crate::{Algebra, BlockBuilder, Location, Op, Operand, SpaceId, Width};

/// The size in bytes of the near region at the start of a space.
const NEAR: u64 = 64;

/// The known value at a computed address.
#[derive(Clone, Copy, Debug)]
struct Entry {
    space: SpaceId,
    address: Operand,
    value: Operand,
    width: Width,
    /// An upper bound of the offsets of its bytes, exclusive.
    end: u64,
}

/// The known values at computed addresses near the start of a space, at the current point of a block.
#[derive(Debug, Default)]
pub(crate) struct NearPlaces {
    entries: Vec<Entry>,
}

impl NearPlaces {
    /// The size of the region from the start of the space that an access can touch, if it is near. The bound comes from
    /// the known bits of the address.
    pub(crate) fn reach(builder: &BlockBuilder, address: Operand, width: Width) -> Option<Width> {
        let highest =
            if builder.width(address) <= Width::W64 { possible_bits(builder, address) } else { NEAR };
        let end = highest.checked_add(width.bytes() as u64).filter(|end| *end <= NEAR)?;
        Width::of_bytes(end as usize)
    }

    /// The value at an address, if it is known.
    pub(crate) fn find(&self, space: SpaceId, address: Operand, width: Width) -> Option<Operand> {
        let is_same = |entry: &&Entry| (entry.space, entry.address, entry.width) == (space, address, width);
        self.entries.iter().find(is_same).map(|entry| entry.value)
    }

    /// Records a value that was read from an address with this reach.
    pub(crate) fn note(
        &mut self,
        builder: &BlockBuilder,
        (space, address): (SpaceId, Operand),
        value: Operand,
        reach: Width,
    ) {
        let (width, end) = (builder.width(value), reach.bytes() as u64);
        self.entries.push(Entry { space, address, value, width, end });
    }

    /// Records a value that was written to an address with this reach, and forgets the values that it may overwrite.
    pub(crate) fn write(
        &mut self,
        builder: &BlockBuilder,
        at: (SpaceId, Operand),
        value: Operand,
        reach: Width,
    ) {
        let (base, distance) = parts(builder, at.1);
        let size = builder.width(value).bytes() as u64;
        self.entries.retain(|entry| {
            let (other, far) = parts(builder, entry.address);
            let apart = distance + size <= far || far + entry.width.bytes() as u64 <= distance;
            entry.space != at.0 || (base == other && apart)
        });
        self.note(builder, at, value, reach);
    }

    /// Forgets the values that a write at a fixed location may overwrite.
    pub(crate) fn forget_from(&mut self, location: Location) {
        self.entries.retain(|entry| entry.space != location.space || entry.end <= location.offset);
    }

    /// Forgets the values of a space.
    pub(crate) fn forget(&mut self, space: SpaceId) {
        self.entries.retain(|entry| entry.space != space);
    }
}

/// Splits an address into a base and a constant offset whose bits are zero in the base, so that `or` adds it.
fn parts(builder: &BlockBuilder, address: Operand) -> (Option<Operand>, u64) {
    if let Some(value) = builder.value(address) {
        return (None, value.to_u64().unwrap_or(0));
    }
    let distance = builder.with_constant(Op::Or, address).and_then(|(base, constant)| {
        let constant = constant.to_u64()?;
        (possible_bits(builder, base) & constant == 0).then_some((Some(base), constant))
    });
    distance.unwrap_or((Some(address), 0))
}

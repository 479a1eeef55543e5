//! The state of a guest: bytes in spaces, and the observable events so far.

use crate::random::mix;
use everypath_ir::{Bits, Endian, Layout, SpaceId, SpaceKind, Width};
use std::collections::HashSet;
use std::collections::{BTreeSet, HashMap};
use std::fmt;

/// An observable event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PcodeEvent {
    /// Memory is read.
    Read {
        /// The space.
        space: SpaceId,
        /// The first byte.
        offset: u64,
        /// The size in bytes.
        size: usize,
    },
    /// Memory is written.
    Write {
        /// The space.
        space: SpaceId,
        /// The first byte.
        offset: u64,
        /// The size in bytes.
        size: usize,
    },
    /// A user operation is called.
    User {
        /// Its number.
        operation: u32,
        /// Its arguments.
        arguments: Vec<Bits>,
    },
}

/// Bytes in the spaces of a layout. Bytes never written are zero or, with a seed, pseudo-random.
#[derive(Clone, Debug, Default)]
pub struct PcodeState {
    seed: Option<u64>,
    bytes: HashMap<(SpaceId, u64), u8>,
    events: Vec<PcodeEvent>,
}

impl PcodeState {
    /// A state in which every byte is zero.
    pub fn zero() -> Self {
        Self::default()
    }

    /// A state of pseudo-random bytes, in which zeros, ones and flags are frequent. The same seed gives the same state.
    pub fn seeded(seed: u64) -> Self {
        Self { seed: Some(seed), ..Self::default() }
    }

    fn initial(&self, space: SpaceId, offset: u64) -> u8 {
        let Some(seed) = self.seed else { return 0 };
        let place = |offset: u64| mix(seed ^ mix(offset ^ u64::from(space.0) << 56));
        let byte = place(offset);
        // Eight adjacent bytes are of one kind, so that whole registers are zero, or hold flags.
        match mix(place(offset | 7)) % 8 {
            0 => 0,
            1 | 2 => (byte & 1) as u8,
            3 if byte & 0xff00 == 0 => 0xff,
            4 => [0, 0xff][(byte & 1) as usize],
            _ => byte as u8,
        }
    }

    /// The byte at a location.
    pub fn byte(&self, space: SpaceId, offset: u64) -> u8 {
        self.bytes.get(&(space, offset)).copied().unwrap_or_else(|| self.initial(space, offset))
    }

    /// Sets the byte at a location.
    pub fn set_byte(&mut self, space: SpaceId, offset: u64, byte: u8) {
        self.bytes.insert((space, offset), byte);
    }

    /// The locations that were ever set, in order.
    pub fn set_places(&self) -> BTreeSet<(SpaceId, u64)> {
        self.bytes.keys().copied().collect()
    }

    /// Reads a value whose bytes are at `offsets`, in address order.
    pub(super) fn read(&self, space: SpaceId, offsets: &[u64], endian: Endian) -> Vec<u8> {
        let mut bytes: Vec<u8> = offsets.iter().map(|offset| self.byte(space, *offset)).collect();
        if endian == Endian::Big {
            bytes.reverse();
        }
        bytes
    }

    /// Writes a value, given with its least significant byte first, to `offsets`, in address order.
    pub(super) fn write(&mut self, space: SpaceId, offsets: &[u64], endian: Endian, mut bytes: Vec<u8>) {
        if endian == Endian::Big {
            bytes.reverse();
        }
        for (offset, byte) in offsets.iter().zip(bytes) {
            self.set_byte(space, *offset, byte);
        }
    }

    pub(super) fn note(&mut self, event: PcodeEvent) {
        self.events.push(event);
    }

    /// Calls a user operation. Its result depends on the seed and its arguments; without a seed it is zero.
    pub(super) fn call(
        &mut self,
        operation: u32,
        arguments: Vec<Bits>,
        result: Option<Width>,
    ) -> Option<Bits> {
        let value = self.seed.map_or(0, |seed| {
            let bytes = arguments.iter().flat_map(Bits::to_bytes_le);
            bytes.fold(mix(seed ^ u64::from(operation)), |value, byte| mix(value ^ u64::from(byte)))
        });
        self.note(PcodeEvent::User { operation, arguments });
        result.map(|width| Bits::from_u64(value, width))
    }

    /// The observable events so far.
    pub fn events(&self) -> &[PcodeEvent] {
        &self.events
    }

    /// Forgets the temporaries of an instruction that is complete.
    pub fn lose_temporaries(&mut self, layout: &Layout) {
        self.bytes.retain(|(space, _), _| !is_temporary(layout, *space));
    }

    /// The first observable difference between two states: registers, memory, memory accesses and user operations.
    pub fn difference(&self, other: &Self, layout: &Layout) -> Option<Difference> {
        let places: BTreeSet<_> = self.bytes.keys().chain(other.bytes.keys()).collect();
        for &(space, offset) in places.into_iter().filter(|(space, _)| !is_temporary(layout, *space)) {
            let (left, right) = (self.byte(space, offset), other.byte(space, offset));
            if left != right {
                let space = layout.space(space).map_or_else(String::new, |space| space.name.clone());
                return Some(Difference::Byte { space, offset, left, right });
            }
        }
        let (left, right) = (seen(&self.events), seen(&other.events));
        let length = left.len().max(right.len());
        let position = (0..length).find(|position| left.get(*position) != right.get(*position))?;
        let event = |events: &[&PcodeEvent]| events.get(position).map(|event| (*event).clone());
        Some(Difference::Event { position, left: event(&left), right: event(&right) })
    }
}

fn is_temporary(layout: &Layout, space: SpaceId) -> bool {
    layout.space(space).is_some_and(|space| space.kind == SpaceKind::Temporary)
}

/// A difference between two states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// In a byte.
    Byte {
        /// The name of its space.
        space: String,
        /// Its offset.
        offset: u64,
        /// Its value in the one state.
        left: u8,
        /// Its value in the other.
        right: u8,
    },
    /// In an observable event.
    Event {
        /// The index of the event.
        position: usize,
        /// The event of the one state.
        left: Option<PcodeEvent>,
        /// The event of the other.
        right: Option<PcodeEvent>,
    },
}

/// The events without repeated accesses to the same memory: p-code names a memory operand wherever it uses the value,
/// and a processor accesses it once.
fn seen(events: &[PcodeEvent]) -> Vec<&PcodeEvent> {
    let mut accessed: HashSet<(SpaceId, u64)> = HashSet::new();
    let mut kept = Vec::new();
    for event in events {
        let bytes = |space: SpaceId, offset: u64, size: usize| {
            (0..size as u64).map(move |byte| (space, offset.wrapping_add(byte)))
        };
        match event {
            PcodeEvent::Read { space, offset, size } => {
                let is_new =
                    bytes(*space, *offset, *size).fold(false, |new, byte| accessed.insert(byte) | new);
                if !is_new {
                    continue;
                }
            }
            PcodeEvent::Write { space, offset, size } => accessed.extend(bytes(*space, *offset, *size)),
            // It may change memory.
            PcodeEvent::User { .. } => accessed.clear(),
        }
        kept.push(event);
    }
    kept
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Byte { space, offset, left, right } => {
                write!(formatter, "{space}[{offset:#x}] is {left:02x} and {right:02x}")
            }
            Self::Event { position, left, right } => {
                write!(formatter, "event {position} is {left:?} and {right:?}")
            }
        }
    }
}

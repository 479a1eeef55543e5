//! The known part of the program's initial state: registers and memory.

use crate::domain::Number;
use everypath_ir::{AddressRange, AddressSet, Endian, Layout, Location, SpaceId, SpaceKind, Width};
use everypath_lift::Architecture;
use everypath_machine::{Region, Regions, State};

/// Maximum number of memory bytes to record; others are unknown.
const BYTES: u64 = 1 << 20;

/// The program's initial state, as far as it does not depend on input.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EntryState {
    /// Runs of known bytes (space, first address, contents), sorted and disjoint.
    runs: Vec<(SpaceId, u64, Vec<u8>)>,
    executable: AddressSet,
}

impl EntryState {
    /// Records the registers and initialised memory of a machine state. Omits bytes with a symbolic term (they depend
    /// on input), MMIO, and uninitialised memory.
    pub fn of(state: &mut State, architecture: &Architecture) -> Self {
        let layout = architecture.layout();
        let mut start = Self::default();
        let mut places: Vec<AddressRange> = Vec::new();
        for (_, location, width) in architecture.registers() {
            if layout[location.space].kind == SpaceKind::Register {
                places.push(AddressRange::of_value(location, width));
            }
        }
        let mut regions_with_contents = Vec::new();
        for number in 0..layout.spaces.len() {
            let space = SpaceId(number as u8);
            let regions = state.regions(space).into_iter().flat_map(Regions::iter);
            let regions: Vec<_> = regions.collect();
            let executable = regions.iter().filter(|region| region.permissions.execute);
            let range = |region: &Region| AddressRange { space, first: region.start, last: region.last };
            start.executable.extend(executable.map(range));
            let known = regions.iter().filter(|region| region.has_contents && !region.outside);
            regions_with_contents
                .extend(known.map(|region| (region.last - region.start, space, region.start)));
        }
        // Registers are always recorded; then memory regions, smallest first, within the budget.
        regions_with_contents.sort_unstable();
        let mut left = BYTES;
        for (size, space, first) in regions_with_contents {
            if let Some(rest) = left.checked_sub(size).filter(|rest| *rest > 0) {
                left = rest;
                places.push(AddressRange { space, first, last: first + size });
            }
        }
        places.sort_unstable();
        for AddressRange { space, first, last } in places {
            for offset in first..=last {
                if state.shadow(space).get(offset).is_none() {
                    start.push(space, offset, state.peek(Location { space, offset }, 1) as u8);
                }
            }
        }
        start
    }

    /// Appends a byte; bytes arrive in ascending order.
    fn push(&mut self, space: SpaceId, offset: u64, byte: u8) {
        if let Some((same, first, bytes)) = self.runs.last_mut()
            && *same == space
        {
            let end = *first + bytes.len() as u64;
            if offset < end {
                return;
            }
            if offset == end {
                bytes.push(byte);
                return;
            }
        }
        self.runs.push((space, offset, vec![byte]));
    }

    /// Adds a known number, such as a register value that the state does not hold.
    #[must_use]
    pub fn with(mut self, location: Location, width: Width, number: u64, endian: Endian) -> Self {
        let size = width.bytes().min(8);
        let bytes = endian.bytes(number, size);
        let last = location.offset.saturating_add(size as u64 - 1);
        let mut runs = Vec::new();
        for (space, first, held) in self.runs.drain(..) {
            let end = first + held.len() as u64 - 1;
            if space != location.space || last < first || end < location.offset {
                runs.push((space, first, held));
                continue;
            }
            if first < location.offset {
                runs.push((space, first, held[..(location.offset - first) as usize].to_vec()));
            }
            if end > last {
                runs.push((space, last + 1, held[(last + 1 - first) as usize..].to_vec()));
            }
        }
        runs.push((location.space, location.offset, bytes));
        runs.sort_unstable();
        Self { runs, ..self }
    }

    /// Returns true if an address is executable.
    pub(super) fn may_execute(&self, space: SpaceId, address: u64) -> bool {
        self.executable.contains(Location { space, offset: address })
    }

    /// The initial value of a register or memory location.
    pub fn number(&self, layout: &Layout, location: Location, width: Width) -> Number {
        let size = width.bytes();
        let after = self
            .runs
            .partition_point(|(space, first, _)| (*space, *first) <= (location.space, location.offset));
        let held = after.checked_sub(1).and_then(|index| {
            let (space, first, bytes) = &self.runs[index];
            let from = location.offset.checked_sub(*first).filter(|_| *space == location.space)?;
            let from = usize::try_from(from).ok()?;
            bytes.get(from..from.checked_add(size)?)
        });
        match held.filter(|_| size <= 8) {
            Some(bytes) => {
                let endian = layout[location.space].endian;
                Number::one(width, endian.number(bytes))
            }
            None => Number::all(width),
        }
    }
}

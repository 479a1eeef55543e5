//! Abstract state of the value-set analysis: registers, memory at fixed addresses, and stack slots.

use super::by_space::BySpace;
use super::cells::{Cells, Change};
use super::ranges::Ranges;
use super::start::EntryState;
use super::symbol::{EntrySymbol, Value};
use everypath_ir::{Endian, Layout, Location, SpaceId, Width};
use std::sync::Arc;

/// Maps abstract locations to value sets. A location without an entry holds its value at the function entry, or at
/// program start if that is known, unless it was havocked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AbstractState {
    /// Registers, and memory at fixed addresses.
    pub(super) places: BySpace<Cells>,
    /// Havocked addresses: unknown unless `places` has an entry.
    pub(super) lost: BySpace<Ranges>,
    /// The program's initial state; without it, values are relative to the function entry.
    pub(super) start: Option<Arc<EntryState>>,
    /// Stack slots, keyed by offset from the stack pointer at the entry.
    pub(super) stack: BySpace<Cells>,
    /// Havocked stack offsets: unknown unless `stack` has an entry.
    pub(super) stack_lost: BySpace<Ranges>,
    /// True if the whole stack was havocked: unknown unless `stack` has an entry.
    pub(super) overwritten: bool,
    /// True if a store to an unknown address happened.
    pub(super) spoiled: bool,
    /// Stack offsets below this are unknown unless `stack` has an entry: callees used them.
    pub(super) floor: i64,
}

impl Default for AbstractState {
    fn default() -> Self {
        Self {
            places: BySpace::default(),
            lost: BySpace::default(),
            start: None,
            stack: BySpace::default(),
            stack_lost: BySpace::default(),
            overwritten: false,
            spoiled: false,
            floor: i64::MIN,
        }
    }
}

fn endian(layout: &Layout, space: SpaceId) -> Endian {
    layout.spaces[usize::from(space.0)].endian
}

/// Bias that maps signed stack offsets to unsigned keys in the same order.
const MIDDLE: u64 = 1 << 63;

fn key(distance: i64) -> u64 {
    (distance as u64).wrapping_add(MIDDLE)
}

pub(super) fn distance(key: u64) -> i64 {
    key.wrapping_sub(MIDDLE) as i64
}

fn last(offset: u64, size: u64) -> u64 {
    offset.saturating_add(size.max(1) - 1)
}

impl AbstractState {
    /// The state at the start of a program.
    pub(super) fn starting(start: Arc<EntryState>) -> Self {
        Self { start: Some(start), ..Self::default() }
    }

    /// Registers and fixed-address memory with an entry. Other locations hold their initial value or are unknown.
    pub fn cells(&self) -> impl Iterator<Item = (Location, &Value)> + '_ {
        self.places.iter().flat_map(|(space, cells)| {
            cells.iter().map(move |(offset, value)| (Location { space, offset }, value))
        })
    }

    /// Stack slots with an entry, by offset from the stack pointer at the function entry.
    pub fn stack_cells(&self) -> impl Iterator<Item = (SpaceId, i64, &Value)> + '_ {
        self.stack
            .iter()
            .flat_map(|(space, cells)| cells.iter().map(move |(key, value)| (space, distance(key), value)))
    }

    /// The value of a register, or of memory at a fixed address.
    pub fn place(&self, layout: &Layout, location: Location, width: Width) -> Value {
        let space = location.space;
        let absent = |offset, width| self.unmentioned(layout, Location { space, offset }, width);
        match self.places.get(space) {
            Some(cells) => cells.read(location.offset, width, endian(layout, space), absent),
            None => absent(location.offset, width),
        }
    }

    /// The value of a location without an entry.
    fn unmentioned(&self, layout: &Layout, location: Location, width: Width) -> Value {
        let Location { space, offset } = location;
        let is_lost = |lost: &Ranges| lost.touches(offset, last(offset, width.bytes() as u64));
        if self.lost.get(space).is_some_and(is_lost) {
            return Value::unknown(width);
        }
        match &self.start {
            Some(start) => Value::plain(start.number(layout, location, width)),
            None => Value::entry(EntrySymbol::Register(location, width)),
        }
    }

    pub(super) fn set_place(&mut self, layout: &Layout, location: Location, value: Value) {
        let endian = endian(layout, location.space);
        self.places.entry(location.space).write(location.offset, value, endian);
    }

    /// Havocs a whole space.
    pub(super) fn havoc_space(&mut self, space: SpaceId) {
        self.places.remove(space);
        self.lost.insert(space, Ranges::all());
    }

    /// Havocs a range of fixed addresses.
    pub(super) fn havoc_range(&mut self, layout: &Layout, space: SpaceId, offset: u64, size: u64) {
        if let Some(cells) = self.places.get_mut(space) {
            cells.cut(offset, size, endian(layout, space));
        }
        self.lost.entry(space).insert(offset, last(offset, size));
    }

    /// The value of a stack slot at an offset from the stack pointer at the function entry.
    pub fn stack(&self, layout: &Layout, space: SpaceId, at: i64, width: Width) -> Value {
        let absent = |key, width| self.unmentioned_stack(space, key, width);
        match self.stack.get(space) {
            Some(cells) => cells.read(key(at), width, endian(layout, space), absent),
            None => absent(key(at), width),
        }
    }

    /// The value of a stack slot without an entry.
    fn unmentioned_stack(&self, space: SpaceId, key: u64, width: Width) -> Value {
        let distance = distance(key);
        let is_lost = |lost: &Ranges| lost.touches(key, last(key, width.bytes() as u64));
        match self.overwritten || distance < self.floor || self.stack_lost.get(space).is_some_and(is_lost) {
            true => Value::unknown(width),
            false => Value::entry(EntrySymbol::Cell { space, distance, width }),
        }
    }

    pub(super) fn set_stack(&mut self, layout: &Layout, space: SpaceId, at: i64, value: Value) {
        self.stack.entry(space).write(key(at), value, endian(layout, space));
    }

    /// Havocs a range of the stack.
    pub(super) fn havoc_stack(&mut self, layout: &Layout, space: SpaceId, at: i64, size: u64) {
        if let Some(cells) = self.stack.get_mut(space) {
            cells.cut(key(at), size, endian(layout, space));
        }
        self.stack_lost.entry(space).insert(key(at), last(key(at), size));
    }

    /// Havocs the stack after a store to an unknown address. With trust, slots that hold saved entry values survive.
    pub(super) fn havoc_all(&mut self, trusted: bool) {
        self.spoiled = true;
        self.overwritten |= !trusted;
        for (_, cells) in self.stack.iter_mut() {
            cells.change(|_, value| match trusted {
                true if value.is_entry().is_some() || value.is_unknown() => Change::Keep,
                true => Change::Forget,
                false => Change::Remove,
            });
        }
    }

    /// Havocs the stack below an offset, because callees used it.
    pub(super) fn raise_floor(&mut self, floor: i64) {
        self.floor = self.floor.max(floor);
        let floor = self.floor;
        for (_, cells) in self.stack.iter_mut() {
            cells.change(|key, value| {
                let at = distance(key);
                match at.saturating_add(value.width().bytes() as i64) > floor {
                    _ if at >= floor => Change::Keep,
                    true => Change::Forget,
                    false => Change::Remove,
                }
            });
        }
    }

    /// Joins another state into this one, widening if thresholds are given. Returns true if this state changed.
    pub(super) fn join(&mut self, other: &AbstractState, layout: &Layout, widen: Option<&[u64]>) -> bool {
        let merge = |a: &Value, b: &Value| match widen {
            _ if a == b => a.clone(),
            Some(thresholds) => a.widen(b, thresholds),
            None => a.join(b),
        };
        let mut result = AbstractState {
            overwritten: self.overwritten || other.overwritten,
            spoiled: self.spoiled || other.spoiled,
            floor: self.floor.max(other.floor),
            ..self.clone()
        };
        for (mine, others) in [(&mut result.lost, &other.lost), (&mut result.stack_lost, &other.stack_lost)] {
            for (space, ranges) in others.iter() {
                mine.entry(space).insert_all(ranges);
            }
        }
        let mut changed = result.overwritten != self.overwritten
            || result.spoiled != self.spoiled
            || result.floor != self.floor
            || result.lost != self.lost
            || result.stack_lost != self.stack_lost;
        let spaces = layout.spaces.len() as u8;
        for space in (0..spaces).map(SpaceId) {
            let read =
                |state: &AbstractState, offset, width| state.place(layout, Location { space, offset }, width);
            let lost = result.lost.get(space);
            let is_dropped = |offset, end| lost.is_some_and(|lost| lost.covers(offset, end));
            let sides = [self.places.get(space), other.places.get(space)];
            let joined = join_cells(sides, [self, other], read, merge, is_dropped);
            if let Some(cells) = joined {
                result.places.insert(space, cells);
                changed = true;
            }
            let read = |state: &AbstractState, key, width| state.stack(layout, space, distance(key), width);
            let lost = result.stack_lost.get(space);
            let (overwritten, floor) = (result.overwritten, result.floor);
            let is_dropped = |key, end| {
                overwritten || distance(key) < floor || lost.is_some_and(|lost| lost.covers(key, end))
            };
            let sides = [self.stack.get(space), other.stack.get(space)];
            let joined = join_cells(sides, [self, other], read, merge, is_dropped);
            if let Some(cells) = joined {
                result.stack.insert(space, cells);
                changed = true;
            }
        }
        if changed && widen.is_some_and(<[u64]>::is_empty) {
            result.widen_shape(self);
            changed = result != *self;
        }
        if changed {
            *self = result;
        }
        changed
    }

    /// Sets every value that differs from an earlier state to unknown.
    pub(super) fn forget_changed(&mut self, before: &AbstractState) {
        for (cells, before) in [(&mut self.places, &before.places), (&mut self.stack, &before.stack)] {
            for (space, cells) in cells.iter_mut() {
                let before = before.get(space);
                let is_as_before = |offset, value: &Value| {
                    before.and_then(|before| before.starting_at(offset)) == Some(value)
                };
                cells.change(|offset, value| match is_as_before(offset, value) {
                    true => Change::Keep,
                    false => Change::Forget,
                });
            }
        }
    }

    /// Widens the shape of a state: havocs a whole space if it has new entries or larger havocked ranges than before.
    fn widen_shape(&mut self, before: &AbstractState) {
        if self.floor > before.floor {
            self.floor = i64::MAX;
        }
        for (lost, old, cells) in [
            (&mut self.lost, &before.lost, (&mut self.places, &before.places)),
            (&mut self.stack_lost, &before.stack_lost, (&mut self.stack, &before.stack)),
        ] {
            for (space, held) in cells.0.iter_mut() {
                let known = cells.1.get(space);
                let is_new = |offset: u64| known.is_none_or(|known| known.starting_at(offset).is_none());
                if held.iter().any(|(offset, _)| is_new(offset)) {
                    lost.insert(space, Ranges::all());
                    held.change(|offset, _| if is_new(offset) { Change::Remove } else { Change::Keep });
                }
            }
            for (space, ranges) in lost.iter_mut() {
                if old.get(space) != Some(ranges) {
                    *ranges = Ranges::all();
                }
            }
        }
    }
}

/// Joins the cells of two states, split at the boundaries of either. Returns `None` if the result equals the first.
///
/// Drops unknown values where `is_dropped` (first and last byte) tells that the location is unknown without an entry.
fn join_cells(
    cells: [Option<&Cells>; 2],
    [first, second]: [&AbstractState; 2],
    read: impl Fn(&AbstractState, u64, Width) -> Value,
    merge: impl Fn(&Value, &Value) -> Value,
    is_dropped: impl Fn(u64, u64) -> bool,
) -> Option<Cells> {
    if let [Some(a), Some(b)] = cells
        && a.is_shared(b)
    {
        return None;
    }
    let end = |(start, value): &(u64, &Value)| start.saturating_add(value.width().bytes() as u64);
    let [mut a, mut b] = cells.map(|cells| cells.into_iter().flat_map(Cells::iter).peekable());
    let mut joined = Vec::new();
    let mut changed = false;
    let mut from = 0;
    loop {
        while a.next_if(|cell| end(cell) <= from).is_some() {}
        while b.next_if(|cell| end(cell) <= from).is_some() {}
        let sides = [a.peek().copied(), b.peek().copied()];
        let Some(first_start) = sides.iter().flatten().map(|(start, _)| *start).min() else { break };
        from = first_start.max(from);
        let edge = |cell: &(u64, &Value)| if cell.0 > from { cell.0 } else { end(cell) };
        let until = sides.iter().flatten().map(edge).min().unwrap_or(from);
        let Some(width) = until.checked_sub(from).and_then(|size| Width::of_bytes(size as usize)) else {
            break;
        };
        let [one, other] = sides.map(|cell| cell.filter(|cell| cell.0 == from && end(cell) == until));
        let held = one.map_or_else(|| read(first, from, width), |(_, value)| value.clone());
        let value = match other {
            Some((_, other)) => merge(&held, other),
            None => merge(&held, &read(second, from, width)),
        };
        let is_unknown = value.is_unknown() && is_dropped(from, until - 1);
        // If the first state has no entry here, its implicit value is exact, unless an entry covers only part of the
        // bytes.
        let is_absent = sides[0].is_none_or(|(start, _)| start > from);
        let is_kept = one.is_some() || (is_absent && (!value.is_unknown() || is_unknown));
        changed |= value != held || !is_kept;
        if !is_unknown {
            joined.push((from, value));
        }
        from = until;
    }
    changed.then(|| joined.into_iter().collect())
}

//! What registers, memory at fixed addresses and the stack hold at a place, relative to the entry of the function.

use super::by_space::BySpace;
use super::cells::{Cells, Change};
use super::ranges::Ranges;
use super::start::Start;
use super::symbol::{Symbol, Value};
use everypath_ir::{Endian, Layout, Location, SpaceId, Width};
use std::sync::Arc;

/// What places hold. Of what is not mentioned, each holds what it held at the entry of the function, or at the start of the
/// program where that is known, unless something unknown was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// Registers, and memory at fixed addresses.
    pub(super) places: BySpace<Cells>,
    /// Addresses of which nothing is known but what is mentioned.
    pub(super) lost: BySpace<Ranges>,
    /// What was there when the program started; without it everything is relative to the entry of the function.
    pub(super) start: Option<Arc<Start>>,
    /// By distance from the stack pointer at the entry.
    pub(super) stack: BySpace<Cells>,
    /// Distances of which nothing is known but what is mentioned.
    pub(super) stack_lost: BySpace<Ranges>,
    /// Whether nothing is known of the stack but what is mentioned.
    pub(super) overwritten: bool,
    /// Whether something was written to an unknown place.
    pub(super) spoiled: bool,
    /// Below this distance nothing is known of the stack but what is mentioned: called functions were there.
    pub(super) floor: i64,
}

impl Default for State {
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

/// Distances in the order of their sign as keys without one.
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

impl State {
    /// The state at the start of a program.
    pub(super) fn starting(start: Arc<Start>) -> Self {
        Self { start: Some(start), ..Self::default() }
    }

    /// The registers and pieces of memory at fixed addresses of which something is said; of others the start says it, or nothing.
    pub fn cells(&self) -> impl Iterator<Item = (Location, &Value)> + '_ {
        self.places.iter().flat_map(|(space, cells)| {
            cells.iter().map(move |(offset, value)| (Location { space, offset }, value))
        })
    }

    /// The pieces of the stack of which something is said, by their distance from the stack pointer at the entry.
    pub fn stack_cells(&self) -> impl Iterator<Item = (SpaceId, i64, &Value)> + '_ {
        self.stack
            .iter()
            .flat_map(|(space, cells)| cells.iter().map(move |(key, value)| (space, distance(key), value)))
    }

    /// What a register, or memory at a fixed address, holds.
    pub fn place(&self, layout: &Layout, location: Location, width: Width) -> Value {
        let space = location.space;
        let absent = |offset, width| self.unmentioned(layout, Location { space, offset }, width);
        match self.places.get(space) {
            Some(cells) => cells.read(location.offset, width, endian(layout, space), absent),
            None => absent(location.offset, width),
        }
    }

    /// What a place holds that is not mentioned.
    fn unmentioned(&self, layout: &Layout, location: Location, width: Width) -> Value {
        let Location { space, offset } = location;
        let is_lost = |lost: &Ranges| lost.touches(offset, last(offset, width.bytes() as u64));
        if self.lost.get(space).is_some_and(is_lost) {
            return Value::unknown(width);
        }
        match &self.start {
            Some(start) => Value::plain(start.number(layout, location, width)),
            None => Value::entry(Symbol::Register(location, width)),
        }
    }

    pub(super) fn set_place(&mut self, layout: &Layout, location: Location, value: Value) {
        let endian = endian(layout, location.space);
        self.places.entry(location.space).write(location.offset, value, endian);
    }

    /// Nothing is known of a space any more.
    pub(super) fn lose(&mut self, space: SpaceId) {
        self.places.remove(space);
        self.lost.insert(space, Ranges::all());
    }

    /// Something unknown was written to one of some bytes.
    pub(super) fn lose_range(&mut self, layout: &Layout, space: SpaceId, offset: u64, size: u64) {
        if let Some(cells) = self.places.get_mut(space) {
            cells.cut(offset, size, endian(layout, space));
        }
        self.lost.entry(space).insert(offset, last(offset, size));
    }

    /// What the stack holds at a distance from the stack pointer at the entry.
    pub fn stack(&self, layout: &Layout, space: SpaceId, at: i64, width: Width) -> Value {
        let absent = |key, width| self.unmentioned_stack(space, key, width);
        match self.stack.get(space) {
            Some(cells) => cells.read(key(at), width, endian(layout, space), absent),
            None => absent(key(at), width),
        }
    }

    /// What the stack holds where it is not mentioned.
    fn unmentioned_stack(&self, space: SpaceId, key: u64, width: Width) -> Value {
        let distance = distance(key);
        let is_lost = |lost: &Ranges| lost.touches(key, last(key, width.bytes() as u64));
        match self.overwritten || distance < self.floor || self.stack_lost.get(space).is_some_and(is_lost) {
            true => Value::unknown(width),
            false => Value::entry(Symbol::Cell { space, distance, width }),
        }
    }

    pub(super) fn set_stack(&mut self, layout: &Layout, space: SpaceId, at: i64, value: Value) {
        self.stack.entry(space).write(key(at), value, endian(layout, space));
    }

    /// Something unknown was written to some bytes of the stack.
    pub(super) fn spoil(&mut self, layout: &Layout, space: SpaceId, at: i64, size: u64) {
        if let Some(cells) = self.stack.get_mut(space) {
            cells.cut(key(at), size, endian(layout, space));
        }
        self.stack_lost.entry(space).insert(key(at), last(key(at), size));
    }

    /// Something unknown was written somewhere. Where a function keeps what it found at its entry stays if it may be
    /// trusted to.
    pub(super) fn spoil_all(&mut self, trusted: bool) {
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

    /// Called functions used the stack below a distance.
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

    /// Puts another state to this one, and widens what grows if it is given where to. Says whether this one changed.
    pub(super) fn join(&mut self, other: &State, layout: &Layout, widen: Option<&[u64]>) -> bool {
        let merge = |a: &Value, b: &Value| match widen {
            _ if a == b => a.clone(),
            Some(thresholds) => a.widen(b, thresholds),
            None => a.join(b),
        };
        let mut result = State {
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
            let read = |state: &State, offset, width| state.place(layout, Location { space, offset }, width);
            let lost = result.lost.get(space);
            let is_dropped = |offset, end| lost.is_some_and(|lost| lost.covers(offset, end));
            let sides = [self.places.get(space), other.places.get(space)];
            let joined = join_cells(sides, [self, other], read, merge, is_dropped);
            if let Some(cells) = joined {
                result.places.insert(space, cells);
                changed = true;
            }
            let read = |state: &State, key, width| state.stack(layout, space, distance(key), width);
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

    /// What is not as it was in an earlier state may be anything.
    pub(super) fn forget_changed(&mut self, before: &State) {
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

    /// What went on growing beyond an earlier state, not in its values but in what it speaks of, is lost altogether.
    fn widen_shape(&mut self, before: &State) {
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

/// The cells of two states together, or `None` if they say what those of the first say. They are cut where either is.
///
/// What may be anything is not kept where `is_dropped` says, of a first and a last byte, that nothing is known anyway.
fn join_cells(
    cells: [Option<&Cells>; 2],
    [first, second]: [&State; 2],
    read: impl Fn(&State, u64, Width) -> Value,
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
        // What the first does not mention it knows without, unless it only knows parts of it.
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

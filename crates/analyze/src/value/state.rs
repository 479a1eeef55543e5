//! What registers, memory at fixed addresses and the stack hold at a place, relative to the entry of the function.

use super::cells::Cells;
use super::ranges::Ranges;
use super::start::Start;
use super::symbol::{Symbol, Value};
use everypath_ir::{Endian, Layout, Location, SpaceId, Width};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What places hold. Of what is not mentioned, each holds what it held at the entry of the function, or at the start of the
/// program where that is known, unless something unknown was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// Registers, and memory at fixed addresses.
    pub(super) places: BTreeMap<SpaceId, Cells>,
    /// Addresses of which nothing is known but what is mentioned.
    pub(super) lost: BTreeMap<SpaceId, Ranges>,
    /// What was there when the program started; without it everything is relative to the entry of the function.
    pub(super) start: Option<Arc<Start>>,
    /// By distance from the stack pointer at the entry.
    pub(super) stack: BTreeMap<SpaceId, Cells>,
    /// Distances of which nothing is known but what is mentioned.
    pub(super) stack_lost: BTreeMap<SpaceId, Ranges>,
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
            places: BTreeMap::new(),
            lost: BTreeMap::new(),
            start: None,
            stack: BTreeMap::new(),
            stack_lost: BTreeMap::new(),
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
            cells.iter().map(|(offset, value)| (Location { space: *space, offset }, value))
        })
    }

    /// The pieces of the stack of which something is said, by their distance from the stack pointer at the entry.
    pub fn stack_cells(&self) -> impl Iterator<Item = (SpaceId, i64, &Value)> + '_ {
        self.stack
            .iter()
            .flat_map(|(space, cells)| cells.iter().map(|(key, value)| (*space, distance(key), value)))
    }

    /// What a register, or memory at a fixed address, holds.
    pub fn place(&self, layout: &Layout, location: Location, width: Width) -> Value {
        let space = location.space;
        let lost = self.lost.get(&space);
        let absent = |offset, width: Width| {
            let location = Location { space, offset };
            if lost.is_some_and(|lost| lost.touches(offset, last(offset, width.bytes() as u64))) {
                return Value::unknown(width);
            }
            match &self.start {
                Some(start) => Value::plain(start.number(layout, location, width)),
                None => Value::entry(Symbol::Register(location, width)),
            }
        };
        match self.places.get(&space) {
            Some(cells) => cells.read(location.offset, width, endian(layout, space), absent),
            None => absent(location.offset, width),
        }
    }

    pub(super) fn set_place(&mut self, layout: &Layout, location: Location, value: Value) {
        let endian = endian(layout, location.space);
        self.places.entry(location.space).or_default().write(location.offset, value, endian);
    }

    /// Nothing is known of a space any more.
    pub(super) fn lose(&mut self, space: SpaceId) {
        self.places.remove(&space);
        self.lost.insert(space, Ranges::all());
    }

    /// Something unknown was written to one of some bytes.
    pub(super) fn lose_range(&mut self, layout: &Layout, space: SpaceId, offset: u64, size: u64) {
        if let Some(cells) = self.places.get_mut(&space) {
            cells.cut(offset, size, endian(layout, space));
        }
        self.lost.entry(space).or_default().insert(offset, last(offset, size));
    }

    /// What the stack holds at a distance from the stack pointer at the entry.
    pub fn stack(&self, layout: &Layout, space: SpaceId, at: i64, width: Width) -> Value {
        let lost = self.stack_lost.get(&space);
        let absent = |key, width: Width| {
            let at = distance(key);
            let is_lost = lost.is_some_and(|lost| lost.touches(key, last(key, width.bytes() as u64)));
            match self.overwritten || at < self.floor || is_lost {
                true => Value::unknown(width),
                false => Value::entry(Symbol::Cell { space, distance: at, width }),
            }
        };
        match self.stack.get(&space) {
            Some(cells) => cells.read(key(at), width, endian(layout, space), absent),
            None => absent(key(at), width),
        }
    }

    pub(super) fn set_stack(&mut self, layout: &Layout, space: SpaceId, at: i64, value: Value) {
        self.stack.entry(space).or_default().write(key(at), value, endian(layout, space));
    }

    /// Something unknown was written to some bytes of the stack.
    pub(super) fn spoil(&mut self, layout: &Layout, space: SpaceId, at: i64, size: u64) {
        if let Some(cells) = self.stack.get_mut(&space) {
            cells.cut(key(at), size, endian(layout, space));
        }
        self.stack_lost.entry(space).or_default().insert(key(at), last(key(at), size));
    }

    /// Something unknown was written somewhere. Where a function keeps what it found at its entry stays if it may be
    /// trusted to.
    pub(super) fn spoil_all(&mut self, trusted: bool) {
        self.spoiled = true;
        self.overwritten |= !trusted;
        for cells in self.stack.values_mut() {
            cells.retain(|_, value| {
                let keep = trusted && value.is_entry().is_some();
                if !keep {
                    *value = Value::unknown(value.width());
                }
                keep || trusted
            });
        }
    }

    /// Called functions used the stack below a distance.
    pub(super) fn raise_floor(&mut self, floor: i64) {
        self.floor = self.floor.max(floor);
        let floor = self.floor;
        for cells in self.stack.values_mut() {
            cells.retain(|key, value| {
                let at = distance(key);
                let straddles = at < floor && at.saturating_add(value.width().bytes() as i64) > floor;
                if straddles {
                    *value = Value::unknown(value.width());
                }
                at >= floor || straddles
            });
        }
    }

    /// Puts another state to this one, and widens what grows if it is given where to. Says whether this one changed.
    pub(super) fn join(&mut self, other: &State, layout: &Layout, widen: Option<&[u64]>) -> bool {
        let mut result = State {
            overwritten: self.overwritten || other.overwritten,
            spoiled: self.spoiled || other.spoiled,
            floor: self.floor.max(other.floor),
            lost: self.lost.clone(),
            stack_lost: self.stack_lost.clone(),
            start: self.start.clone(),
            ..State::default()
        };
        for (space, ranges) in &other.stack_lost {
            result.stack_lost.entry(*space).or_default().insert_all(ranges);
        }
        for (space, ranges) in &other.lost {
            result.lost.entry(*space).or_default().insert_all(ranges);
        }
        let merge = |a: &Value, b: &Value| match widen {
            Some(thresholds) => a.widen(b, thresholds),
            None => a.join(b),
        };
        for (space, offset, width) in pieces(&self.places, &other.places) {
            let location = Location { space, offset };
            let value = merge(&self.place(layout, location, width), &other.place(layout, location, width));
            let end = last(offset, width.bytes() as u64);
            let is_lost = result.lost.get(&space).is_some_and(|lost| lost.covers(offset, end));
            if !(is_lost && value.is_unknown()) {
                result.set_place(layout, location, value);
            }
        }
        for (space, offset, width) in pieces(&self.stack, &other.stack) {
            let at = distance(offset);
            let (a, b) = (self.stack(layout, space, at, width), other.stack(layout, space, at, width));
            let value = merge(&a, &b);
            let end = last(offset, width.bytes() as u64);
            let is_lost = result.stack_lost.get(&space).is_some_and(|lost| lost.covers(offset, end));
            if !(value.is_unknown() && (result.overwritten || at < result.floor || is_lost)) {
                result.set_stack(layout, space, at, value);
            }
        }
        if widen.is_some_and(<[u64]>::is_empty) {
            result.widen_shape(self);
        }
        let changed = result != *self;
        *self = result;
        changed
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
                let is_new = |offset: u64| known.is_none_or(|known| !known.starts(offset));
                if held.iter().any(|(offset, _)| is_new(offset)) {
                    lost.insert(*space, Ranges::all());
                    held.retain(|offset, _| !is_new(offset));
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

/// The pieces into which two maps together cut their bytes.
fn pieces(a: &BTreeMap<SpaceId, Cells>, b: &BTreeMap<SpaceId, Cells>) -> Vec<(SpaceId, u64, Width)> {
    let mut keys: Vec<(SpaceId, u64, u64)> = Vec::new();
    for cells in [a, b] {
        let each = cells.iter().flat_map(|(space, cells)| {
            cells.iter().map(|(offset, value)| (*space, offset, value.width().bytes() as u64))
        });
        keys.extend(each);
    }
    keys.sort_unstable();
    keys.dedup();
    let mut pieces = Vec::with_capacity(keys.len());
    let mut covered: Option<(SpaceId, u64)> = None;
    for (space, offset, size) in keys {
        let end = offset.saturating_add(size);
        let start = match covered {
            Some((same, until)) if same == space => until.max(offset),
            _ => offset,
        };
        if start < end
            && let Some(width) = Width::of_bytes((end - start) as usize)
        {
            pieces.push((space, start, width));
            covered = Some((space, end));
        }
    }
    pieces
}

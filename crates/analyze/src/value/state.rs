//! Abstract state of the value-set analysis: registers, memory at fixed addresses, and stack slots.

use super::by_region::ByRegion;
use super::cells::{Cells, Change};
use super::havoc::{Havoc, UnknownStore};
use super::region::{Region, distance, key, last};
use super::start::EntryState;
use super::symbol::{EntrySymbol, Value};
use everypath_ir::{Endian, Layout, Location, SpaceId, Width};
use std::sync::Arc;

/// Maps abstract locations to value sets. A location without a cell holds its value at the function entry, or at
/// program start if that is known, unless it was havocked.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AbstractState {
    /// Registers, memory at fixed addresses, and stack slots.
    pub(super) cells: ByRegion<Cells>,
    /// Bytes that are unknown unless a cell holds them.
    pub(super) havoc: Havoc,
    /// The program's initial state; without it, values are relative to the function entry.
    pub(super) start: Option<Arc<EntryState>>,
}

fn endian(layout: &Layout, space: SpaceId) -> Endian {
    layout[space].endian
}

impl AbstractState {
    /// The state at the start of a program.
    pub(super) fn starting(start: Arc<EntryState>) -> Self {
        Self { start: Some(start), ..Self::default() }
    }

    /// Registers and fixed-address memory with a cell. Other locations hold their initial value or are unknown.
    pub fn cells(&self) -> impl Iterator<Item = (Location, &Value)> + '_ {
        self.cells.iter().flat_map(|(region, cells)| {
            let is_fixed = matches!(region, Region::Fixed(_));
            let cells = is_fixed.then(|| cells.iter()).into_iter().flatten();
            cells.map(move |(offset, value)| (Location { space: region.space(), offset }, value))
        })
    }

    /// Stack slots with a cell, by offset from the stack pointer at the function entry.
    pub fn stack_cells(&self) -> impl Iterator<Item = (SpaceId, i64, &Value)> + '_ {
        self.cells.iter().flat_map(|(region, cells)| {
            let is_stack = matches!(region, Region::Stack(_));
            let cells = is_stack.then(|| cells.iter()).into_iter().flatten();
            cells.map(move |(key, value)| (region.space(), distance(key), value))
        })
    }

    /// The value of a register, or of memory at a fixed address.
    pub fn place(&self, layout: &Layout, location: Location, width: Width) -> Value {
        self.read(layout, Region::Fixed(location.space), location.offset, width)
    }

    /// The value of a stack slot at an offset from the stack pointer at the function entry.
    pub fn stack(&self, layout: &Layout, space: SpaceId, at: i64, width: Width) -> Value {
        self.read(layout, Region::Stack(space), key(at), width)
    }

    /// The value at an offset of a region.
    pub(super) fn read(&self, layout: &Layout, region: Region, offset: u64, width: Width) -> Value {
        let absent = |offset, width| self.without_cell(layout, region, offset, width);
        match self.cells.get(region) {
            Some(cells) => cells.read(offset, width, endian(layout, region.space()), absent),
            None => absent(offset, width),
        }
    }

    /// The value of bytes without a cell.
    fn without_cell(&self, layout: &Layout, region: Region, offset: u64, width: Width) -> Value {
        if self.havoc.touches(region, offset, last(offset, width.bytes() as u64)) {
            return Value::unknown(width);
        }
        match (region, &self.start) {
            (Region::Fixed(space), Some(start)) => {
                Value::plain(start.number(layout, Location { space, offset }, width))
            }
            (Region::Fixed(space), None) => {
                Value::entry(EntrySymbol::Register(Location { space, offset }, width))
            }
            (Region::Stack(space), _) => {
                Value::entry(EntrySymbol::Cell { space, distance: distance(offset), width })
            }
        }
    }

    pub(super) fn set_place(&mut self, layout: &Layout, location: Location, value: Value) {
        let endian = endian(layout, location.space);
        self.cells.entry(Region::Fixed(location.space)).write(location.offset, value, endian);
    }

    pub(super) fn set_stack(&mut self, layout: &Layout, space: SpaceId, at: i64, value: Value) {
        self.cells.entry(Region::Stack(space)).write(key(at), value, endian(layout, space));
    }

    /// Havocs the registers, or the memory at fixed addresses, of a whole space.
    pub(super) fn havoc_space(&mut self, space: SpaceId) {
        self.cells.remove(Region::Fixed(space));
        self.havoc.insert_region(Region::Fixed(space));
    }

    /// Havocs a range of fixed addresses.
    pub(super) fn havoc_range(&mut self, layout: &Layout, space: SpaceId, offset: u64, size: u64) {
        self.havoc_bytes(layout, Region::Fixed(space), offset, size);
    }

    /// Havocs a range of the stack.
    pub(super) fn havoc_stack(&mut self, layout: &Layout, space: SpaceId, at: i64, size: u64) {
        self.havoc_bytes(layout, Region::Stack(space), key(at), size);
    }

    fn havoc_bytes(&mut self, layout: &Layout, region: Region, offset: u64, size: u64) {
        if let Some(cells) = self.cells.get_mut(region) {
            cells.cut(offset, size, endian(layout, region.space()));
        }
        self.havoc.insert(region, offset, last(offset, size));
    }

    /// Havocs the stack after a store to an unknown address. With trust, slots that hold saved entry values survive.
    pub(super) fn havoc_all(&mut self, trusted: bool) {
        self.havoc.store_anywhere(if trusted { UnknownStore::SparesSaved } else { UnknownStore::Anywhere });
        for cells in self.stacks_mut() {
            cells.change(|_, value| match trusted {
                true if value.is_entry().is_some() || value.is_unknown() => Change::Keep,
                true => Change::Havoc,
                false => Change::Remove,
            });
        }
    }

    /// Havocs the stack below an offset, because callees used it.
    pub(super) fn havoc_below(&mut self, floor: i64) {
        self.havoc.insert_below(floor);
        for cells in self.stacks_mut() {
            cells.change(|key, value| {
                let at = distance(key);
                match at.saturating_add(value.width().bytes() as i64) > floor {
                    _ if at >= floor => Change::Keep,
                    true => Change::Havoc,
                    false => Change::Remove,
                }
            });
        }
    }

    fn stacks_mut(&mut self) -> impl Iterator<Item = &mut Cells> + '_ {
        let is_stack = |region| matches!(region, Region::Stack(_));
        self.cells.iter_mut().filter_map(move |(region, cells)| is_stack(region).then_some(cells))
    }
}

//! The machine state: the contents of every address space, concrete and symbolic.

use crate::access::Denied;
use crate::may_alias::{AliasedMemory, MayAlias, Stack};
use crate::memory::Memory;
use crate::region::{Permissions, Region, Regions};
use crate::registers::Registers;
use crate::shadow::{Shadow, TermByte};
use crate::step::Fixed;
use everypath_ir::{AddressRange, AddressSet, Bits, Endian, Layout, Location, Op, SpaceId, SpaceKind, Width};
use everypath_term::{Evaluation, Term, Terms, View};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// The contents of one space.
pub enum SpaceState {
    /// Memory.
    Memory(Box<Memory>),
    /// Registers.
    Registers(Registers),
}

/// The contents of every space of a layout. Use [`State::fork`] to make a copy.
pub struct State {
    spaces: Vec<SpaceState>,
    /// The shadow memory of each space; forks share the list until one changes it.
    shadows: Rc<Vec<Shadow>>,
    notes_written: bool,
    /// Memory that something besides the program may write.
    changing: Rc<AddressSet>,
    /// Memory that may be the same under two addresses.
    aliases: Option<Box<MayAlias>>,
}

impl State {
    /// A state with no mapped memory, in which every register is zero.
    pub fn new(layout: &Layout) -> Self {
        let space = |space: &everypath_ir::Space| match space.kind {
            SpaceKind::Memory => SpaceState::Memory(Box::new(Memory::new(space.endian, last_address(space)))),
            SpaceKind::Register => SpaceState::Registers(Registers::new(space.endian)),
            // Temporaries have sparse offsets, and are seldom stored here.
            SpaceKind::Temporary => {
                let last = last_address(space);
                let mut memory = Memory::new(space.endian, last);
                memory.map(Region::memory(0, last, Permissions::DATA));
                SpaceState::Memory(Box::new(memory))
            }
        };
        let shadows = Rc::new(layout.spaces.iter().map(|_| Shadow::default()).collect());
        let changing = Rc::default();
        let spaces = layout.spaces.iter().map(space).collect();
        Self { spaces, shadows, notes_written: false, changing, aliases: None }
    }

    /// A copy that shares everything with this one until either changes.
    #[must_use]
    pub fn fork(&mut self) -> Self {
        let fork = |space: &mut SpaceState| match space {
            SpaceState::Memory(memory) => SpaceState::Memory(Box::new(memory.fork())),
            SpaceState::Registers(registers) => SpaceState::Registers(registers.clone()),
        };
        Self {
            spaces: self.spaces.iter_mut().map(fork).collect(),
            shadows: self.shadows.clone(),
            notes_written: self.notes_written,
            changing: self.changing.clone(),
            aliases: self.aliases.clone(),
        }
    }

    pub(crate) fn spaces(&self) -> &[SpaceState] {
        &self.spaces
    }

    /// The shadow memory of a space.
    #[inline]
    pub fn shadow(&self, space: SpaceId) -> &Shadow {
        &self.shadows[usize::from(space.0)]
    }

    /// The shadow memory of a space, mutably.
    #[inline]
    pub fn shadow_mut(&mut self, space: SpaceId) -> &mut Shadow {
        &mut Rc::make_mut(&mut self.shadows)[usize::from(space.0)]
    }

    /// The terms that the state references: roots for garbage collection.
    pub fn terms(&self) -> impl Iterator<Item = Term> + '_ {
        self.shadows.iter().flat_map(|shadow| shadow.iter().map(|(_, origin)| origin.term))
    }

    /// The symbolic bytes.
    pub fn symbolic_bytes(&self) -> impl Iterator<Item = (Location, TermByte)> + '_ {
        self.shadows.iter().enumerate().flat_map(|(number, shadow)| {
            let space = SpaceId(number as u8);
            shadow.iter().map(move |(offset, byte)| (Location { space, offset }, byte))
        })
    }

    /// Evaluates every symbolic byte under another model: the state after the same path on other input. Bytes with one of these
    /// terms have the same value under every model.
    pub fn reevaluate(&mut self, terms: &Terms, evaluation: &mut Evaluation, settled: &FxHashSet<Term>) {
        let Self { spaces, shadows, .. } = self;
        for (space, shadow) in spaces.iter_mut().zip(shadows.iter()) {
            for (address, origin) in shadow.iter().filter(|(_, origin)| !settled.contains(&origin.term)) {
                let byte = origin.value(terms, evaluation);
                match space {
                    SpaceState::Registers(registers) => {
                        registers.write_bytes(register_offset(address), &[byte]);
                    }
                    SpaceState::Memory(memory) => memory.poke(address, byte),
                }
            }
        }
    }

    /// Replaces a value that is a select of a decided condition by the side that the path takes. A predicated
    /// instruction that returns also pops registers: without this the stack pointer would stay symbolic on both sides.
    pub fn specialise(&mut self, terms: &mut Terms, place: &Fixed, condition: Term, holds: bool) {
        let Fixed { location, width, endian, .. } = *place;
        let shadow = self.shadow(location.space);
        if shadow.get(location.offset).is_none() {
            return;
        }
        let Ok(bits) = self.get(location, width, endian) else { return };
        let Some(term) = self.shadow(location.space).read(terms, location.offset, &bits, endian) else {
            return;
        };
        let Some(side) = selected_side(terms, term, condition, holds) else { return };
        let constant = match terms.view(side) {
            View::Constant(bits) => Some(bits),
            _ => None,
        };
        if constant.as_ref().is_some_and(|bits| self.put(location, bits, endian).is_err()) {
            return;
        }
        let symbolic = constant.is_none().then_some(side);
        self.shadow_mut(location.space).write(terms, location.offset, width, symbolic, endian);
    }

    /// Tracks which bytes of memory are initialised. To be called before any write.
    pub fn note_written(&mut self) {
        self.notes_written = true;
        for space in &mut self.spaces {
            if let SpaceState::Memory(memory) = space {
                memory.note_written();
            }
        }
    }

    /// Returns true if initialised bytes of memory are tracked.
    #[inline]
    pub fn notes_written(&self) -> bool {
        self.notes_written
    }

    /// The regions of a memory space.
    pub fn regions(&self, space: SpaceId) -> Option<&Regions> {
        match self.spaces.get(usize::from(space.0))? {
            SpaceState::Memory(memory) => Some(memory.regions()),
            SpaceState::Registers(_) => None,
        }
    }

    /// Marks memory that something besides the program may write: a device, an interrupt handler. To be called before
    /// any block runs.
    pub fn mark_changing(&mut self, ranges: impl IntoIterator<Item = AddressRange>) {
        Rc::make_mut(&mut self.changing).extend(ranges);
    }

    /// Marks memory that may be the same under two addresses. To be called before any block runs, with the stack pointer of the
    /// entry.
    pub fn mark_aliases(&mut self, memory: AliasedMemory) {
        let entry = memory.stack.map(|Stack { pointer: (location, size), .. }| self.peek(location, size));
        self.aliases = Some(Box::new(MayAlias::new(memory, entry)));
    }

    /// Whether memory may be the same under two addresses.
    #[inline]
    pub(crate) fn has_aliases(&self) -> bool {
        self.aliases.is_some()
    }

    /// Takes in a store of the program: it may have changed memory with another address, too.
    #[inline]
    pub(crate) fn note_store(&mut self, location: Location, size: usize) {
        if self.aliases.is_none()
            || matches!(self.spaces[usize::from(location.space.0)], SpaceState::Registers(_))
        {
            return;
        }
        let pointer = self.stack_pointer();
        if let Some(aliases) = &mut self.aliases {
            aliases.note_store(location, size, pointer);
        }
    }

    /// Whether two paths doubt the same memory for what they have stored.
    pub(crate) fn agrees_in_aliases(&self, other: &State) -> bool {
        match (&self.aliases, &other.aliases) {
            (Some(ours), Some(theirs)) => ours.has_same_stores(theirs),
            (ours, theirs) => ours.is_none() == theirs.is_none(),
        }
    }

    /// The stack pointer, if aliases are known.
    fn stack_pointer(&self) -> Option<u64> {
        let (location, size) = self.aliases.as_ref()?.stack_pointer()?;
        Some(self.peek(location, size))
    }

    /// A number of up to eight bytes that is read without any effect.
    pub fn peek(&self, location: Location, size: usize) -> u64 {
        match &self.spaces[usize::from(location.space.0)] {
            SpaceState::Registers(registers) => registers.read(register_offset(location.offset), size),
            SpaceState::Memory(memory) => memory.peek_number(location.offset, size),
        }
    }

    /// Returns true if one of these bytes may have been written by something besides the program, or by the program under
    /// another address.
    #[inline]
    pub fn is_changing(&self, location: Location, size: usize) -> bool {
        let may_be_clobbered =
            |aliases: &MayAlias| aliases.may_be_clobbered(location, size, self.stack_pointer());
        self.changing.overlaps(location, size) || self.aliases.as_deref().is_some_and(may_be_clobbered)
    }

    /// Returns true if these bytes are in one readable and writable region that only the program accesses, and only under
    /// this address.
    pub fn is_plain(&self, location: Location, width: Width) -> bool {
        let size = width.bytes();
        if self.aliases.as_ref().is_some_and(|aliases| aliases.contains(location, size)) {
            return false;
        }
        let region = self.regions(location.space).and_then(|regions| regions.at(location.offset));
        region.is_some_and(|Region { last, permissions, outside, .. }| {
            let inside = last - location.offset >= size as u64 - 1;
            inside && permissions.read && permissions.write && !outside
        }) && !self.is_changing(location, size)
    }

    /// Limits the number of new pages of each memory: see [`Memory::limit_pages`].
    pub fn limit_pages(&mut self, count: usize) {
        for space in &mut self.spaces {
            if let SpaceState::Memory(memory) = space {
                memory.limit_pages(count);
            }
        }
    }

    /// Returns true if a byte is initialised. Always true for registers, and without tracking.
    pub fn is_written(&self, location: Location) -> bool {
        match self.spaces.get(usize::from(location.space.0)) {
            Some(SpaceState::Memory(memory)) => memory.is_written(location.offset),
            Some(SpaceState::Registers(_)) | None => true,
        }
    }

    /// Returns true if a byte of memory is mapped and uninitialised; never without tracking.
    #[inline]
    pub fn is_blank(&self, location: Location) -> bool {
        match &self.spaces[usize::from(location.space.0)] {
            SpaceState::Memory(memory) => memory.is_blank(location.offset),
            SpaceState::Registers(_) => false,
        }
    }

    /// Returns true if a byte of memory is mapped and uninitialised, or has assumed contents; never without tracking.
    #[inline]
    pub fn is_unset(&self, location: Location) -> bool {
        match &self.spaces[usize::from(location.space.0)] {
            SpaceState::Memory(memory) => memory.is_unset(location.offset),
            SpaceState::Registers(_) => false,
        }
    }

    /// Returns true if a byte of memory still has contents that are an assumption.
    pub fn is_assumed(&self, location: Location) -> bool {
        match &self.spaces[usize::from(location.space.0)] {
            SpaceState::Memory(memory) => memory.is_assumed(location.offset),
            SpaceState::Registers(_) => false,
        }
    }

    /// All nonzero bytes of memory.
    pub fn contents(&self) -> impl Iterator<Item = (Location, u8)> + '_ {
        self.spaces.iter().enumerate().flat_map(|(number, space)| {
            let memory = match space {
                SpaceState::Memory(memory) => Some(memory),
                SpaceState::Registers(_) => None,
            };
            let at = move |(offset, byte)| (Location { space: SpaceId(number as u8), offset }, byte);
            memory.into_iter().flat_map(|memory| memory.contents()).map(at)
        })
    }

    /// A space.
    pub fn space(&mut self, space: SpaceId) -> Option<&mut SpaceState> {
        self.spaces.get_mut(usize::from(space.0))
    }

    /// A memory space.
    pub fn memory(&mut self, space: SpaceId) -> Option<&mut Memory> {
        match self.space(space)? {
            SpaceState::Memory(memory) => Some(memory),
            SpaceState::Registers(_) => None,
        }
    }

    /// Reads up to eight bytes as a number.
    #[inline]
    pub fn read(&mut self, space: SpaceId, offset: u64, size: usize) -> Result<u64, Denied> {
        match &mut self.spaces[usize::from(space.0)] {
            SpaceState::Registers(registers) => Ok(registers.read(register_offset(offset), size)),
            SpaceState::Memory(memory) => memory.read(offset, size),
        }
    }

    /// Writes the low bytes, up to eight, of a number.
    #[inline]
    pub fn write(&mut self, space: SpaceId, offset: u64, size: usize, value: u64) -> Result<(), Denied> {
        match &mut self.spaces[usize::from(space.0)] {
            SpaceState::Registers(registers) => {
                registers.write(register_offset(offset), size, value);
                Ok(())
            }
            SpaceState::Memory(memory) => memory.write(offset, size, value),
        }
    }

    /// Maps a region of memory, all of whose bytes are zero.
    pub fn map_zeros(&mut self, space: SpaceId, region: Region) {
        self.forget_contents(space, region.start, region.last);
        if let Some(memory) = self.memory(space) {
            memory.map(region);
        }
    }

    /// Unmaps a range of memory.
    pub fn unmap(&mut self, space: SpaceId, first: u64, last: u64) {
        self.forget_contents(space, first, last);
        if let Some(memory) = self.memory(space) {
            memory.unmap(first, last);
        }
    }

    fn forget_contents(&mut self, space: SpaceId, first: u64, last: u64) {
        if !self.shadow(space).is_empty() {
            self.shadow_mut(space).clear(first, last);
        }
        if let Some(memory) = self.memory(space) {
            memory.clear(first, last);
        }
    }

    /// Reads a value of any width, in whole bytes.
    pub fn get(&mut self, location: Location, width: Width, endian: Endian) -> Result<Bits, Denied> {
        let mut bytes = vec![0; width.bytes()];
        match &mut self.spaces[usize::from(location.space.0)] {
            SpaceState::Registers(registers) => {
                registers.read_bytes(register_offset(location.offset), &mut bytes);
            }
            SpaceState::Memory(memory) => memory.read_bytes(location.offset, &mut bytes)?,
        }
        if endian == Endian::Big {
            bytes.reverse();
        }
        Ok(Bits::from_bytes_le(&bytes, width))
    }

    /// Writes a value of any width, in whole bytes.
    pub fn put(&mut self, location: Location, value: &Bits, endian: Endian) -> Result<(), Denied> {
        let mut bytes = value.to_bytes_le();
        if endian == Endian::Big {
            bytes.reverse();
        }
        match &mut self.spaces[usize::from(location.space.0)] {
            SpaceState::Registers(registers) => {
                registers.write_bytes(register_offset(location.offset), &bytes);
                Ok(())
            }
            SpaceState::Memory(memory) => memory.write_bytes(location.offset, &bytes),
        }
    }

    /// Writes the value of a fixed location, also where the program may not write: a register that is mapped to such memory, or
    /// what merged paths hold.
    pub fn put_anyway(&mut self, location: Location, value: &Bits, endian: Endian) {
        let mut bytes = value.to_bytes_le();
        if endian == Endian::Big {
            bytes.reverse();
        }
        if let Some(memory) = self.memory(location.space) {
            memory.load(location.offset, &bytes);
        } else {
            // Register accesses never fail.
            let _ = self.put(location, value, endian);
        }
    }
}

fn last_address(space: &everypath_ir::Space) -> u64 {
    u64::try_from(space.size() - 1).unwrap_or(u64::MAX)
}

#[inline]
fn register_offset(offset: u64) -> usize {
    // No register space is wider than a host address.
    offset as usize
}

/// The side of a select of a condition, or of its negation, for this outcome of the condition.
pub(crate) fn selected_side(terms: &mut Terms, term: Term, condition: Term, holds: bool) -> Option<Term> {
    let View::Apply { op: Op::Select, arguments } = terms.view(term) else { return None };
    let is_same = arguments[0] == condition;
    if !is_same && terms.not(arguments[0]) != condition {
        return None;
    }
    Some(if is_same == holds { arguments[1] } else { arguments[2] })
}

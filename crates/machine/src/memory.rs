//! The memory of one space: pages that states share until one of them writes.
//!
//! A state holds the pages it has touched since it was forked in a short list of its own; all others lie in layers that
//! it shares. A fork freezes a long list into a layer, so that forking costs the same whatever was touched before.

use crate::access::{AccessFault, Denied, Fetched};
use crate::layer::{Layer, PageMap};
use crate::page::{PAGE_BITS, PAGE_SIZE, Page, SharedPage, page_number, page_offset};
use crate::region::{Permissions, Region, Regions};
use everypath_ir::Endian;
use std::rc::Rc;

/// How many pages a fork copies the list of, rather than freezing it.
const FREEZE_ABOVE: usize = 64;
/// How many pages are found without a search. A power of two.
const QUICK: usize = 32;

/// A page that this state has touched.
#[derive(Clone)]
struct Slot {
    number: u64,
    page: SharedPage,
    /// Where in it accesses need not be looked up: around the last one that was.
    window: Window,
}

/// A part of a page that is plain memory with the same permissions throughout.
#[derive(Clone, Copy)]
struct Window {
    from: u16,
    to: u16,
    permissions: Permissions,
}

impl Window {
    const NONE: Window =
        Window { from: 0, to: 0, permissions: Permissions { read: false, write: false, execute: false } };

    #[inline]
    fn has(self, offset: usize, size: usize) -> bool {
        offset >= usize::from(self.from) && offset + size <= usize::from(self.to)
    }
}

/// The memory of one space. Use [`Memory::fork`] to make a copy.
pub struct Memory {
    slots: Vec<Slot>,
    /// Where in `slots` a page is.
    index: PageMap<u32>,
    /// The same for the pages looked at last, without a search.
    quick: [(u64, u32); QUICK],
    below: Option<Rc<Layer>>,
    regions: Regions,
    endian: Endian,
    /// The highest address.
    last: u64,
    note_written: bool,
    /// What is read from a page that nobody has written yet.
    zero: SharedPage,
    /// How many pages may still be touched that were not touched before.
    pages_left: usize,
}

/// No page has this number: addresses have 64 bits, and a page more than one.
const NO_PAGE: u64 = u64::MAX;

impl Memory {
    /// A memory without a byte, with addresses up to `last`.
    pub fn new(endian: Endian, last: u64) -> Self {
        Self {
            slots: Vec::new(),
            index: PageMap::default(),
            quick: [(NO_PAGE, 0); QUICK],
            below: None,
            regions: Regions::default(),
            endian,
            last,
            note_written: false,
            zero: Rc::new(Page::zero(false)),
            pages_left: usize::MAX,
        }
    }

    /// Notes from now on which bytes were ever written. To be called before anything is.
    pub fn note_written(&mut self) {
        self.note_written = true;
        self.zero = Rc::new(Page::zero(true));
    }

    /// Lets this state, and each of its forks, touch so many pages that were not touched before. An access to a further one
    /// is denied as [`AccessFault::Exhausted`].
    pub fn limit_pages(&mut self, count: usize) {
        self.pages_left = count;
    }

    /// A copy that shares everything with this one until either writes.
    #[must_use]
    pub fn fork(&mut self) -> Self {
        if self.slots.len() > FREEZE_ABOVE {
            self.freeze();
        }
        Self {
            slots: self.slots.clone(),
            index: self.index.clone(),
            quick: self.quick,
            below: self.below.clone(),
            regions: self.regions.clone(),
            zero: self.zero.clone(),
            ..*self
        }
    }

    /// Moves the pages that this state has touched into a layer.
    fn freeze(&mut self) {
        let mut pages: PageMap<SharedPage> = PageMap::default();
        pages.reserve(self.slots.len());
        // The lists are given up, not emptied: an empty one that keeps its room would be copied with it by each fork.
        pages.extend(std::mem::take(&mut self.slots).into_iter().map(|slot| (slot.number, slot.page)));
        let mut below = self.below.take();
        // A layer that is not much larger than the one above it is taken in, so that there are few layers.
        while let Some(layer) = below.as_ref().filter(|layer| layer.pages.len() <= 2 * pages.len()) {
            for (number, page) in &layer.pages {
                pages.entry(*number).or_insert_with(|| page.clone());
            }
            let next = layer.below.clone();
            below = next;
        }
        self.below = Some(Rc::new(Layer { pages, below }));
        self.index = PageMap::default();
        self.quick = [(NO_PAGE, 0); QUICK];
    }

    /// The regions that exist.
    pub fn regions(&self) -> &Regions {
        &self.regions
    }

    /// Makes a range of addresses exist, all zero.
    pub fn map(&mut self, region: Region) {
        let region = Region { last: region.last.min(self.last), ..region };
        self.regions.insert(region);
        self.forget_windows(region.start, region.last);
    }

    /// Takes a range of addresses away.
    pub fn unmap(&mut self, start: u64, last: u64) {
        self.regions.remove(start, last);
        self.forget_windows(start, last);
    }

    /// Forgets what may be done with the pages that have an address in this range.
    fn forget_windows(&mut self, start: u64, last: u64) {
        let pages = page_number(start)..=page_number(last);
        // A file can have many small segments, and a segment can be as large as the space: whichever are fewer.
        if pages.end().saturating_sub(*pages.start()) < self.slots.len() as u64 {
            for slot in pages.filter_map(|number| self.index.get(&number)) {
                self.slots[*slot as usize].window = Window::NONE;
            }
        } else {
            let slots = self.slots.iter_mut().filter(|slot| pages.contains(&slot.number));
            slots.for_each(|slot| slot.window = Window::NONE);
        }
    }

    /// The slot of a page; it is brought into the list if it is not there. `None` if no further page may be touched.
    #[inline]
    fn slot(&mut self, number: u64) -> Option<usize> {
        let (known, slot) = self.quick[number as usize % QUICK];
        if known == number { Some(slot as usize) } else { self.find_slot(number, true) }
    }

    #[cold]
    #[inline(never)]
    fn find_slot(&mut self, number: u64, limited: bool) -> Option<usize> {
        let slot = match self.index.get(&number) {
            Some(slot) => *slot,
            None => {
                let page = match self.below.as_ref().and_then(|layer| layer.find(number)) {
                    Some(page) => page.clone(),
                    None if limited => {
                        self.pages_left = self.pages_left.checked_sub(1)?;
                        self.zero.clone()
                    }
                    None => self.zero.clone(),
                };
                let slot = self.slots.len() as u32;
                self.slots.push(Slot { number, page, window: Window::NONE });
                self.index.insert(number, slot);
                slot
            }
        };
        self.quick[number as usize % QUICK] = (number, slot);
        Some(slot as usize)
    }

    /// The slot of an access that lies in one part of one page and is allowed there.
    #[inline]
    fn aim(&mut self, address: u64, size: usize, allowed: impl FnOnce(Permissions) -> bool) -> Option<usize> {
        let offset = page_offset(address);
        let slot = self.slot(page_number(address))?;
        let mut window = self.slots[slot].window;
        if !window.has(offset, size) {
            window = self.move_window(slot, address);
        }
        (window.has(offset, size) && allowed(window.permissions)).then_some(slot)
    }

    /// Makes the window of a page the part that has an address.
    #[cold]
    #[inline(never)]
    fn move_window(&mut self, slot: usize, address: u64) -> Window {
        let page = address - page_offset(address) as u64;
        let window = match self.regions.at(address) {
            Some(region) if !region.outside => Window {
                from: (region.start.max(page) - page) as u16,
                to: ((region.last - page).min(PAGE_SIZE as u64 - 1) + 1) as u16,
                permissions: region.permissions,
            },
            _ => Window::NONE,
        };
        self.slots[slot].window = window;
        window
    }

    /// Reads a number of up to eight bytes.
    #[inline]
    pub fn read(&mut self, address: u64, size: usize) -> Result<u64, Denied> {
        if let Some(slot) = self.aim(address, size, |permissions| permissions.read) {
            let offset = page_offset(address);
            return Ok(self.endian.number(&self.slots[slot].page.bytes[offset..offset + size]));
        }
        let mut bytes = [0; 8];
        self.read_bytes(address, &mut bytes[..size])?;
        Ok(self.endian.number(&bytes[..size]))
    }

    /// Writes the low bytes, up to eight, of a number.
    #[inline]
    pub fn write(&mut self, address: u64, size: usize, value: u64) -> Result<(), Denied> {
        if let Some(slot) = self.aim(address, size, |permissions| permissions.write) {
            let (page, offset) = (Rc::make_mut(&mut self.slots[slot].page), page_offset(address));
            self.endian.put(value, &mut page.bytes[offset..offset + size]);
            if let Some(written) = &mut page.written {
                (offset..offset + size).for_each(|offset| written.insert(offset));
            }
            return Ok(());
        }
        let mut bytes = [0; 8];
        self.endian.put(value, &mut bytes[..size]);
        self.write_bytes(address, &bytes[..size])
    }

    /// Reads bytes in the order of their addresses, which wrap at the end of the space.
    pub fn read_bytes(&mut self, address: u64, buffer: &mut [u8]) -> Result<(), Denied> {
        for (distance, byte) in buffer.iter_mut().enumerate() {
            let address = self.wrap(address, distance);
            self.check(address, |permissions| permissions.read, AccessFault::NotReadable)?;
            *byte = self.peek(address);
        }
        Ok(())
    }

    /// Writes bytes in the order of their addresses, which wrap at the end of the space. Either all are written or none.
    pub fn write_bytes(&mut self, address: u64, bytes: &[u8]) -> Result<(), Denied> {
        for distance in 0..bytes.len() {
            let address = self.wrap(address, distance);
            self.check(address, |permissions| permissions.write, AccessFault::NotWritable)?;
        }
        for (distance, byte) in bytes.iter().enumerate() {
            self.poke(self.wrap(address, distance), *byte);
        }
        Ok(())
    }

    /// The address so many bytes behind another one; addresses wrap at the end of the space.
    pub(crate) fn wrap(&self, address: u64, distance: usize) -> u64 {
        let address = address.wrapping_add(distance as u64);
        if address > self.last { address.wrapping_sub(self.last).wrapping_sub(1) } else { address }
    }

    /// Whether a byte may be read.
    pub(crate) fn check_read(&mut self, address: u64) -> Result<(), Denied> {
        self.check(address, |permissions| permissions.read, AccessFault::NotReadable).map(|_| ())
    }

    /// Whether a byte may be written.
    pub(crate) fn check_write(&mut self, address: u64) -> Result<(), Denied> {
        self.check(address, |permissions| permissions.write, AccessFault::NotWritable).map(|_| ())
    }

    fn check(
        &mut self,
        address: u64,
        allowed: fn(Permissions) -> bool,
        fault: AccessFault,
    ) -> Result<Permissions, Denied> {
        let fault = match self.regions.at(address) {
            None => AccessFault::Unmapped,
            Some(region) if region.outside => AccessFault::Outside,
            Some(region) if !allowed(region.permissions) => fault,
            Some(region) if self.slot(page_number(address)).is_some() => return Ok(region.permissions),
            Some(_) => AccessFault::Exhausted,
        };
        Err(Denied { address, fault })
    }

    /// Copies the bytes from an address on that may be executed, until the first that may not.
    pub fn fetch(&mut self, address: u64, buffer: &mut [u8]) -> Result<Fetched, Denied> {
        let mut fetched = Fetched { count: 0, writable: false };
        for (distance, byte) in buffer.iter_mut().enumerate() {
            let address = self.wrap(address, distance);
            match self.check(address, |permissions| permissions.execute, AccessFault::NotExecutable) {
                Ok(permissions) => {
                    fetched.writable |= permissions.write;
                    *byte = self.peek(address);
                    fetched.count += 1;
                }
                Err(denied) if distance == 0 => return Err(denied),
                Err(_) => break,
            }
        }
        Ok(fetched)
    }

    /// A byte, whatever may be done with it.
    pub fn peek(&self, address: u64) -> u8 {
        self.page(page_number(address)).map_or(0, |page| page.bytes[page_offset(address)])
    }

    /// Sets a byte, whatever may be done with it: loading a program is not a write of the program.
    pub fn poke(&mut self, address: u64, value: u8) {
        let number = page_number(address);
        let (known, slot) = self.quick[number as usize % QUICK];
        let slot = if known == number { Some(slot as usize) } else { self.find_slot(number, false) };
        let slot = slot.expect("without a limit it is always found");
        let page = Rc::make_mut(&mut self.slots[slot].page);
        page.bytes[page_offset(address)] = value;
        if let Some(written) = &mut page.written {
            written.insert(page_offset(address));
        }
    }

    /// Whether it is noted of a byte that it was given a value after it began to exist.
    fn is_noted(&self, address: u64) -> bool {
        let written = self.page(page_number(address)).and_then(|page| page.written.as_ref());
        written.is_some_and(|written| written.contains(page_offset(address)))
    }

    /// Whether a byte was ever given a value: by the program, or before it started. Always true where that is not noted.
    pub fn is_written(&self, address: u64) -> bool {
        !self.note_written
            || self.is_noted(address)
            || self.regions.at(address).is_some_and(|region| region.has_contents)
    }

    /// Whether a byte exists and was never given a value.
    pub fn is_blank(&self, address: u64) -> bool {
        self.has_no_value(address, |_| true)
    }

    /// Whether a byte was never given a value, though the program could have: memory that may not be written has no other
    /// value than the one it has.
    pub fn is_unset(&self, address: u64) -> bool {
        self.has_no_value(address, |permissions| permissions.write)
    }

    /// Whether a byte in a region like this was never given a value.
    fn has_no_value(&self, address: u64, wanted: fn(Permissions) -> bool) -> bool {
        let is_such = |region: Region| !region.has_contents && wanted(region.permissions);
        self.note_written && !self.is_noted(address) && self.regions.at(address).is_some_and(is_such)
    }

    /// Every byte that is not zero, by address.
    pub fn contents(&self) -> impl Iterator<Item = (u64, u8)> + '_ {
        self.touched_pages().into_iter().flat_map(|start| {
            let bytes = self.page(page_number(start)).into_iter().flat_map(|page| page.bytes.iter());
            let present = bytes.enumerate().filter(|(_, byte)| **byte != 0);
            present.map(move |(offset, byte)| (start | offset as u64, *byte))
        })
    }

    /// A page that was touched, looked up without bringing it into the list.
    #[inline]
    fn page(&self, number: u64) -> Option<&SharedPage> {
        let (known, slot) = self.quick[number as usize % QUICK];
        if known == number {
            return Some(&self.slots[slot as usize].page);
        }
        match self.index.get(&number) {
            Some(slot) => Some(&self.slots[*slot as usize].page),
            None => self.below.as_ref()?.find(number),
        }
    }

    /// The first address of every page that was touched, in order.
    pub fn touched_pages(&self) -> Vec<u64> {
        let mut numbers: Vec<u64> = self.slots.iter().map(|slot| slot.number).collect();
        let mut layer = self.below.as_deref();
        while let Some(Layer { pages, below }) = layer {
            numbers.extend(pages.keys());
            layer = below.as_deref();
        }
        numbers.sort_unstable();
        numbers.dedup();
        numbers.iter().map(|number| number << PAGE_BITS).collect()
    }

    /// How many pages this state does not share with any other.
    pub fn own_pages(&self) -> usize {
        self.slots.iter().filter(|slot| Rc::strong_count(&slot.page) == 1).count()
    }
}

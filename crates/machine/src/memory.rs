//! Copy-on-write memory of one address space, in pages that forks share until one of them writes.
//!
//! A state holds the pages that it touched since its last fork in a short list of its own; all others are in shared
//! layers. A fork freezes a long list into a layer, so the cost of a fork does not depend on the pages touched before.

use crate::access::{AccessFault, Denied, Fetched};
use crate::layer::{Layer, PageMap};
use crate::page::{PAGE_BITS, PAGE_SIZE, Page, SharedPage, page_number, page_offset};
use crate::region::{Permissions, Region, Regions};
use everypath_ir::Endian;
use std::rc::Rc;

/// The list length up to which a fork copies the list instead of freezing it.
const FREEZE_ABOVE: usize = 64;
/// The size of the direct-mapped page cache. A power of two.
const QUICK: usize = 32;

/// A page touched by this state.
#[derive(Clone)]
struct Slot {
    number: u64,
    page: SharedPage,
    /// The part of the page whose permissions are cached: around the last access that was checked.
    window: Window,
}

/// A part of a page that is plain memory with uniform permissions.
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

/// The memory of one address space. Use [`Memory::fork`] to make a copy.
pub struct Memory {
    slots: Vec<Slot>,
    /// The index in `slots` of each page.
    index: PageMap<u32>,
    /// A direct-mapped cache of `index`.
    quick: [(u64, u32); QUICK],
    below: Option<Rc<Layer>>,
    regions: Regions,
    endian: Endian,
    /// The highest address.
    last: u64,
    note_written: bool,
    /// The shared page of zeros, for pages not yet written.
    zero: SharedPage,
    /// The remaining number of new pages that may be touched.
    pages_left: usize,
}

/// No page has this number: addresses have 64 bits, and a page has more than one byte.
const NO_PAGE: u64 = u64::MAX;

impl Memory {
    /// An empty memory with addresses up to `last`.
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

    /// Tracks which bytes are initialised. To be called before any write.
    pub fn note_written(&mut self) {
        self.note_written = true;
        self.zero = Rc::new(Page::zero(true));
    }

    /// Limits the number of new pages that this state, and each of its forks, may touch. An access to a further page is
    /// denied as [`AccessFault::Exhausted`].
    pub fn limit_pages(&mut self, count: usize) {
        self.pages_left = count;
    }

    /// A copy that shares all pages with this one until either writes.
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

    /// Moves the pages of this state into a layer.
    fn freeze(&mut self) {
        let mut pages: PageMap<SharedPage> = PageMap::default();
        pages.reserve(self.slots.len());
        // The lists are replaced, not cleared: a cleared list keeps its capacity, which every fork would copy.
        pages.extend(std::mem::take(&mut self.slots).into_iter().map(|slot| (slot.number, slot.page)));
        let mut below = self.below.take();
        // Merge layers of similar size, which keeps their number logarithmic.
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

    /// The mapped regions.
    pub fn regions(&self) -> &Regions {
        &self.regions
    }

    /// Maps a region of zeros.
    pub fn map(&mut self, region: Region) {
        let region = Region { last: region.last.min(self.last), ..region };
        self.regions.insert(region);
        self.forget_windows(region.start, region.last);
    }

    /// Unmaps a range of addresses.
    pub fn unmap(&mut self, start: u64, last: u64) {
        self.regions.remove(start, last);
        self.forget_windows(start, last);
    }

    /// Drops the cached permissions of the pages in this range.
    fn forget_windows(&mut self, start: u64, last: u64) {
        let pages = page_number(start)..=page_number(last);
        // A file can have many small segments, and a segment can be as large as the space: iterate over the smaller
        // set.
        if pages.end().saturating_sub(*pages.start()) < self.slots.len() as u64 {
            for slot in pages.filter_map(|number| self.index.get(&number)) {
                self.slots[*slot as usize].window = Window::NONE;
            }
        } else {
            let slots = self.slots.iter_mut().filter(|slot| pages.contains(&slot.number));
            slots.for_each(|slot| slot.window = Window::NONE);
        }
    }

    /// The slot of a page, added to the list if it is missing. `None` at the page limit.
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

    /// The slot of an access that is within one uniform part of a page and permitted there.
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

    /// Moves the cached permissions of a page to the part that contains an address.
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

    /// Writes all bytes or none, in the order of their addresses, which wrap at the end of the space.
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

    /// The address at this distance; addresses wrap at the end of the space.
    pub(crate) fn wrap(&self, address: u64, distance: usize) -> u64 {
        let address = address.wrapping_add(distance as u64);
        if address > self.last { address.wrapping_sub(self.last).wrapping_sub(1) } else { address }
    }

    /// Checks that a byte is readable.
    pub(crate) fn check_read(&mut self, address: u64) -> Result<(), Denied> {
        self.check(address, |permissions| permissions.read, AccessFault::NotReadable).map(|_| ())
    }

    /// Checks that a byte is writable.
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

    /// Copies executable bytes from an address, up to the first that is not executable.
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

    /// A byte, without a permission check.
    pub fn peek(&self, address: u64) -> u8 {
        self.page(page_number(address)).map_or(0, |page| page.bytes[page_offset(address)])
    }

    /// A number of up to eight bytes, without a permission check.
    pub(crate) fn peek_number(&self, address: u64, size: usize) -> u64 {
        let byte = |place: usize| u64::from(self.peek(address.wrapping_add(place as u64)));
        let place = |index: usize| self.endian.place(index, size);
        (0..size).map(|index| byte(place(index)) << (8 * index)).sum()
    }

    /// Sets a byte without a permission check: loading a program is not a store by the program.
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

    /// Sets bytes without a permission check, as [`Memory::poke`] does; whole pages are copied.
    pub fn load(&mut self, address: u64, bytes: &[u8]) {
        let mut done = 0;
        while done < bytes.len() {
            let at = self.wrap(address, done);
            let (number, offset) = (page_number(at), page_offset(at));
            let count = (PAGE_SIZE - offset).min(bytes.len() - done);
            let slot = self.find_slot(number, false).expect("without a limit it is always found");
            let page = Rc::make_mut(&mut self.slots[slot].page);
            page.bytes[offset..offset + count].copy_from_slice(&bytes[done..done + count]);
            if let Some(written) = &mut page.written {
                (offset..offset + count).for_each(|offset| written.insert(offset));
            }
            done += count;
        }
    }

    /// Makes bytes zero and not initialised, without a permission check.
    pub fn clear(&mut self, first: u64, last: u64) {
        let pages = page_number(first)..=page_number(last);
        let mut touched: Vec<u64> = self.page_numbers().filter(|number| pages.contains(number)).collect();
        touched.sort_unstable();
        touched.dedup();
        for number in touched {
            let Some(slot) = self.find_slot(number, false) else { continue };
            let start = number << PAGE_BITS;
            let from = first.saturating_sub(start) as usize;
            let to = ((last - start).min(PAGE_SIZE as u64 - 1)) as usize;
            if (from, to) == (0, PAGE_SIZE - 1) {
                self.slots[slot].page = self.zero.clone();
                continue;
            }
            let page = Rc::make_mut(&mut self.slots[slot].page);
            page.bytes[from..=to].fill(0);
            if let Some(written) = &mut page.written {
                (from..=to).for_each(|offset| written.remove(offset));
            }
        }
    }

    /// Returns true if a byte is recorded as initialised.
    fn is_noted(&self, address: u64) -> bool {
        let written = self.page(page_number(address)).and_then(|page| page.written.as_ref());
        written.is_some_and(|written| written.contains(page_offset(address)))
    }

    /// Returns true if a byte is initialised, by the program or before its start. Always true without tracking.
    pub fn is_written(&self, address: u64) -> bool {
        !self.note_written
            || self.is_noted(address)
            || self.regions.at(address).is_some_and(|region| region.has_contents)
    }

    /// Returns true if a byte is mapped and uninitialised.
    pub fn is_blank(&self, address: u64) -> bool {
        let is_such = |region: Region| !region.has_contents;
        self.note_written && !self.is_noted(address) && self.regions.at(address).is_some_and(is_such)
    }

    /// Returns true if a byte is mapped and uninitialised, or has assumed contents. That holds for read-only memory, too: erased
    /// flash reads as ones, and what else is programmed there is not known.
    pub fn is_unset(&self, address: u64) -> bool {
        self.is_blank(address) || self.is_assumed(address)
    }

    /// Returns true if a byte still has contents that are an assumption.
    pub fn is_assumed(&self, address: u64) -> bool {
        self.note_written
            && !self.is_noted(address)
            && self.regions.at(address).is_some_and(|region| region.is_assumed)
    }

    /// Makes the contents of writable memory in this range an assumption, until the program writes them.
    pub fn assume_contents(&mut self, first: u64, last: u64) {
        let is_writable = |region: &Region| region.permissions.write && !region.outside;
        let inside = |region: &Region| region.start <= last && region.last >= first && is_writable(region);
        let regions: Vec<Region> = self.regions.iter().filter(inside).collect();
        for region in regions {
            let (start, last) = (region.start.max(first), region.last.min(last));
            self.map(Region { start, last, is_assumed: true, has_contents: true, ..region });
            self.forget_written(start, last);
        }
    }

    /// Counts the bytes of a range as not initialised.
    fn forget_written(&mut self, first: u64, last: u64) {
        let pages = page_number(first)..=page_number(last);
        let touched: Vec<u64> = self.page_numbers().filter(|number| pages.contains(number)).collect();
        for number in touched {
            let Some(slot) = self.find_slot(number, false) else { continue };
            let page = Rc::make_mut(&mut self.slots[slot].page);
            let start = number << PAGE_BITS;
            if let Some(written) = &mut page.written {
                let held = (0..PAGE_SIZE).filter(|offset| (first..=last).contains(&(start + *offset as u64)));
                held.for_each(|offset| written.remove(offset));
            }
        }
    }

    /// All nonzero bytes, by address.
    pub fn contents(&self) -> impl Iterator<Item = (u64, u8)> + '_ {
        self.touched_pages().into_iter().flat_map(|start| {
            let bytes = self.page(page_number(start)).into_iter().flat_map(|page| page.bytes.iter());
            let present = bytes.enumerate().filter(|(_, byte)| **byte != 0);
            present.map(move |(offset, byte)| (start | offset as u64, *byte))
        })
    }

    /// A touched page, without adding it to the list.
    #[inline]
    pub(crate) fn page(&self, number: u64) -> Option<&SharedPage> {
        let (known, slot) = self.quick[number as usize % QUICK];
        if known == number {
            return Some(&self.slots[slot as usize].page);
        }
        match self.index.get(&number) {
            Some(slot) => Some(&self.slots[*slot as usize].page),
            None => self.below.as_ref()?.find(number),
        }
    }

    /// The numbers of touched pages, possibly more than once.
    pub(crate) fn page_numbers(&self) -> impl Iterator<Item = u64> + '_ {
        let layers = std::iter::successors(self.below.as_deref(), |layer| layer.below.as_deref());
        let own = self.slots.iter().map(|slot| slot.number);
        own.chain(layers.flat_map(|layer| layer.pages.keys().copied()))
    }

    /// The first address of every touched page, in order.
    pub fn touched_pages(&self) -> Vec<u64> {
        let mut numbers: Vec<u64> = self.page_numbers().collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.iter().map(|number| number << PAGE_BITS).collect()
    }

    /// The number of pages that this state does not share.
    pub fn own_pages(&self) -> usize {
        self.slots.iter().filter(|slot| Rc::strong_count(&slot.page) == 1).count()
    }
}

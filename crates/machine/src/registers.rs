//! Copy-on-write register file, in small pages that states share until one of them writes.

use everypath_ir::Endian;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The size of a register page: small, because a running state writes most registers.
const PAGE: usize = 256;

/// The number of pages in the dense array. Specifications put general registers first, and thousands of control
/// registers far behind.
const NEAR: usize = 4096;

/// A register space. Bytes never written are zero.
#[derive(Clone, Debug)]
pub struct Registers {
    pages: Vec<Rc<[u8; PAGE]>>,
    /// Pages beyond the dense array, by number.
    far: BTreeMap<usize, Rc<[u8; PAGE]>>,
    endian: Endian,
}

impl Registers {
    /// All registers are zero.
    pub fn new(endian: Endian) -> Self {
        Self { pages: Vec::new(), far: BTreeMap::new(), endian }
    }

    /// The page with this number, created if it is missing.
    fn page(&mut self, number: usize) -> &mut [u8; PAGE] {
        let fresh = || Rc::new([0; PAGE]);
        if number >= NEAR {
            return Rc::make_mut(self.far.entry(number).or_insert_with(fresh));
        }
        if number >= self.pages.len() {
            self.pages.resize_with(number + 1, fresh);
        }
        Rc::make_mut(&mut self.pages[number])
    }

    pub(crate) fn page_numbers(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.pages.len()).chain(self.far.keys().copied())
    }

    /// The bytes of a page, and by which storage, if it has any, it is shared.
    pub(crate) fn shared_page(&self, number: usize) -> (&[u8; PAGE], Option<*const [u8; PAGE]>) {
        match self.pages.get(number).or_else(|| self.far.get(&number)) {
            Some(page) => (page, Some(Rc::as_ptr(page))),
            None => (&[0; PAGE], None),
        }
    }

    /// Reads a number of up to eight bytes.
    #[inline]
    pub fn read(&self, offset: usize, size: usize) -> u64 {
        let within = offset % PAGE;
        if let Some(page) = self.pages.get(offset / PAGE)
            && within + size <= PAGE
        {
            return self.endian.number(&page[within..within + size]);
        }
        let mut bytes = [0; 8];
        self.read_bytes(offset, &mut bytes[..size]);
        self.endian.number(&bytes[..size])
    }

    /// Writes the low bytes, up to eight, of a number.
    #[inline]
    pub fn write(&mut self, offset: usize, size: usize, value: u64) {
        let within = offset % PAGE;
        if let Some(page) = self.pages.get_mut(offset / PAGE)
            && within + size <= PAGE
        {
            self.endian.put(value, &mut Rc::make_mut(page)[within..within + size]);
            return;
        }
        let mut bytes = [0; 8];
        self.endian.put(value, &mut bytes[..size]);
        self.write_bytes(offset, &bytes[..size]);
    }

    fn byte(&self, offset: usize) -> u8 {
        let number = offset / PAGE;
        self.pages.get(number).or_else(|| self.far.get(&number)).map_or(0, |page| page[offset % PAGE])
    }

    /// Reads bytes in the order of their offsets.
    pub fn read_bytes(&self, offset: usize, buffer: &mut [u8]) {
        for (distance, byte) in buffer.iter_mut().enumerate() {
            *byte = self.byte(offset.wrapping_add(distance));
        }
    }

    /// Writes bytes in the order of their offsets.
    pub fn write_bytes(&mut self, offset: usize, bytes: &[u8]) {
        for (distance, byte) in bytes.iter().enumerate() {
            let offset = offset.wrapping_add(distance);
            self.page(offset / PAGE)[offset % PAGE] = *byte;
        }
    }

    /// The number of bytes in allocated pages.
    pub fn len(&self) -> usize {
        (self.pages.len() + self.far.len()) * PAGE
    }

    /// Returns true if no register was ever written.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty() && self.far.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_far_behind_the_others_are_apart() {
        for endian in Endian::ALL {
            let mut registers = Registers::new(endian);
            let offsets = [0, 0x2004, NEAR * PAGE - 4, NEAR * PAGE, 0x9000_0004, 0x9000_0008, 0x9000_00fe];
            for (value, offset) in offsets.into_iter().enumerate() {
                registers.write(offset, 4, value as u64 + 1);
            }
            for (value, offset) in offsets.into_iter().enumerate() {
                assert_eq!(registers.read(offset, 4), value as u64 + 1, "{offset:#x}");
            }
            let mut fork = registers.clone();
            fork.write(0x9000_0004, 4, 99);
            assert_eq!(registers.read(0x9000_0004, 4), 5);
            assert!(registers.len() < 2 * NEAR * PAGE, "nothing between them is kept");
        }
    }
}

//! Registers: small pages in a row, shared between states until one of them writes.

use everypath_ir::Endian;
use std::rc::Rc;

/// How many bytes a page of registers has: few, because a state that runs writes most of them.
const PAGE: usize = 256;

/// A space of registers. Bytes that were never written are zero.
#[derive(Clone, Debug)]
pub struct Registers {
    pages: Vec<Rc<[u8; PAGE]>>,
    endian: Endian,
}

impl Registers {
    /// No register has a value yet.
    pub fn new(endian: Endian) -> Self {
        Self { pages: Vec::new(), endian }
    }

    fn reach(&mut self, end: usize) {
        while self.pages.len() * PAGE < end {
            self.pages.push(Rc::new([0; PAGE]));
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
        self.pages.get(offset / PAGE).map_or(0, |page| page[offset % PAGE])
    }

    /// Reads bytes in the order of their offsets.
    pub fn read_bytes(&self, offset: usize, buffer: &mut [u8]) {
        for (distance, byte) in buffer.iter_mut().enumerate() {
            *byte = self.byte(offset + distance);
        }
    }

    /// Writes bytes in the order of their offsets.
    pub fn write_bytes(&mut self, offset: usize, bytes: &[u8]) {
        self.reach(offset + bytes.len());
        for (distance, byte) in bytes.iter().enumerate() {
            let offset = offset + distance;
            Rc::make_mut(&mut self.pages[offset / PAGE])[offset % PAGE] = *byte;
        }
    }

    /// How many bytes have been reached so far.
    pub fn len(&self) -> usize {
        self.pages.len() * PAGE
    }

    /// Whether no register was ever written.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }
}

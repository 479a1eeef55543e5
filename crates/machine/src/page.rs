//! Pages: the unit of copy-on-write sharing between states.

use std::rc::Rc;

/// The size of a page in bytes.
pub const PAGE_SIZE: usize = 4096;
pub(crate) const PAGE_BITS: u32 = PAGE_SIZE.trailing_zeros();

/// The number of a page: an address without its low bits.
pub(crate) fn page_number(address: u64) -> u64 {
    address >> PAGE_BITS
}

/// The offset of an address in its page.
pub(crate) fn page_offset(address: u64) -> usize {
    address as usize & (PAGE_SIZE - 1)
}

/// One bit for each byte of a page.
#[derive(Clone)]
pub(crate) struct Bitmap([u64; PAGE_SIZE / 64]);

impl Bitmap {
    pub(crate) fn empty() -> Self {
        Self([0; PAGE_SIZE / 64])
    }

    pub(crate) fn contains(&self, offset: usize) -> bool {
        self.0[offset / 64] >> (offset % 64) & 1 == 1
    }

    pub(crate) fn insert(&mut self, offset: usize) {
        self.0[offset / 64] |= 1 << (offset % 64);
    }

    pub(crate) fn remove(&mut self, offset: usize) {
        self.0[offset / 64] &= !(1 << (offset % 64));
    }
}

/// The contents of a page.
#[derive(Clone)]
pub(crate) struct Page {
    pub(crate) bytes: [u8; PAGE_SIZE],
    /// The initialised bytes, if that is tracked: loaded from a file or written since.
    pub(crate) written: Option<Box<Bitmap>>,
}

impl Page {
    pub(crate) fn zero(note_written: bool) -> Self {
        Self { bytes: [0; PAGE_SIZE], written: note_written.then(|| Box::new(Bitmap::empty())) }
    }
}

/// A shared page.
pub(crate) type SharedPage = Rc<Page>;

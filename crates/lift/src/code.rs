//! Sources of instruction bytes.

use everypath_image::Image;

/// A source of instruction bytes.
pub trait Code {
    /// Copies the contiguous bytes at `address` to `buffer`, as many as are available, and returns their number.
    fn read(&self, address: u64, buffer: &mut [u8]) -> usize;
}

/// Bytes at an address.
#[derive(Clone, Copy, Debug)]
pub struct CodeBytes<'b> {
    /// The address of the first byte.
    pub address: u64,
    /// The bytes.
    pub bytes: &'b [u8],
}

impl Code for CodeBytes<'_> {
    fn read(&self, address: u64, buffer: &mut [u8]) -> usize {
        let start = address.checked_sub(self.address).and_then(|start| usize::try_from(start).ok());
        let rest = start.and_then(|start| self.bytes.get(start..)).unwrap_or(&[]);
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        count
    }
}

impl Code for Image {
    fn read(&self, address: u64, buffer: &mut [u8]) -> usize {
        self.read_at(address, buffer)
    }
}

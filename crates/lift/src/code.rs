//! Where instruction bytes come from.

use everypath_image::Image;

/// Something that instructions can be read from.
pub trait Code {
    /// Copies the bytes at `address` to `buffer`, as many as there are without a gap, and says how many.
    fn read(&self, address: u64, buffer: &mut [u8]) -> usize;
}

/// Bytes at an address.
#[derive(Clone, Copy, Debug)]
pub struct Bytes<'b> {
    /// The address of the first byte.
    pub address: u64,
    /// The bytes.
    pub bytes: &'b [u8],
}

impl Code for Bytes<'_> {
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

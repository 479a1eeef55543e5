//! The memory that the decoder reads: the code of a sweep, or the records of one set of slots.

use crate::reference::{Request, Work};
use libsla::{InstructionLoader, VarnodeData};

/// Bytes by address. Everything else is zero, so that bytes beyond an instruction do not depend on earlier ones.
pub(super) struct Image {
    bytes: Vec<u8>,
    work: Work,
    /// Index of the record in the first slot.
    first: u64,
}

impl Image {
    pub(super) fn read(request: &Request) -> Result<Self, String> {
        let bytes =
            std::fs::read(&request.input).map_err(|error| format!("{}: {error}", request.input.display()))?;
        let first = match request.work {
            Work::Sweep(_) => 0,
            Work::Words(words) => request.start / words.slots * words.slots,
        };
        Ok(Self { bytes, work: request.work, first })
    }

    /// The number of bytes.
    pub(super) fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Whether this cursor is valid: an address of a sweep, or an index of a record.
    pub(super) fn contains(&self, cursor: u64) -> bool {
        let length = self.bytes.len() as u64;
        match self.work {
            Work::Sweep(sweep) => cursor.checked_sub(sweep.base).is_some_and(|offset| offset < length),
            Work::Words(words) => cursor - self.first < words.slots && cursor < length / words.size,
        }
    }

    /// Whether an instruction at this address extends beyond the code of a sweep.
    pub(super) fn is_truncated(&self, address: u64, length: u64) -> bool {
        match self.work {
            Work::Sweep(sweep) => address - sweep.base + length > self.bytes.len() as u64,
            Work::Words(_) => false,
        }
    }

    fn byte(&self, address: u64) -> Option<u8> {
        let base = match self.work {
            Work::Sweep(sweep) => sweep.base,
            Work::Words(words) => words.base,
        };
        let offset = address.checked_sub(base)?;
        let position = match self.work {
            Work::Sweep(_) => offset,
            Work::Words(words) => {
                let (slot, place) = (offset / words.stride, offset % words.stride);
                if slot >= words.slots || place >= words.size {
                    return None;
                }
                (self.first + slot) * words.size + place
            }
        };
        self.bytes.get(usize::try_from(position).ok()?).copied()
    }
}

impl InstructionLoader for Image {
    fn load_instruction_bytes(&self, source: &VarnodeData) -> Result<Vec<u8>, String> {
        let start = source.address.offset;
        Ok((0..source.size as u64).map(|place| self.byte(start.wrapping_add(place)).unwrap_or(0)).collect())
    }
}

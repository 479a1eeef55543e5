//! The bytes of one instruction, from which patterns and token fields are read.

use crate::bad::BadInstruction;

/// The maximum length of an instruction in bytes.
pub(crate) const INSTRUCTION_LIMIT: usize = 16;

/// The bytes at an address, padded with zeros.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    bytes: [u8; 2 * INSTRUCTION_LIMIT],
    /// The number of bytes that are not padding.
    pub(crate) available: usize,
}

impl Window {
    pub(crate) fn new(source: &[u8]) -> Self {
        let mut bytes = [0; 2 * INSTRUCTION_LIMIT];
        let available = source.len().min(INSTRUCTION_LIMIT);
        bytes[..available].copy_from_slice(&source[..available]);
        Self { bytes, available }
    }

    /// Sixteen bytes from `offset` on, the first one highest.
    #[inline]
    pub(crate) fn at(&self, offset: usize) -> Result<u128, BadInstruction> {
        if offset >= INSTRUCTION_LIMIT {
            return Err(BadInstruction::TooLong);
        }
        let mut sixteen = [0; INSTRUCTION_LIMIT];
        sixteen.copy_from_slice(&self.bytes[offset..offset + INSTRUCTION_LIMIT]);
        Ok(u128::from_be_bytes(sixteen))
    }

    /// Eight bytes from `offset` on, the first one highest.
    #[inline]
    fn eight(&self, offset: usize) -> Result<u64, BadInstruction> {
        if offset >= INSTRUCTION_LIMIT {
            return Err(BadInstruction::TooLong);
        }
        let mut eight = [0; 8];
        eight.copy_from_slice(&self.bytes[offset..offset + 8]);
        Ok(u64::from_be_bytes(eight))
    }

    /// `size` bits (one to 56) from bit `start` after `offset`, the first bit highest.
    #[inline]
    pub(crate) fn bits(&self, offset: usize, start: u32, size: u32) -> Result<u64, BadInstruction> {
        let window = self.eight(offset + (start / 8) as usize)?;
        Ok(window << (start % 8) >> (64 - size))
    }
}

/// A field of an instruction token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TokenField {
    pub(crate) big_endian: bool,
    pub(crate) signed: bool,
    /// The index of its highest bit: its width less one.
    pub(crate) top_bit: u32,
    pub(crate) start_byte: u32,
    pub(crate) byte_count: u32,
    pub(crate) shift: u32,
}

impl TokenField {
    #[inline]
    pub(crate) fn read(&self, window: &Window, offset: usize) -> Result<i64, BadInstruction> {
        let raw = window.eight(offset + self.start_byte as usize)?;
        // The wanted bytes are the most significant ones: a big-endian number is shifted down; a little-endian number
        // is byte-swapped, and the bytes below are masked out.
        let unused = 64 - 8 * self.byte_count;
        let raw = if self.big_endian { raw >> unused } else { raw.swap_bytes() << unused >> unused };
        Ok(extend(raw as i64 >> self.shift, self.top_bit, self.signed))
    }
}

/// Truncates a number above `top_bit`, or sign-extends it from there.
pub(crate) fn extend(value: i64, top_bit: u32, signed: bool) -> i64 {
    let unused = 63_u32.saturating_sub(top_bit);
    let high = value << unused;
    if signed { high >> unused } else { (high as u64 >> unused) as i64 }
}

//! A seeded generator of numbers and values, the same on every machine.

use everypath_ir::{Bits, Width};

/// Numbers from a seed (the SplitMix64 sequence).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let number = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        number ^ (number >> 31)
    }

    /// A number below the limit.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// A value, often one of those at which operators behave differently.
    pub(crate) fn bits(&mut self, width: Width) -> Bits {
        let mut bytes: Vec<u8> = (0..64).map(|_| self.next() as u8).collect();
        match self.below(6) {
            0 => bytes.fill(self.pick(&[0, 0xff])),
            1 => {
                bytes.fill(0);
                bytes[0] = self.next() as u8 & 7;
            }
            2 => {
                // One bit, or all others.
                bytes.fill(self.pick(&[0, 0xff]));
                let bit = self.pick(&[width.bits() - 1, self.0 as u32 % width.bits()]);
                bytes[bit as usize / 8] ^= 1 << (bit % 8);
            }
            3 => {
                let length = self.below(width.bytes()) + 1;
                bytes[length..].fill(0);
            }
            _ => {}
        }
        Bits::from_bytes_le(&bytes, width)
    }
}

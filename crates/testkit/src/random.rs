//! A seeded random generator of numbers and values, the same on every machine (SplitMix64, Steele et al. 2014).

use everypath_ir::{Bits, Width};

/// The increment of SplitMix64: an odd number whose multiples are well distributed.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Numbers from a seed (the SplitMix64 sequence).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of this seed.
    #[must_use]
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The sequence of this seed for this name: names do not share their numbers.
    #[must_use]
    pub fn named(seed: u64, name: &str) -> Random {
        // FNV-1a.
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        Random(seed ^ hash)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        let number = mix(self.0);
        self.0 = self.0.wrapping_add(STEP);
        number
    }

    /// A number of 128 bits.
    pub fn wide(&mut self) -> u128 {
        u128::from(self.number()) << 64 | u128::from(self.number())
    }

    /// A number below the limit, which is not zero.
    pub fn number_below(&mut self, limit: u64) -> u64 {
        self.number() % limit
    }

    /// A random index below a limit, which is not zero.
    pub fn below(&mut self, limit: usize) -> usize {
        self.number_below(limit as u64) as usize
    }

    /// True with probability 1 / `one_in`.
    pub fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    /// One of the choices.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// Fills bytes.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            let random = self.number().to_le_bytes();
            chunk.copy_from_slice(&random[..chunk.len()]);
        }
    }

    /// `count` random bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        self.fill(&mut bytes);
        bytes
    }

    /// A random value, often a special case of some operator.
    pub fn bits(&mut self, width: Width) -> Bits {
        let mut bytes: Vec<u8> = (0..64).map(|_| self.number() as u8).collect();
        match self.below(8) {
            0 => bytes.fill(0),
            1 => bytes.fill(0xff),
            2 => {
                bytes.fill(0);
                bytes[0] = self.number() as u8 & 3;
            }
            3 => {
                bytes.fill(0xff);
                bytes[0] = self.number() as u8;
            }
            4 => {
                // One bit, or all others.
                let fill = self.pick(&[0, 0xff]);
                bytes.fill(fill);
                let any = self.number_below(u64::from(width.bits())) as u32;
                let bit = self.pick(&[width.bits() - 1, any]);
                bytes[bit as usize / 8] ^= 1 << (bit % 8);
            }
            5 => {
                let length = self.below(width.bytes()) + 1;
                bytes[length..].fill(0);
            }
            _ => {}
        }
        Bits::from_bytes_le(&bytes, width)
    }
}

/// A hash of the number (the finaliser of SplitMix64).
#[must_use]
pub fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(STEP);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn seed_and_name_decide() {
        let bytes = |seed, name| Random::named(seed, name).bytes(13);
        assert_eq!(bytes(1, "a"), bytes(1, "a"));
        assert_ne!(bytes(1, "a"), bytes(2, "a"));
        assert_ne!(bytes(1, "a"), bytes(1, "b"));
        assert_eq!(bytes(1, "a").len(), 13);
    }
}

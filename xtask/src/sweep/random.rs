//! Random bytes that depend on a seed and a name alone.

/// A sequence of random bytes (SplitMix64).
pub(super) struct Random(u64);

impl Random {
    /// The sequence of this seed for this name: names do not share their words.
    pub(super) fn new(seed: u64, name: &str) -> Self {
        // FNV-1a.
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        Self(seed ^ hash)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    }

    /// The next bytes of the sequence.
    pub(super) fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(count + 8);
        while bytes.len() < count {
            bytes.extend_from_slice(&self.next().to_le_bytes());
        }
        bytes.truncate(count);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn seed_and_name_decide() {
        let bytes = |seed, name| Random::new(seed, name).bytes(13);
        assert_eq!(bytes(1, "a"), bytes(1, "a"));
        assert_ne!(bytes(1, "a"), bytes(2, "a"));
        assert_ne!(bytes(1, "a"), bytes(1, "b"));
        assert_eq!(bytes(1, "a").len(), 13);
    }
}

//! Counter-based random numbers (SplitMix64, Steele, Lea and Flood 2014): a function of seed, name and position.

/// A sequence of random numbers, determined by seed and name alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sequence {
    start: u64,
}

/// The increment of SplitMix64: an odd number whose multiples are well spread.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl Sequence {
    /// The sequence of this seed for this name.
    pub fn new(seed: u64, name: &str) -> Self {
        let start = name.bytes().fold(mix(seed), |hash, byte| mix(hash ^ u64::from(byte)));
        Self { start }
    }

    /// The number at a position.
    pub fn at(self, position: u64) -> u64 {
        mix(self.start.wrapping_add(position.wrapping_mul(STEP)))
    }
}

/// The output function of SplitMix64: each bit of the result depends on all bits of the value.
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(STEP);
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_depends_on_seed_and_name_and_spreads() {
        let take =
            |seed, name| (0..64).map(|position| Sequence::new(seed, name).at(position)).collect::<Vec<_>>();
        let first = take(1, "sensor");
        assert_eq!(first, take(1, "sensor"));
        assert_ne!(first, take(2, "sensor"));
        assert_ne!(first, take(1, "button"));
        for bit in 0..64 {
            let ones = first.iter().filter(|number| *number >> bit & 1 == 1).count();
            assert!((12..=52).contains(&ones), "bit {bit} is one {ones} times of 64");
        }
    }
}

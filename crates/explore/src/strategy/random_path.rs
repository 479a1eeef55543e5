//! Any way: all that are noted are equally likely.

use everypath_record::Direction;

use super::{Candidate, Strategy};

/// A list to draw from.
pub(super) struct AnyOf {
    waiting: Vec<Candidate>,
    state: u64,
}

impl AnyOf {
    pub(super) fn new(seed: u64) -> AnyOf {
        AnyOf { waiting: Vec::new(), state: seed }
    }

    /// The next number of a SplitMix64 generator: small, and the same everywhere.
    fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut number = self.state;
        number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        number ^ number >> 31
    }
}

impl Strategy for AnyOf {
    fn add(&mut self, candidate: Candidate) {
        self.waiting.push(candidate);
    }

    fn next(&mut self, _: &dyn Fn(Direction) -> bool) -> Option<Candidate> {
        if self.waiting.is_empty() {
            return None;
        }
        let place = self.draw() % self.waiting.len() as u64;
        Some(self.waiting.swap_remove(place as usize))
    }
}

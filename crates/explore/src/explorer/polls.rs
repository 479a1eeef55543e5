//! Polling loops: a path that polls goes on behind the loop before anything else is chosen. Whether a device is ready decides
//! only whether the loop goes round again, and a program that prints polls once for each character.

use std::collections::BTreeMap;

/// Maximum number of loops in a row behind which the search goes on, before the strategy chooses.
const IN_A_ROW: u32 = 256;
/// Maximum number of times that the search goes on behind the loops at one address.
const AT_ADDRESS: u32 = 8_192;

/// The polling loops that paths have ended in.
#[derive(Default)]
pub(crate) struct Polls {
    /// The number of the first pending branch of the path that has ended in one.
    first: Option<u64>,
    in_a_row: u32,
    /// By the address of the loop.
    counts: BTreeMap<u64, u32>,
}

impl Polls {
    /// Takes in that a path has ended in a polling loop at an address. `first` is the number of its first pending branch.
    pub(super) fn ended_in(&mut self, address: u64, first: u64) {
        let count = self.counts.entry(address).or_default();
        *count += 1;
        self.first = (*count <= AT_ADDRESS).then_some(first);
    }

    /// The number of the first pending branch of the path that has just ended in a polling loop, if the search is to go
    /// on behind the loop.
    pub(super) fn take(&mut self) -> Option<u64> {
        let first = self.first.take();
        self.in_a_row = if first.is_some() { self.in_a_row + 1 } else { 0 };
        if self.in_a_row > IN_A_ROW {
            self.in_a_row = 0;
            return None;
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strategy_has_its_turn() {
        let mut polls = Polls::default();
        assert_eq!(polls.take(), None);
        let mut taken = Vec::new();
        for number in 0..2 * u64::from(IN_A_ROW) {
            polls.ended_in(0x10, number);
            taken.extend(polls.take());
        }
        assert_eq!(taken.len() as u64, 2 * u64::from(IN_A_ROW) - 1);
        assert!(!taken.contains(&u64::from(IN_A_ROW)));
    }
}

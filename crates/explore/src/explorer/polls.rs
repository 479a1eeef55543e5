//! A priority for polling loops (busy waiting): a path that polls continues after the loop before anything else is chosen. Whether a device is ready decides
//! only whether the loop goes round again, and a program that prints polls once for each character.

use std::collections::BTreeMap;

/// The work after polling loops, in executed instructions, before it may be only half of all work.
const AHEAD: u64 = 1_000_000;
/// Maximum number of times that the search continues after the loops at one address.
const AT_ADDRESS: u32 = 8_192;

/// The polling loops that paths have ended in.
#[derive(Default)]
pub(crate) struct Polls {
    /// The number of the first pending branch of the path that has just ended in one.
    first: Option<u64>,
    /// By the address of the loop.
    counts: BTreeMap<u64, u32>,
    /// The work of the search when it continued after a loop, if that is what it does.
    began: Option<u64>,
    /// The work after loops.
    spent: u64,
}

impl Polls {
    /// Records that a path has ended in a polling loop at an address. `first` is the number of its first pending branch.
    pub(super) fn ended_in(&mut self, address: u64, first: u64) {
        let count = self.counts.entry(address).or_default();
        *count += 1;
        self.first = (*count <= AT_ADDRESS).then_some(first);
    }

    /// The number of the first pending branch of the path that has just ended in a polling loop, if the search is to
    /// continue after the loop. `effort` is the work of the search so far.
    pub(super) fn take(&mut self, effort: u64) -> Option<u64> {
        self.spent += self.began.take().map_or(0, |began| effort - began);
        let first = self.first.take().filter(|_| self.spent <= effort / 2 + AHEAD)?;
        self.began = Some(effort);
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each path takes as much work; in the end, every other one continues after a loop.
    #[test]
    fn the_strategy_has_half_of_the_work() {
        let mut polls = Polls::default();
        assert_eq!(polls.take(0), None);
        let mut taken = 0;
        for number in 0..1_000 {
            polls.ended_in(0x10, number);
            taken += u64::from(polls.take(AHEAD / 10 * number).is_some());
        }
        assert!((500..=520).contains(&taken), "{taken}");
    }
}

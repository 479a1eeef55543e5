//! Counts of interrupts, which bound how often paths are interrupted.

use std::collections::BTreeMap;

/// Maximum number of interrupts on one path with which it goes on by itself: enough for the ticks of a delay of a second.
const ON_PATH: usize = 1_500;
/// Maximum number of interrupts, over all paths, with which paths go on by themselves at one address.
const AT_ADDRESS: u32 = 6_000;
/// Maximum number of times that one interrupt is tried at one address by a path of its own.
const TRIED: u32 = 32;

/// How often interrupts were taken, and where.
#[derive(Default)]
pub(crate) struct InterruptCounts {
    /// By the address at which paths went on by themselves.
    waits: BTreeMap<u64, u32>,
    /// By address and number.
    tried: BTreeMap<(u64, u64), u32>,
}

impl InterruptCounts {
    /// Counts an interrupt with which a path that has taken so many goes on; false if the bound is reached.
    pub(super) fn goes_on(&mut self, address: u64, taken: usize) -> bool {
        let waits = self.waits.entry(address).or_default();
        *waits += 1;
        *waits <= AT_ADDRESS && taken < ON_PATH
    }

    /// Counts an interrupt that a path of its own is to take; false if the bound is reached.
    pub(super) fn is_tried(&mut self, address: u64, number: u64) -> bool {
        let tried = self.tried.entry((address, number)).or_default();
        *tried += 1;
        *tried <= TRIED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_interrupt_has_its_bound_at_each_address() {
        let mut counts = InterruptCounts::default();
        let tries = (0..2 * TRIED).filter(|_| counts.is_tried(0x10, 15)).count();
        assert_eq!(tries, TRIED as usize);
        assert!(counts.is_tried(0x10, 16) && counts.is_tried(0x20, 15));
        assert!(counts.goes_on(0x10, ON_PATH - 1) && !counts.goes_on(0x10, ON_PATH));
    }
}

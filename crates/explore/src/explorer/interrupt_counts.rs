//! Counts of interrupts, which bound how often paths are interrupted.

use std::collections::BTreeMap;

/// Maximum number of interrupts on one path with which it continues by itself: enough for the ticks of a delay of a second.
const ON_PATH: usize = 1_500;
/// Maximum number of interrupts, over all paths since one has shown something new, with which paths continue by themselves at
/// one address.
const AT_ADDRESS: u32 = 6_000;
/// Maximum number of times that one interrupt is tried at one address by a path of its own, since a path has shown something
/// new.
const TRIED: u32 = 500;
/// Number of interrupts that a path takes before it tries others only now and then: sequences of so many are tried in
/// every order before a long path has used up the tries.
const IN_EVERY_ORDER: usize = 8;

/// How often interrupts were taken, and where.
#[derive(Default)]
pub(crate) struct InterruptCounts {
    /// By the address at which paths continued by themselves.
    waits: BTreeMap<u64, u32>,
    /// By address and number.
    tried: BTreeMap<(u64, u64), u32>,
}

impl InterruptCounts {
    /// Counts a wait that an interrupt ends, on a path that has taken so many interrupts; false if the bound is reached.
    pub(super) fn count_wait(&mut self, address: u64, taken: usize) -> bool {
        let waits = self.waits.entry(address).or_default();
        *waits += 1;
        *waits <= AT_ADDRESS && taken < ON_PATH
    }

    /// Records that a path has shown something new.
    pub(super) fn renew(&mut self) {
        *self = InterruptCounts::default();
    }

    /// Counts an interrupt that a path of its own is to take, forked from one that has taken so many since it has shown
    /// something new; false if the bound is reached.
    pub(super) fn count_try(&mut self, address: u64, number: u64, taken: usize) -> bool {
        if taken >= IN_EVERY_ORDER && !taken.is_power_of_two() {
            return false;
        }
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
        let tries = (0..2 * TRIED).filter(|_| counts.count_try(0x10, 15, 0)).count();
        assert_eq!(tries, TRIED as usize);
        assert!(counts.count_try(0x10, 16, 0) && counts.count_try(0x20, 15, 0));
        assert!(counts.count_try(0x20, 16, 64) && !counts.count_try(0x20, 16, 65));
        counts.renew();
        assert!(counts.count_try(0x10, 15, 0));
        assert!(counts.count_wait(0x10, ON_PATH - 1) && !counts.count_wait(0x10, ON_PATH));
    }
}

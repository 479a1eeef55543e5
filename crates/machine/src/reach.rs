//! The condition that a symbolic address is within accessible memory.

use crate::region::Permissions;
use crate::state::State;
use everypath_ir::{Op, SpaceId, Width};
use everypath_term::{Term, Terms};

/// The maximum number of ranges in a condition.
const MOST: usize = 256;

impl State {
    /// The first and last address of each memory range whose permissions pass the test; adjacent ranges are merged.
    /// MMIO counts as readable and writable.
    pub fn ranges(&self, space: SpaceId, permits: impl Fn(Permissions) -> bool) -> Vec<(u64, u64)> {
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        let Some(regions) = self.regions(space) else { return ranges };
        for region in regions.iter().filter(|region| permits(region.permissions)) {
            match ranges.last_mut() {
                Some((_, last)) if last.checked_add(1) == Some(region.start) => *last = region.last,
                _ => ranges.push((region.start, region.last)),
            }
        }
        ranges
    }
}

/// The condition that an access of this size at an address is within one of the ranges; `None` if there are too many.
pub fn lies_in(terms: &mut Terms, address: Term, size: usize, ranges: &[(u64, u64)]) -> Option<Term> {
    let width = terms.width(address);
    if ranges.len() > MOST || width > Width::W64 {
        return None;
    }
    let greatest = u64::MAX >> (64 - width.bits());
    let mut inside = terms.truth(false);
    for (first, last) in ranges {
        let last = (*last).min(greatest);
        let Some(room) = last.checked_sub(*first).and_then(|room| room.checked_sub(size as u64 - 1)) else {
            continue;
        };
        let (start, room) = (terms.constant_u64(*first, width), terms.constant_u64(room, width));
        let distance = terms.apply(Op::Sub, width, &[address, start]);
        let within = terms.apply(Op::Ule, Width::W1, &[distance, room]);
        inside = terms.or(inside, within);
    }
    Some(inside)
}

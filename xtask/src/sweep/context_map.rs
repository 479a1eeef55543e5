//! A model of the reference's decoding context: a map by address, which instructions update as they are decoded.
//!
//! The decoder under test has no such map. It is rebuilt here so that in a linear sweep both sides decode each
//! instruction in the same context.

use everypath_sleigh::{Commit, DecodingContext};
use std::collections::BTreeMap;

#[derive(Clone, Copy, Default)]
struct Point {
    context: u128,
    /// The bits that were set for exactly this address, at which flowing bits from below end.
    set: u128,
}

/// The context from each address on.
pub(super) struct ContextMap {
    default: DecodingContext,
    /// The points of a new instance.
    anchors: BTreeMap<u64, Point>,
    points: BTreeMap<u64, Point>,
}

impl ContextMap {
    pub(super) fn new(default: DecodingContext) -> Self {
        Self { default, anchors: BTreeMap::new(), points: BTreeMap::new() }
    }

    /// A map in which the masked bits have their default value at each of these addresses.
    pub(super) fn with_anchors(
        default: DecodingContext,
        mask: u128,
        addresses: impl Iterator<Item = u64>,
    ) -> Self {
        let point = Point { context: default.0, set: mask };
        let anchors: BTreeMap<_, _> = addresses.map(|address| (address, point)).collect();
        Self { default, points: anchors.clone(), anchors }
    }

    /// Forgets all changes, like a new instance of the reference.
    pub(super) fn clear(&mut self) {
        self.points.clone_from(&self.anchors);
    }

    /// The context at an address.
    pub(super) fn at(&self, address: u64) -> DecodingContext {
        self.points
            .range(..=address)
            .next_back()
            .map_or(self.default, |(_, point)| DecodingContext(point.context))
    }

    /// Applies an instruction's commit.
    pub(super) fn commit(&mut self, commit: &Commit) {
        let Commit { address, mask, value, flows } = *commit;
        self.split(address);
        let mut end = None;
        if !flows && let Some(next) = address.checked_add(1) {
            self.split(next);
            end = Some(next);
        }
        for (place, point) in self.points.range_mut(address..) {
            if *place == address {
                point.set |= mask;
            } else if end == Some(*place) || (flows && point.set & mask != 0) {
                break;
            }
            point.context = point.context & !mask | value & mask;
        }
    }

    fn split(&mut self, address: u64) {
        let context = self.at(address).0;
        self.points.entry(address).or_insert(Point { context, set: 0 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(address: u64, mask: u128, value: u128, flows: bool) -> Commit {
        Commit { address, mask, value, flows }
    }

    #[test]
    fn a_change_flows_to_the_next_one_of_the_same_bits() {
        let mut map = ContextMap::new(DecodingContext(0));
        map.commit(&commit(0x20, 1, 0, true));
        map.commit(&commit(0x18, 2, 2, true));
        map.commit(&commit(0x10, 1, 1, true));
        let contexts: Vec<_> =
            [0, 0xf, 0x10, 0x17, 0x18, 0x1f, 0x20, 0x100].map(|place| map.at(place).0).into();
        assert_eq!(contexts, [0, 0, 1, 1, 3, 3, 2, 2]);
    }

    #[test]
    fn a_change_that_does_not_flow_holds_at_its_address() {
        let mut map = ContextMap::new(DecodingContext(4));
        map.commit(&commit(0x10, 3, 2, false));
        assert_eq!([0xf, 0x10, 0x11].map(|place| map.at(place).0), [4, 6, 4]);
        // Other bits flow past it; it stops only the flow into its own bits.
        map.commit(&commit(0x8, 8, 8, true));
        assert_eq!([0x7, 0x8, 0x10, 0x11].map(|place| map.at(place).0), [4, 12, 14, 12]);
        map.commit(&commit(0x8, 1, 1, true));
        assert_eq!([0x8, 0x10, 0x11].map(|place| map.at(place).0), [13, 14, 12]);
    }

    #[test]
    fn an_anchor_stops_what_flows() {
        let mut map = ContextMap::with_anchors(DecodingContext(1), 1, [0x10, 0x20].into_iter());
        map.commit(&commit(0x8, 3, 2, true));
        map.commit(&commit(0x18, 4, 4, true));
        assert_eq!([0, 0x8, 0x10, 0x18, 0x20].map(|place| map.at(place).0), [1, 2, 1, 5, 5]);
        map.clear();
        assert_eq!([0x8, 0x18].map(|place| map.at(place).0), [1, 1]);
    }

    #[test]
    fn a_new_instance_knows_nothing() {
        let mut map = ContextMap::new(DecodingContext(1));
        map.commit(&commit(0, 1, 0, true));
        map.clear();
        assert_eq!(map.at(5), DecodingContext(1));
    }
}

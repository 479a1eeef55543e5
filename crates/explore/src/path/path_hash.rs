//! The path hash: a rolling multiplicative hash (FxHash) of a path's basic blocks and exits, by which two runs are compared.

use everypath_ir::Place;

/// A 64-bit hash of a sequence of basic blocks and the exits taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PathHash(pub(crate) u64);

impl PathHash {
    pub(crate) const START: PathHash = PathHash(0xcbf2_9ce4_8422_2325);

    /// The hash of the sequence extended by a block that is left by this exit.
    #[inline]
    pub(crate) fn then(self, place: Place, exit: usize) -> PathHash {
        let mix = |number: u64, part: u64| (number.rotate_left(5) ^ part).wrapping_mul(0x517c_c1b7_2722_0a95);
        PathHash(mix(mix(self.0, place.address), exit as u64 | u64::from(place.part) << 32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_depends_on_the_order_of_blocks_and_on_exits() {
        let place = |address| Place::new(address, everypath_ir::Context::default());
        let (a, b) = (place(0x10), place(0x20));
        let both = PathHash::START.then(a, 0).then(b, 0);
        assert_ne!(both, PathHash::START.then(b, 0).then(a, 0));
        assert_ne!(both, PathHash::START.then(a, 0).then(b, 1));
    }
}

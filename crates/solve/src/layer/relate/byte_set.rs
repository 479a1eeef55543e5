//! The domain of a byte variable: a bit set of 256 values.

/// A set of values of a byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ByteSet([u64; 4]);

impl ByteSet {
    pub(super) const EMPTY: ByteSet = ByteSet([0; 4]);
    pub(super) const ALL: ByteSet = ByteSet([u64::MAX; 4]);

    pub(super) fn insert(&mut self, value: u8) {
        self.0[usize::from(value >> 6)] |= 1 << (value & 63);
    }

    pub(super) fn remove(&mut self, value: u8) {
        self.0[usize::from(value >> 6)] &= !(1 << (value & 63));
    }

    pub(super) fn contains(&self, value: u8) -> bool {
        self.0[usize::from(value >> 6)] >> (value & 63) & 1 == 1
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    pub(super) fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The least and the greatest value; the set must not be empty.
    pub(super) fn range(&self) -> (u8, u8) {
        let first = self.0.iter().position(|word| *word != 0).unwrap_or(0);
        let last = self.0.iter().rposition(|word| *word != 0).unwrap_or(0);
        let least = first as u32 * 64 + self.0[first].trailing_zeros();
        let greatest = last as u32 * 64 + 63_u32.saturating_sub(self.0[last].leading_zeros());
        (least as u8, greatest as u8)
    }

    /// The value, if the set is a singleton.
    pub(super) fn only(&self) -> Option<u8> {
        let (least, greatest) = self.range();
        (least == greatest && !self.is_empty()).then_some(least)
    }

    pub(super) fn meet(&self, other: &ByteSet) -> ByteSet {
        let (a, b) = (self.0, other.0);
        ByteSet([a[0] & b[0], a[1] & b[1], a[2] & b[2], a[3] & b[3]])
    }

    pub(super) fn join(&self, other: &ByteSet) -> ByteSet {
        let (a, b) = (self.0, other.0);
        ByteSet([a[0] | b[0], a[1] | b[1], a[2] | b[2], a[3] | b[3]])
    }

    /// The values in ascending order.
    pub(super) fn iter(self) -> impl Iterator<Item = u8> {
        (0..4).flat_map(move |word| {
            let mut left = self.0[word];
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some((word as u32 * 64 + bit) as u8)
            })
        })
    }

    /// Calls for each value in ascending order. Two plain loops: an iterator over the words and their bits is three
    /// times slower.
    #[inline]
    pub(super) fn for_each(&self, mut call: impl FnMut(u8)) {
        for (word, bits) in self.0.into_iter().enumerate() {
            let mut left = bits;
            while left != 0 {
                call((word as u32 * 64 + left.trailing_zeros()) as u8);
                left &= left - 1;
            }
        }
    }
}

impl FromIterator<u8> for ByteSet {
    fn from_iter<I: IntoIterator<Item = u8>>(values: I) -> ByteSet {
        let mut set = ByteSet::EMPTY;
        values.into_iter().for_each(|value| set.insert(value));
        set
    }
}

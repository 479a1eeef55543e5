//! Sets of values of a byte, as bit sets: the domain of an input byte.

/// A set of values of a byte.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ByteSet([u64; 4]);

impl ByteSet {
    /// No value.
    pub const EMPTY: ByteSet = ByteSet([0; 4]);
    /// Every value.
    pub const ALL: ByteSet = ByteSet([u64::MAX; 4]);

    /// A set as its bits, from the least value to the greatest.
    pub(crate) const fn from_words(words: [u64; 4]) -> ByteSet {
        ByteSet(words)
    }

    /// Adds a value.
    pub fn insert(&mut self, value: u8) {
        self.0[usize::from(value >> 6)] |= 1 << (value & 63);
    }

    /// Removes a value.
    pub fn remove(&mut self, value: u8) {
        self.0[usize::from(value >> 6)] &= !(1 << (value & 63));
    }

    /// Returns true if a value is in the set.
    #[must_use]
    pub fn contains(&self, value: u8) -> bool {
        self.0[usize::from(value >> 6)] >> (value & 63) & 1 == 1
    }

    /// Returns true if there is no value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// The number of values.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The least and the greatest value; the set must not be empty.
    #[must_use]
    pub fn range(&self) -> (u8, u8) {
        let first = self.0.iter().position(|word| *word != 0).unwrap_or(0);
        let last = self.0.iter().rposition(|word| *word != 0).unwrap_or(0);
        let least = first as u32 * 64 + self.0[first].trailing_zeros();
        let greatest = last as u32 * 64 + 63_u32.saturating_sub(self.0[last].leading_zeros());
        (least as u8, greatest as u8)
    }

    /// The value, if the set is a singleton.
    #[must_use]
    pub fn only(&self) -> Option<u8> {
        let (least, greatest) = self.range();
        (least == greatest && !self.is_empty()).then_some(least)
    }

    /// The intersection.
    #[must_use]
    pub fn meet(&self, other: &ByteSet) -> ByteSet {
        let (a, b) = (self.0, other.0);
        ByteSet([a[0] & b[0], a[1] & b[1], a[2] & b[2], a[3] & b[3]])
    }

    /// The union.
    #[must_use]
    pub fn join(&self, other: &ByteSet) -> ByteSet {
        let (a, b) = (self.0, other.0);
        ByteSet([a[0] | b[0], a[1] | b[1], a[2] | b[2], a[3] | b[3]])
    }

    /// The values in ascending order.
    pub fn iter(self) -> impl Iterator<Item = u8> {
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
    pub fn for_each(&self, mut call: impl FnMut(u8)) {
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

//! Strided intervals (Reps, Balakrishnan & Lim 2006) that may wrap around (wrapped intervals, Navas et al. 2012).

use everypath_ir::{Width, Word};

/// The numbers `low`, `low + stride`, ... up to `high`, modulo the width of at most 64 bits. An interval may wrap
/// around, such as from -1 to 7, so it is neither signed nor unsigned.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct StridedInterval {
    width: Width,
    low: u64,
    high: u64,
    /// Zero if and only if the interval is a singleton.
    stride: u64,
}

impl StridedInterval {
    /// Top: all numbers of a width.
    pub fn all(width: Width) -> Self {
        Self { width, low: 0, high: u64::mask(width), stride: 1 }
    }

    /// One number.
    pub fn one(width: Width, number: u64) -> Self {
        Self { width, low: number, high: number, stride: 0 }
    }

    /// The numbers from `low` to `high` in steps of `stride`; wraps around if `low` is greater.
    pub fn new(width: Width, low: u64, high: u64, stride: u64) -> Self {
        debug_assert!(low <= u64::mask(width) && high <= u64::mask(width), "an interval fits");
        Self::spanning(width, low, high.wrapping_sub(low).truncate(width), stride)
    }

    /// The numbers from `low` on, in steps of `stride`, at a distance of at most `span`.
    pub(super) fn spanning(width: Width, low: u64, span: u64, stride: u64) -> Self {
        let stride = stride.max(1);
        let span = span / stride * stride;
        if span == 0 {
            return Self::one(width, low);
        }
        if stride == 1 && span == u64::mask(width) {
            return Self::all(width);
        }
        Self { width, low, high: low.wrapping_add(span).truncate(width), stride }
    }

    /// A small interval that contains some sorted numbers; it wraps around if that is smaller.
    pub(super) fn around(width: Width, numbers: &[u64]) -> Self {
        // Start after the widest gap.
        let distance = |index: usize| {
            let before = if index == 0 { numbers.len() - 1 } else { index - 1 };
            numbers[index].wrapping_sub(numbers[before]).wrapping_sub(1).truncate(width)
        };
        let Some(first) = (0..numbers.len()).max_by_key(|index| (distance(*index), numbers.len() - index))
        else {
            return Self::all(width);
        };
        let low = numbers[first];
        let away = |number: &u64| number.wrapping_sub(low).truncate(width);
        let span = numbers.iter().map(away).max().unwrap_or(0);
        Self::spanning(width, low, span, numbers.iter().map(away).fold(0, divisor))
    }

    /// The width of the numbers.
    pub fn width(&self) -> Width {
        self.width
    }

    /// The first number: the least, unless the interval wraps around.
    pub fn low(&self) -> u64 {
        self.low
    }

    /// The last number: the greatest, unless the interval wraps around.
    pub fn high(&self) -> u64 {
        self.high
    }

    /// The distance between adjacent numbers; zero for a singleton.
    pub fn stride(&self) -> u64 {
        self.stride
    }

    /// The distance from the first number to the last.
    pub fn span(&self) -> u64 {
        self.high.wrapping_sub(self.low).truncate(self.width)
    }

    /// The number, if it is a singleton.
    pub(super) fn single(&self) -> Option<u64> {
        (self.stride == 0).then_some(self.low)
    }

    /// Returns true if the interval contains a number.
    pub fn contains(&self, number: u64) -> bool {
        let away = number.wrapping_sub(self.low).truncate(self.width);
        away <= self.span() && away.checked_rem(self.stride).unwrap_or(0) == 0
    }

    /// Returns true if it is top.
    pub fn is_all(&self) -> bool {
        *self == Self::all(self.width)
    }

    /// The number of elements; `None` if it does not fit a `u64`.
    pub fn count(&self) -> Option<u64> {
        self.span().checked_div(self.stride).unwrap_or(0).checked_add(1)
    }

    /// The elements from first to last, if there are at most `limit`.
    pub fn numbers(&self, limit: u64) -> Option<Vec<u64>> {
        let count = self.count().filter(|count| *count <= limit)?;
        let number = |step: u64| self.low.wrapping_add(step.wrapping_mul(self.stride)).truncate(self.width);
        Some((0..count).map(number).collect())
    }

    /// Splits it into pieces that do not wrap around as unsigned numbers.
    pub(super) fn pieces(&self) -> Pieces {
        if self.low <= self.high {
            return [Some(*self), None];
        }
        let stride = self.stride.max(1);
        let before = (u64::mask(self.width) - self.low) / stride * stride;
        let first = Self::spanning(self.width, self.low, before, stride);
        let next = self.low.wrapping_add(before).wrapping_add(stride).truncate(self.width);
        [Some(first), Some(Self::new(self.width, next, self.high, stride))]
    }

    /// Splits it into pieces in which all numbers have the same sign.
    pub(super) fn signed_pieces(&self) -> impl Iterator<Item = Self> + use<> {
        let (half, back) = (self.flipped(), self.half());
        half.pieces().into_iter().flatten().flat_map(move |piece| {
            // With the sign bit restored, a piece may wrap around once more, where the sign changes.
            Self { low: piece.low ^ back, high: piece.high ^ back, ..piece }.pieces().into_iter().flatten()
        })
    }

    fn half(&self) -> u64 {
        1 << (self.width.bits() - 1)
    }

    /// Flips the sign bit of each number, which maps signed order to unsigned order.
    pub(super) fn flipped(&self) -> Self {
        Self { low: self.low ^ self.half(), high: self.high ^ self.half(), ..*self }
    }

    /// The least and the greatest number, unsigned.
    pub fn bounds(&self) -> (u64, u64) {
        match self.pieces() {
            [Some(high), Some(low)] => (low.low, high.high),
            _ => (self.low, self.high),
        }
    }

    /// The least and the greatest number, signed.
    pub fn signed_bounds(&self) -> (i64, i64) {
        let (low, high) = self.flipped().bounds();
        let signed = |number: u64| (number ^ self.half()).sign_extend(self.width) as i64;
        (signed(low), signed(high))
    }

    /// The join: a small interval that contains both.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        let max = u128::from(u64::mask(self.width));
        let from = |a: &Self, b: &Self| {
            let away = b.low.wrapping_sub(a.low).truncate(self.width);
            let end = u128::from(away) + u128::from(b.span());
            let span = end.max(u128::from(a.span()));
            (span <= max).then(|| (span as u64, a.low, divisor(divisor(a.stride, b.stride), away)))
        };
        let both = [from(self, other), from(other, self)];
        match both.into_iter().flatten().min_by_key(|(span, low, _)| (*span, *low)) {
            Some((span, low, stride)) => Self::spanning(self.width, low, span, stride),
            None => Self::all(self.width),
        }
    }

    /// Widening: a bound that grows moves to the next threshold, so that chains are finite.
    #[must_use]
    pub fn widen(&self, next: &Self, thresholds: &[u64]) -> Self {
        let joined = self.join(next);
        if joined == *self || joined.is_all() {
            return joined;
        }
        let max = u64::mask(self.width);
        let stops = [0, max >> 1, self.half(), max];
        let stops = || thresholds.iter().copied().filter(|stop| *stop <= max).chain(stops);
        let free = max - joined.span();
        let up = match joined.high == self.high {
            true => 0,
            false => {
                let away = |stop: u64| stop.wrapping_sub(joined.high).truncate(self.width);
                stops().map(away).min().unwrap_or(free)
            }
        };
        let down = match joined.low == self.low {
            true => 0,
            false => {
                let away = |stop: u64| joined.low.wrapping_sub(stop).truncate(self.width);
                stops().map(away).min().unwrap_or(free)
            }
        };
        if u128::from(up) + u128::from(down) > u128::from(free) {
            return Self::all(self.width);
        }
        let low = joined.low.wrapping_sub(down).truncate(self.width);
        Self::spanning(self.width, low, joined.span() + up + down, divisor(joined.stride, down))
    }

    /// An over-approximation of the intersection. Returns `None` if it is empty.
    pub fn meet(&self, other: &Self) -> Option<Self> {
        let mut whole: Option<Self> = None;
        for a in self.pieces().into_iter().flatten() {
            for b in other.pieces().into_iter().flatten() {
                if let Some(common) = a.overlap(&b) {
                    whole = Some(whole.map_or(common, |whole| whole.join(&common)));
                }
            }
        }
        // The join of two pieces may be no smaller than one of the arguments.
        whole.map(|whole| {
            let size = |interval: &Self| interval.count().unwrap_or(u64::MAX);
            [*self, *other]
                .into_iter()
                .fold(whole, |best, one| if size(&one) < size(&best) { one } else { best })
        })
    }

    /// An over-approximation of the intersection of two pieces that do not wrap around.
    fn overlap(&self, other: &Self) -> Option<Self> {
        // Keep the larger stride, aligned to its own first number.
        let (a, b) = if self.stride >= other.stride { (self, other) } else { (other, self) };
        let (a, b) = if b.stride == 0 { (b, a) } else { (a, b) };
        if a.stride == 0 {
            return b.contains(a.low).then_some(*a);
        }
        if a.low.abs_diff(b.low) % divisor(a.stride, b.stride) != 0 {
            return None;
        }
        let (low, high) = (a.low.max(b.low), a.high.min(b.high));
        let low = a.low.checked_add((low - a.low).div_ceil(a.stride).checked_mul(a.stride)?)?;
        if low > high {
            return None;
        }
        Some(Self::new(self.width, low, high, a.stride))
    }

    /// Removes a number if it is one of the ends, or if this is top. Returns `None` if nothing is left.
    pub(super) fn without(&self, number: u64) -> Option<Self> {
        if self.stride == 0 {
            return (self.low != number).then_some(*self);
        }
        let span = self.span() - self.stride;
        let next = self.low.wrapping_add(self.stride).truncate(self.width);
        Some(match (self.low == number, self.high == number) {
            (true, _) => Self::spanning(self.width, next, span, self.stride),
            (_, true) => Self::spanning(self.width, self.low, span, self.stride),
            _ if self.is_all() => {
                let next = number.wrapping_add(1).truncate(self.width);
                Self::spanning(self.width, next, u64::mask(self.width) - 1, 1)
            }
            _ => *self,
        })
    }
}

/// One or two pieces.
pub(super) type Pieces = [Option<StridedInterval>; 2];

/// The greatest common divisor.
pub(super) fn divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

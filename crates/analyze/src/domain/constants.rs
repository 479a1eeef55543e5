//! Finite sets of constants (k-sets, k = 16), as in OSMOSE: exact while they are small.

use everypath_ir::{Op, Width};
use std::sync::Arc;

/// A sorted set of numbers of one width of at most 64 bits, with at most [`Constants::LIMIT`] elements.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Constants {
    width: Width,
    numbers: Numbers,
}

/// Most sets are singletons or truth values; those need no allocation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Numbers {
    One([u64; 1]),
    Two([u64; 2]),
    Others(Arc<[u64]>),
}

impl Numbers {
    fn of(numbers: &[u64]) -> Self {
        match *numbers {
            [one] => Self::One([one]),
            [one, other] => Self::Two([one, other]),
            _ => Self::Others(numbers.into()),
        }
    }
}

impl Constants {
    /// Maximum number of elements.
    pub const LIMIT: usize = 16;
    /// Maximum number of argument combinations to enumerate.
    const COMBINATIONS: usize = 256;

    /// A singleton.
    pub fn one(width: Width, number: u64) -> Self {
        Self { width, numbers: Numbers::One([number]) }
    }

    /// The set of some numbers. Returns `None` if they are too many.
    pub fn of(width: Width, mut numbers: Vec<u64>) -> Option<Self> {
        numbers.sort_unstable();
        numbers.dedup();
        (numbers.len() <= Self::LIMIT).then(|| Self { width, numbers: Numbers::of(&numbers) })
    }

    /// The width of the numbers.
    pub fn width(&self) -> Width {
        self.width
    }

    /// The elements, sorted.
    pub fn numbers(&self) -> &[u64] {
        match &self.numbers {
            Numbers::One(numbers) => numbers,
            Numbers::Two(numbers) => numbers,
            Numbers::Others(numbers) => numbers,
        }
    }

    /// Returns true if the set contains a number.
    pub fn contains(&self, number: u64) -> bool {
        self.numbers().binary_search(&number).is_ok()
    }

    /// The union. Returns `None` if it is too large.
    pub fn join(&self, other: &Self) -> Option<Self> {
        if self == other {
            return Some(self.clone());
        }
        Self::of(self.width, self.numbers().iter().chain(other.numbers()).copied().collect())
    }

    /// The transfer function of an operator. Returns `None` if the result is too large or too wide.
    pub fn apply(op: Op, width: Width, arguments: &[&Constants]) -> Option<Self> {
        let widest = arguments.iter().map(|argument| argument.width).fold(width, Width::max);
        let combinations: usize = arguments.iter().map(|argument| argument.numbers().len()).product();
        if widest > Width::W64 || combinations > Self::COMBINATIONS {
            return None;
        }
        let numbers = |index: usize| arguments.get(index).map_or(&[0][..], |argument| argument.numbers());
        let first = arguments.first()?.width;
        if combinations == 1 {
            let [a, b, c] = [0, 1, 2].map(|index| numbers(index)[0]);
            return Some(Self::one(width, op.apply_word(width, first, a, b, c)));
        }
        let mut results = Vec::with_capacity(combinations);
        for a in numbers(0) {
            for b in numbers(1) {
                for c in numbers(2) {
                    results.push(op.apply_word(width, first, *a, *b, *c));
                }
            }
        }
        Self::of(width, results)
    }
}

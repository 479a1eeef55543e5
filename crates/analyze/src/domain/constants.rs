//! Finite sets of constants, after OSMOSE: exact while they are small.

use everypath_ir::{Op, Width};
use std::sync::Arc;

/// A set of numbers of one width of at most 64 bits, in order, at most [`Constants::LIMIT`] of them.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Constants {
    width: Width,
    numbers: Numbers,
}

/// Most sets have one number, and most others are truth values: those take no memory of their own.
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
    /// How many numbers a set has at most.
    pub const LIMIT: usize = 16;
    /// How many combinations of arguments are tried.
    const COMBINATIONS: usize = 256;

    /// The set of one number.
    pub fn one(width: Width, number: u64) -> Self {
        Self { width, numbers: Numbers::One([number]) }
    }

    /// The set of some numbers; `None` if they are too many.
    pub fn of(width: Width, mut numbers: Vec<u64>) -> Option<Self> {
        numbers.sort_unstable();
        numbers.dedup();
        (numbers.len() <= Self::LIMIT).then(|| Self { width, numbers: Numbers::of(&numbers) })
    }

    /// The width of the numbers.
    pub fn width(&self) -> Width {
        self.width
    }

    /// The numbers, in order.
    pub fn numbers(&self) -> &[u64] {
        match &self.numbers {
            Numbers::One(numbers) => numbers,
            Numbers::Two(numbers) => numbers,
            Numbers::Others(numbers) => numbers,
        }
    }

    /// Whether a number is in the set.
    pub fn contains(&self, number: u64) -> bool {
        self.numbers().binary_search(&number).is_ok()
    }

    /// Both sets together; `None` if that is too much.
    pub fn join(&self, other: &Self) -> Option<Self> {
        if self == other {
            return Some(self.clone());
        }
        Self::of(self.width, self.numbers().iter().chain(other.numbers()).copied().collect())
    }

    /// What an operator makes of the numbers; `None` if that is too much, or too wide.
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

//! Value sets of any width: a k-set while small, then a strided interval; top beyond 64 bits.

use super::{Constants, StridedInterval};
use everypath_ir::{Bits, Op, Width};
use std::borrow::Borrow;

/// A set of numbers of one width.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Number {
    /// A finite set.
    Set(Constants),
    /// A strided interval.
    Interval(StridedInterval),
    /// Top, for widths above 64 bits.
    Wide(Width),
}

impl Number {
    /// Top: all numbers of a width.
    pub fn all(width: Width) -> Self {
        if width > Width::W64 { Self::Wide(width) } else { Self::of_interval(StridedInterval::all(width)) }
    }

    /// One number.
    pub fn one(width: Width, number: u64) -> Self {
        if width > Width::W64 { Self::Wide(width) } else { Self::Set(Constants::one(width, number)) }
    }

    /// A constant.
    pub fn constant(bits: &Bits) -> Self {
        match bits.to_u64() {
            Some(number) if bits.width() <= Width::W64 => Self::one(bits.width(), number),
            _ => Self::Wide(bits.width()),
        }
    }

    /// The width.
    pub fn width(&self) -> Width {
        match self {
            Self::Set(set) => set.width(),
            Self::Interval(interval) => interval.width(),
            Self::Wide(width) => *width,
        }
    }

    /// The number, if it is one.
    pub fn single(&self) -> Option<u64> {
        match self {
            Self::Set(set) => match *set.numbers() {
                [number] => Some(number),
                _ => None,
            },
            _ => None,
        }
    }

    /// The elements, if it is a finite set.
    pub fn as_finite_set(&self) -> Option<&[u64]> {
        match self {
            Self::Set(set) => Some(set.numbers()),
            _ => None,
        }
    }

    /// Returns true if it is top.
    pub fn is_all(&self) -> bool {
        match self {
            Self::Set(set) => set.numbers().len() as u128 == 1_u128 << set.width().bits(),
            Self::Interval(interval) => interval.is_all(),
            Self::Wide(_) => true,
        }
    }

    /// Returns true if it contains a number.
    pub fn contains(&self, number: u64) -> bool {
        match self {
            Self::Set(set) => set.contains(number),
            Self::Interval(interval) => interval.contains(number),
            Self::Wide(_) => true,
        }
    }

    /// A strided interval that contains all of it.
    pub fn interval(&self) -> Option<StridedInterval> {
        match self {
            Self::Set(set) => Some(StridedInterval::around(set.width(), set.numbers())),
            Self::Interval(interval) => Some(*interval),
            Self::Wide(_) => None,
        }
    }

    /// The numbers of an interval, as a finite set if they are few.
    pub(super) fn of_interval(interval: StridedInterval) -> Self {
        let few = interval.numbers(Constants::LIMIT as u64);
        match few.and_then(|few| Constants::of(interval.width(), few)) {
            Some(few) => Self::Set(few),
            None => Self::Interval(interval),
        }
    }

    /// An over-approximation of the intersection. Returns `None` if it is empty.
    pub fn meet(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (Self::Wide(_), _) => Some(other.clone()),
            (_, Self::Wide(_)) => Some(self.clone()),
            (Self::Set(set), other) | (other, Self::Set(set)) => {
                let both = set.numbers().iter().copied().filter(|number| other.contains(*number)).collect();
                Constants::of(set.width(), both).filter(|both| !both.numbers().is_empty()).map(Self::Set)
            }
            (Self::Interval(a), Self::Interval(b)) => a.meet(b).map(Self::of_interval),
        }
    }

    /// The join of two sets.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        if self == other {
            return self.clone();
        }
        if let (Self::Set(a), Self::Set(b)) = (self, other)
            && let Some(both) = a.join(b)
        {
            return Self::Set(both);
        }
        match (self.interval(), other.interval()) {
            (Some(a), Some(b)) => Self::of_interval(a.join(&b)),
            _ => Self::all(self.width()),
        }
    }

    /// Widening: a bound that grows moves to the next threshold. Small sets stay exact unless `thresholds` is empty.
    #[must_use]
    pub fn widen(&self, next: &Self, thresholds: &[u64]) -> Self {
        let joined = self.join(next);
        match (self.interval(), next.interval()) {
            // A finite set can grow only a few times.
            _ if joined == *self || (joined.as_finite_set().is_some() && !thresholds.is_empty()) => joined,
            (Some(a), Some(b)) => Self::of_interval(a.widen(&b, thresholds)),
            _ => Self::all(self.width()),
        }
    }

    /// The transfer function of an operator.
    pub fn apply(op: Op, width: Width, arguments: &[impl Borrow<Number>]) -> Self {
        let count = arguments.len();
        let Some(first) = arguments.first().map(Borrow::borrow) else { return Self::all(width) };
        let argument = |index: usize| arguments.get(index).map_or(first, Borrow::borrow);
        let each = [argument(0), argument(1), argument(2)];
        if let [Self::Set(a), Self::Set(b), Self::Set(c)] = each
            && let Some(set) = Constants::apply(op, width, &[a, b, c][..count])
        {
            return Self::Set(set);
        }
        match each.map(Self::interval) {
            [Some(a), Some(b), Some(c)] if width <= Width::W64 && !op.is_float() => {
                Self::of_interval(StridedInterval::apply(op, width, &[a, b, c][..count]))
            }
            _ => Self::all(width),
        }
    }
}

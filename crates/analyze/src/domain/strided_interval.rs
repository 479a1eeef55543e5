//! Strided intervals: every so many numbers between two.

use everypath_ir::{Op, Width, Word};

/// The numbers `low`, `low + stride`, ... up to `high`, read without sign, of a width of at most 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct StridedInterval {
    width: Width,
    low: u64,
    high: u64,
    /// Zero if and only if there is one number.
    stride: u64,
}

impl StridedInterval {
    /// All numbers of a width.
    pub fn all(width: Width) -> Self {
        Self::new(width, 0, u64::mask(width), 1)
    }

    /// One number.
    pub fn one(width: Width, number: u64) -> Self {
        Self::new(width, number, number, 0)
    }

    /// The numbers from one to another, every so many.
    pub fn new(width: Width, low: u64, high: u64, stride: u64) -> Self {
        debug_assert!(low <= high && high <= u64::mask(width), "an interval is in order and fits");
        if low == high {
            return Self { width, low, high, stride: 0 };
        }
        let stride = stride.max(1);
        Self { width, low, high: low + (high - low) / stride * stride, stride }.one_or_more()
    }

    fn one_or_more(mut self) -> Self {
        if self.low == self.high {
            self.stride = 0;
        }
        self
    }

    /// The smallest one with some numbers.
    pub fn of(width: Width, numbers: &[u64]) -> Self {
        let low = numbers.iter().copied().min().unwrap_or(0);
        let high = numbers.iter().copied().max().unwrap_or_else(|| u64::mask(width));
        let stride = numbers.iter().fold(0, |stride, number| divisor(stride, number - low));
        Self::new(width, low, high, stride)
    }

    /// The width of the numbers.
    pub fn width(&self) -> Width {
        self.width
    }

    /// The least number.
    pub fn low(&self) -> u64 {
        self.low
    }

    /// The greatest number.
    pub fn high(&self) -> u64 {
        self.high
    }

    /// The distance between two numbers next to each other; zero if there is one number.
    pub fn stride(&self) -> u64 {
        self.stride
    }

    /// Whether a number is one of them.
    pub fn contains(&self, number: u64) -> bool {
        let inside = (self.low..=self.high).contains(&number);
        inside && (number - self.low).checked_rem(self.stride).unwrap_or(0) == 0
    }

    /// Whether these are all numbers of the width.
    pub fn is_all(&self) -> bool {
        *self == Self::all(self.width)
    }

    /// How many numbers there are, if a `u64` counts them.
    pub fn count(&self) -> Option<u64> {
        (self.high - self.low).checked_div(self.stride).unwrap_or(0).checked_add(1)
    }

    /// The smallest one with the numbers of both.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        let (low, high) = (self.low.min(other.low), self.high.max(other.high));
        let apart = self.low.abs_diff(other.low);
        Self::new(self.width, low, high, divisor(divisor(self.stride, other.stride), apart))
    }

    /// Like a join, but a bound that moves goes as far as it can, so that a chain of them ends.
    #[must_use]
    pub fn widen(&self, next: &Self) -> Self {
        let joined = self.join(next);
        let low = if joined.low < self.low { 0 } else { joined.low };
        let high = if joined.high > self.high { u64::mask(self.width) } else { joined.high };
        // A stride only gets smaller, and what it counts from is the least number.
        let stride = if low == joined.low { joined.stride } else { 1 };
        Self::new(self.width, low, high, stride)
    }

    /// What an operator makes of the numbers.
    pub fn apply(op: Op, width: Width, arguments: &[StridedInterval]) -> Self {
        let all = Self::all(width);
        let max = u64::mask(width);
        let [a, b] = [arguments[0], *arguments.get(1).unwrap_or(&arguments[0])];
        if arguments.iter().all(|argument| argument.stride == 0) {
            let c = arguments.get(2).map_or(0, |argument| argument.low);
            return Self::one(width, op.apply_word(width, a.width, a.low, b.low, c));
        }
        let between = |low: u64, high: u64, stride: u64| Self::new(width, low, high, stride);
        let truth = |known: Option<bool>| {
            known.map_or(Self::all(Width::W1), |is| Self::one(Width::W1, u64::from(is)))
        };
        match op {
            Op::Add => a.add(&b),
            Op::Sub => a.sub(&b),
            Op::Neg => Self::one(width, 0).sub(&a),
            Op::Not => between(max - a.high, max - a.low, a.stride),
            Op::Mul if a.stride == 0 => b.scale(a.low),
            Op::Mul if b.stride == 0 => a.scale(b.low),
            Op::Shl if b.stride == 0 && b.low < u64::from(width.bits()) => a.scale(1 << b.low),
            Op::Lshr if b.stride == 0 && b.low < u64::from(width.bits()) => {
                let stride =
                    if a.low.trailing_zeros() >= b.low as u32 && a.stride.trailing_zeros() >= b.low as u32 {
                        a.stride >> b.low
                    } else {
                        1
                    };
                between(a.low >> b.low, a.high >> b.low, stride)
            }
            Op::Lshr => between(0, a.high, 1),
            Op::Ashr if a.high <= max >> 1 => between(0, a.high, 1),
            Op::And => {
                let zeros = |x: &Self| if x.stride == 0 { x.low.trailing_zeros().min(63) } else { 0 };
                between(0, a.high.min(b.high), 1 << zeros(&a).max(zeros(&b)))
            }
            Op::Or => between(a.low.max(b.low), filled(a.high | b.high), 1),
            Op::Xor => between(0, filled(a.high | b.high), 1),
            Op::Udiv if b.stride == 0 && b.low > 0 => between(a.low / b.low, a.high / b.low, 1),
            Op::Udiv if b.low > 0 => between(0, a.high, 1),
            Op::Urem if b.low > 0 && a.high < b.low => a,
            Op::Urem if b.low > 0 => between(0, a.high.min(b.high - 1), 1),
            Op::Urem => between(0, a.high, 1),
            Op::Zext => between(a.low, a.high, a.stride),
            Op::Sext => {
                let half = u64::mask(a.width) >> 1;
                if a.high <= half {
                    between(a.low, a.high, a.stride)
                } else if a.low > half {
                    let up = |number: u64| number.sign_extend(a.width).truncate(width);
                    between(up(a.low), up(a.high), a.stride)
                } else {
                    all
                }
            }
            Op::Extract(low) => {
                let low = u32::from(low);
                if low == 0 && a.high <= max {
                    between(a.low, a.high, a.stride)
                } else if low < 64 && a.high >> low <= max {
                    between(a.low >> low, a.high >> low, 1)
                } else {
                    all
                }
            }
            Op::Concat => {
                let shift = b.width.bits();
                let stride = if b.stride == 0 && shift < 64 { a.stride << shift } else { 1 };
                let up = |number: u64| if shift < 64 { number << shift } else { 0 };
                between(up(a.low) + b.low, up(a.high) + b.high, stride)
            }
            Op::Select => match (a.contains(1), a.contains(0)) {
                (true, false) => arguments[1],
                (false, true) => arguments[2],
                _ => arguments[1].join(&arguments[2]),
            },
            Op::Eq if a.high < b.low || b.high < a.low => truth(Some(false)),
            Op::Ne if a.high < b.low || b.high < a.low => truth(Some(true)),
            Op::Ult if a.high < b.low => truth(Some(true)),
            Op::Ult if a.low >= b.high => truth(Some(false)),
            Op::Ule if a.high <= b.low => truth(Some(true)),
            Op::Ule if a.low > b.high => truth(Some(false)),
            Op::Carry if max_sum(&a, &b).is_some_and(|sum| sum <= u64::mask(a.width)) => truth(Some(false)),
            _ => all,
        }
    }

    fn add(&self, other: &Self) -> Self {
        let max = u128::from(u64::mask(self.width));
        let (low, high) =
            (u128::from(self.low) + u128::from(other.low), u128::from(self.high) + u128::from(other.high));
        let stride = divisor(self.stride, other.stride);
        if high <= max {
            Self::new(self.width, low as u64, high as u64, stride)
        } else if low > max {
            Self::new(self.width, (low - max - 1) as u64, (high - max - 1) as u64, stride)
        } else {
            Self::all(self.width)
        }
    }

    fn sub(&self, other: &Self) -> Self {
        let stride = divisor(self.stride, other.stride);
        if self.low >= other.high {
            Self::new(self.width, self.low - other.high, self.high - other.low, stride)
        } else if self.high < other.low {
            let down = |a: u64, b: u64| a.wrapping_sub(b).truncate(self.width);
            Self::new(self.width, down(self.low, other.high), down(self.high, other.low), stride)
        } else {
            Self::all(self.width)
        }
    }

    fn scale(&self, factor: u64) -> Self {
        match self.high.checked_mul(factor) {
            Some(high) if high <= u64::mask(self.width) => {
                Self::new(self.width, self.low * factor, high, self.stride.saturating_mul(factor))
            }
            _ => Self::all(self.width),
        }
    }
}

fn max_sum(a: &StridedInterval, b: &StridedInterval) -> Option<u64> {
    a.high.checked_add(b.high)
}

/// All bits up to the highest that is set.
fn filled(number: u64) -> u64 {
    u64::MAX.checked_shr(number.leading_zeros()).unwrap_or(0)
}

/// The greatest common divisor.
fn divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

//! A second definition of floating point: every format is decoded to exact integers, and each exact result is rounded
//! once.

use std::cmp::Ordering;

use everypath_ir::{Op, Wide, Word};

/// A floating-point format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    pub(crate) bits: u32,
    /// The number of significand bits, including the leading one.
    pub(crate) precision: u32,
    /// Whether the leading one is stored.
    explicit: bool,
}

pub(crate) const FORMATS: [Format; 5] = [
    Format { bits: 16, precision: 11, explicit: false },
    Format { bits: 32, precision: 24, explicit: false },
    Format { bits: 64, precision: 53, explicit: false },
    Format { bits: 80, precision: 64, explicit: true },
    Format { bits: 128, precision: 113, explicit: false },
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Number {
    Nan,
    /// Whether it is negative.
    Infinity(bool),
    Finite(Finite),
}

/// `significand * 2^exponent`, where a zero has a sign too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Finite {
    negative: bool,
    significand: Wide,
    exponent: i32,
    /// Whether the exact magnitude is larger, by less than the lowest bit (a sticky bit).
    more: bool,
}

fn length(value: Wide) -> i32 {
    512 - value.leading_zeros() as i32
}

impl Format {
    fn fraction_bits(self) -> u32 {
        if self.explicit { self.precision } else { self.precision - 1 }
    }

    fn exponent_mask(self) -> u128 {
        (1 << (self.bits - 1 - self.fraction_bits())) - 1
    }

    fn bias(self) -> i32 {
        (self.exponent_mask() / 2) as i32
    }

    /// The exponent of the lowest bit of a subnormal number.
    fn lowest(self) -> i32 {
        1 - self.bias() - (self.precision as i32 - 1)
    }

    fn pack(self, negative: bool, exponent: u128, fraction: u128) -> u128 {
        u128::from(negative) << (self.bits - 1) | exponent << self.fraction_bits() | fraction
    }

    pub(crate) fn nan(self) -> u128 {
        let quiet = if self.explicit { 3 << 62 } else { 1 << (self.precision - 2) };
        self.pack(false, self.exponent_mask(), quiet)
    }

    fn decode(self, bits: u128) -> Number {
        let negative = bits >> (self.bits - 1) & 1 == 1;
        let exponent = bits >> self.fraction_bits() & self.exponent_mask();
        let fraction = bits & ((1 << self.fraction_bits()) - 1);
        let leading = 1 << (self.precision - 1);
        if exponent == self.exponent_mask() {
            let infinite = if self.explicit { leading } else { 0 };
            return if fraction == infinite { Number::Infinity(negative) } else { Number::Nan };
        }
        if self.explicit && exponent != 0 && fraction & leading == 0 {
            return Number::Nan;
        }
        let significand = if exponent == 0 || self.explicit { fraction } else { fraction | leading };
        let exponent = self.lowest() + (exponent as i32 - 1).max(0);
        Number::Finite(Finite { negative, significand: Wide::from_u128(significand), exponent, more: false })
    }

    /// Rounds to nearest, ties to even.
    fn encode(self, number: Number) -> u128 {
        let infinity = |negative| {
            self.pack(
                negative,
                self.exponent_mask(),
                if self.explicit { 1 << (self.precision - 1) } else { 0 },
            )
        };
        let number = match number {
            Number::Nan => return self.nan(),
            Number::Infinity(negative) => return infinity(negative),
            Number::Finite(number) => number,
        };
        if number.significand.is_zero() {
            return self.pack(number.negative, 0, 0);
        }
        let precision = self.precision as i32;
        let mut lowest = (number.exponent + length(number.significand) - precision).max(self.lowest());
        let mut kept = number.rounded(lowest, |kept, half| match half {
            Ordering::Less => false,
            Ordering::Equal => kept.low_u64() % 2 == 1,
            Ordering::Greater => true,
        });
        if kept >> self.precision != 0 {
            kept >>= 1;
            lowest += 1;
        }
        let exponent = if kept >> (self.precision - 1) == 0 { 0 } else { lowest - self.lowest() + 1 };
        if exponent as u128 >= self.exponent_mask() {
            return infinity(number.negative);
        }
        self.pack(number.negative, exponent as u128, kept & ((1 << self.fraction_bits()) - 1))
    }
}

impl Finite {
    /// The magnitude in units of `2^lowest`. `up` decides whether to add one, from the truncated magnitude and the
    /// comparison of the discarded part with one half.
    fn rounded(self, lowest: i32, up: impl Fn(Wide, Ordering) -> bool) -> u128 {
        let shift = lowest - self.exponent;
        if shift <= 0 {
            assert!(!self.more, "the oracle computes enough bits");
            return self.significand.shift_left(shift.unsigned_abs()).low_u128();
        }
        if shift > length(self.significand) + 1 {
            let nothing = self.significand.is_zero() && !self.more;
            return u128::from(!nothing && up(Wide::ZERO, Ordering::Less));
        }
        let shift = shift as u32;
        let kept = self.significand.shift_right(shift);
        let cut = self.significand.wrapping_sub(kept.shift_left(shift));
        let half = Wide::ONE.shift_left(shift - 1);
        if cut.is_zero() && !self.more {
            return kept.low_u128();
        }
        let order = cut.cmp(&half).then(if self.more { Ordering::Greater } else { Ordering::Equal });
        kept.low_u128() + u128::from(up(kept, order))
    }
}

/// If two exponents differ by more than this, the smaller number only decides the direction of rounding.
const FAR: i32 = 250;

fn sum(a: Finite, b: Finite) -> Number {
    let (high, mut low) = if a.exponent >= b.exponent { (a, b) } else { (b, a) };
    if high.significand.is_zero() && !low.significand.is_zero() {
        return Number::Finite(low);
    }
    if high.exponent - low.exponent > FAR {
        low.exponent = high.exponent - FAR;
        low.significand = Wide::from_bool(!low.significand.is_zero());
    }
    let aligned = high.significand.shift_left((high.exponent - low.exponent) as u32);
    let (negative, significand) = if a.negative == b.negative {
        (a.negative, aligned.wrapping_add(low.significand))
    } else {
        match aligned.cmp(&low.significand) {
            Ordering::Greater => (high.negative, aligned.wrapping_sub(low.significand)),
            Ordering::Equal => (false, Wide::ZERO),
            Ordering::Less => (low.negative, low.significand.wrapping_sub(aligned)),
        }
    };
    Number::Finite(Finite { negative, significand, exponent: low.exponent, more: false })
}

fn add(a: Number, b: Number) -> Number {
    match (a, b) {
        (Number::Finite(a), Number::Finite(b)) => sum(a, b),
        (Number::Infinity(a), Number::Infinity(b)) if a == b => Number::Infinity(a),
        (Number::Infinity(infinite), Number::Finite(_)) | (Number::Finite(_), Number::Infinity(infinite)) => {
            Number::Infinity(infinite)
        }
        _ => Number::Nan,
    }
}

fn negated(number: Number) -> Number {
    match number {
        Number::Nan => Number::Nan,
        Number::Infinity(negative) => Number::Infinity(!negative),
        Number::Finite(finite) => Number::Finite(Finite { negative: !finite.negative, ..finite }),
    }
}

fn multiply(a: Number, b: Number) -> Number {
    match (a, b) {
        (Number::Finite(a), Number::Finite(b)) => Number::Finite(Finite {
            negative: a.negative != b.negative,
            significand: a.significand.wrapping_mul(b.significand),
            exponent: a.exponent + b.exponent,
            more: false,
        }),
        (Number::Infinity(infinite), Number::Finite(finite))
        | (Number::Finite(finite), Number::Infinity(infinite))
            if !finite.significand.is_zero() =>
        {
            Number::Infinity(infinite != finite.negative)
        }
        (Number::Infinity(a), Number::Infinity(b)) => Number::Infinity(a != b),
        _ => Number::Nan,
    }
}

fn divide(a: Number, b: Number) -> Number {
    match (a, b) {
        (Number::Finite(a), Number::Finite(b)) if b.significand.is_zero() => {
            if a.significand.is_zero() {
                Number::Nan
            } else {
                Number::Infinity(a.negative != b.negative)
            }
        }
        (Number::Finite(a), Number::Finite(b)) => {
            let dividend = a.significand.shift_left(300);
            let quotient = dividend.quotient(b.significand);
            Number::Finite(Finite {
                negative: a.negative != b.negative,
                significand: quotient,
                exponent: a.exponent - b.exponent - 300,
                more: quotient.wrapping_mul(b.significand) != dividend,
            })
        }
        (Number::Infinity(infinite), Number::Finite(b)) => Number::Infinity(infinite != b.negative),
        (Number::Finite(a), Number::Infinity(infinite)) => {
            Number::Finite(Finite { negative: a.negative != infinite, significand: Wide::ZERO, ..a })
        }
        _ => Number::Nan,
    }
}

fn square_root(a: Number) -> Number {
    match a {
        Number::Finite(a) if a.significand.is_zero() => Number::Finite(a),
        Number::Infinity(false) => a,
        Number::Finite(a) if !a.negative => {
            let exponent = a.exponent - 260 - a.exponent.rem_euclid(2);
            let radicand = a.significand.shift_left((a.exponent - exponent) as u32);
            let mut root = Wide::ZERO;
            for bit in (0..200).rev() {
                let trial = root | Wide::ONE.shift_left(bit);
                if trial.wrapping_mul(trial) <= radicand {
                    root = trial;
                }
            }
            let more = root.wrapping_mul(root) != radicand;
            Number::Finite(Finite { negative: false, significand: root, exponent: exponent / 2, more })
        }
        _ => Number::Nan,
    }
}

fn integral(a: Number, up: impl Fn(bool, Wide, Ordering) -> bool) -> Number {
    match a {
        Number::Finite(finite) if finite.exponent < 0 => {
            let magnitude = finite.rounded(0, |kept, order| up(finite.negative, kept, order));
            Number::Finite(Finite { significand: Wide::from_u128(magnitude), exponent: 0, ..finite })
        }
        other => other,
    }
}

fn order(a: Number, b: Number) -> Option<Ordering> {
    let infinite = |number| match number {
        Number::Infinity(negative) => Some(if negative { -1 } else { 1 }),
        Number::Finite(_) => Some(0),
        Number::Nan => None,
    };
    let (left, right) = (infinite(a)?, infinite(b)?);
    if left != 0 || right != 0 {
        return Some(left.cmp(&right));
    }
    let Number::Finite(difference) = add(a, negated(b)) else { return None };
    Some(match (difference.significand.is_zero(), difference.negative) {
        (true, _) => Ordering::Equal,
        (false, true) => Ordering::Less,
        (false, false) => Ordering::Greater,
    })
}

/// The result of an operator within one format.
pub(crate) fn expected(op: Op, format: Format, a: u128, b: u128) -> u128 {
    let (x, y) = (format.decode(a), format.decode(b));
    let sign = 1 << (format.bits - 1);
    let compare = |holds: fn(Ordering) -> bool| u128::from(order(x, y).is_some_and(holds));
    match op {
        Op::Fadd => format.encode(add(x, y)),
        Op::Fsub => format.encode(add(x, negated(y))),
        Op::Fmul => format.encode(multiply(x, y)),
        Op::Fdiv => format.encode(divide(x, y)),
        Op::Fsqrt => format.encode(square_root(x)),
        Op::Fneg => a ^ sign,
        Op::Fabs => a & !sign,
        Op::Fceil => format.encode(integral(x, |negative, _, _| !negative)),
        Op::Ffloor => format.encode(integral(x, |negative, _, _| negative)),
        Op::Fround => format.encode(integral(x, |_, kept, order| match order {
            Ordering::Equal => kept.low_u64() % 2 == 1,
            order => order == Ordering::Greater,
        })),
        Op::Feq => compare(Ordering::is_eq),
        Op::Fne => 1 - compare(Ordering::is_eq),
        Op::Flt => compare(Ordering::is_lt),
        Op::Fle => compare(Ordering::is_le),
        Op::Fisnan => u128::from(x == Number::Nan),
        _ => panic!("{op} is not within one format"),
    }
}

/// The value in another format.
pub(crate) fn converted(from: Format, to: Format, bits: u128) -> u128 {
    to.encode(from.decode(bits))
}

/// The signed integer in a format.
pub(crate) fn from_integer(format: Format, value: i128) -> u128 {
    let significand = Wide::from_u128(value.unsigned_abs());
    format.encode(Number::Finite(Finite { negative: value < 0, significand, exponent: 0, more: false }))
}

/// The signed integer of this width nearest toward zero, if there is one.
pub(crate) fn to_integer(format: Format, bits: u128, width: u32) -> Option<u128> {
    let Number::Finite(number) = format.decode(bits) else { return None };
    if number.exponent > 128 && !number.significand.is_zero() {
        return None;
    }
    let magnitude = if number.exponent > 0 {
        number.significand.shift_left(number.exponent.unsigned_abs())
    } else {
        Wide::from_u128(number.rounded(0, |_, _| false))
    };
    let limit = Wide::ONE.shift_left(width - 1);
    if magnitude > limit || magnitude == limit && !number.negative {
        return None;
    }
    let value = magnitude.low_u128();
    let value = if number.negative { value.wrapping_neg() } else { value };
    Some(value & (u128::MAX >> (128 - width)))
}

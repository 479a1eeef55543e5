//! Transfer functions of strided intervals, after strided-interval arithmetic (Reps, Balakrishnan & Lim 2006).

use super::strided_interval::{StridedInterval, divisor};
use everypath_ir::{Op, Width, Word};

impl StridedInterval {
    /// The transfer function of an operator.
    pub fn apply(op: Op, width: Width, arguments: &[StridedInterval]) -> Self {
        let [a, b] = [arguments[0], *arguments.get(1).unwrap_or(&arguments[0])];
        if arguments.iter().all(|argument| argument.single().is_some()) {
            let c = arguments.get(2).map_or(0, StridedInterval::low);
            return Self::one(width, op.apply_word(width, a.width(), a.low(), b.low(), c));
        }
        let max = u64::mask(width);
        match op {
            Op::Add => a.plus(&b),
            Op::Sub => a.minus(&b),
            Op::Neg => Self::one(width, 0).minus(&a),
            Op::Not => Self::one(width, max).minus(&a),
            Op::Mul if a.single().is_some() => b.scale(a.low()),
            Op::Mul if b.single().is_some() => a.scale(b.low()),
            Op::Shl if b.single().is_some_and(|by| by < u64::from(width.bits())) => a.scale(1 << b.low()),
            Op::Extract(0) if a.span() <= max => {
                Self::spanning(width, a.low().truncate(width), a.span(), a.stride())
            }
            Op::And if b.single().is_some_and(|mask| is_low_mask(mask) && a.span() <= mask) => {
                a.masked(b.low())
            }
            Op::And if a.single().is_some_and(|mask| is_low_mask(mask) && b.span() <= mask) => {
                b.masked(a.low())
            }
            Op::Select => match (a.contains(1), a.contains(0)) {
                (true, false) => arguments[1],
                (false, true) => arguments[2],
                _ => arguments[1].join(&arguments[2]),
            },
            Op::Slt => Self::apply(Op::Ult, width, &[a.flipped(), b.flipped()]),
            Op::Sle => Self::apply(Op::Ule, width, &[a.flipped(), b.flipped()]),
            Op::Sext => joined(a.signed_pieces().map(|piece| {
                let up = |number: u64| number.sign_extend(a.width()).truncate(width);
                Self::new(width, up(piece.low()), up(piece.high()), piece.stride())
            })),
            Op::Ashr if b.single().is_some() => joined(a.signed_pieces().map(|piece| {
                let down = |number: u64| op.apply_word(width, width, number, b.low(), 0);
                Self::new(width, down(piece.low()), down(piece.high()), 1)
            })),
            Op::Sdiv if b.single().is_some_and(|by| by > 0 && by <= max >> 1) => {
                joined(a.signed_pieces().map(|piece| {
                    let part = |number: u64| op.apply_word(width, width, number, b.low(), 0);
                    Self::new(width, part(piece.low()), part(piece.high()), 1)
                }))
            }
            Op::Srem if a.bounds().1 <= max >> 1 && b.bounds().1 <= max >> 1 => {
                Self::apply(Op::Urem, width, &[a, b])
            }
            Op::Scarry | Op::Sborrow => overflow(op, &a, &b),
            Op::Eq | Op::Ne if a.meet(&b).is_none() => Self::one(width, u64::from(op == Op::Ne)),
            _ => {
                let seconds = if arguments.len() > 1 { b.pieces() } else { [Some(b), None] };
                let seconds: Vec<Self> = seconds.into_iter().flatten().collect();
                let firsts = a.pieces().into_iter().flatten();
                let pairs = firsts.flat_map(|a| seconds.iter().map(move |b| (a, *b)));
                joined(pairs.map(|(a, b)| Self::apply_pieces(op, width, a, b)))
            }
        }
    }

    /// The transfer function on pieces that do not wrap around.
    fn apply_pieces(op: Op, width: Width, a: Self, b: Self) -> Self {
        let (all, max) = (Self::all(width), u64::mask(width));
        let between = |low: u64, high: u64, stride: u64| Self::new(width, low, high, stride);
        let truth = |is: bool| Self::one(Width::W1, u64::from(is));
        match op {
            Op::Lshr if b.single().is_some_and(|by| by < u64::from(width.bits())) => {
                let by = b.low() as u32;
                let even = a.low().trailing_zeros() >= by && a.stride().trailing_zeros() >= by;
                let stride = if even { a.stride() >> by } else { 1 };
                between(a.low() >> by, a.high() >> by, stride)
            }
            Op::Lshr => between(0, a.high(), 1),
            Op::Ashr if a.high() <= max >> 1 => between(0, a.high(), 1),
            Op::Mul => match a.high().checked_mul(b.high()).filter(|high| *high <= max) {
                Some(high) => between(a.low() * b.low(), high, 1),
                None => all,
            },
            Op::And => match [(a, b), (b, a)].into_iter().find(|(_, mask)| is_high_mask(mask, width)) {
                Some((other, mask)) => {
                    let stride = 1 << mask.low().trailing_zeros().min(63);
                    between(other.low() & mask.low(), other.high() & mask.low(), stride)
                }
                None => {
                    let zeros =
                        |x: &Self| if x.single().is_some() { x.low().trailing_zeros().min(63) } else { 0 };
                    between(0, a.high().min(b.high()), 1 << zeros(&a).max(zeros(&b)))
                }
            },
            Op::Or => between(a.low().max(b.low()), filled(a.high() | b.high()), 1),
            Op::Xor => between(0, filled(a.high() | b.high()), 1),
            Op::Udiv if b.low() > 0 => between(a.low() / b.high(), a.high() / b.low(), 1),
            Op::Urem if b.low() > 0 && a.high() < b.low() => a,
            Op::Urem if b.low() > 0 => between(0, a.high().min(b.high() - 1), 1),
            Op::Urem => between(0, a.high(), 1),
            Op::Zext => between(a.low(), a.high(), a.stride()),
            Op::Extract(low) => {
                let low = u32::from(low);
                if low < 64 && a.high() >> low <= max {
                    between(a.low() >> low, a.high() >> low, 1)
                } else {
                    all
                }
            }
            Op::Concat => {
                let shift = b.width().bits();
                let up = |number: u64| if shift < 64 { number << shift } else { 0 };
                let stride = divisor(up(a.stride()), b.stride());
                between(up(a.low()) + b.low(), up(a.high()) + b.high(), stride)
            }
            Op::Ult if a.high() < b.low() => truth(true),
            Op::Ult if a.low() >= b.high() => truth(false),
            Op::Ule if a.high() <= b.low() => truth(true),
            Op::Ule if a.low() > b.high() => truth(false),
            Op::Carry if sum(a.high(), b.high()) <= u128::from(u64::mask(a.width())) => truth(false),
            Op::Carry if sum(a.low(), b.low()) > u128::from(u64::mask(a.width())) => truth(true),
            _ => all,
        }
    }

    fn plus(&self, other: &Self) -> Self {
        let span = sum(self.span(), other.span());
        if span > u128::from(u64::mask(self.width())) {
            return Self::all(self.width());
        }
        let low = self.low().wrapping_add(other.low()).truncate(self.width());
        Self::spanning(self.width(), low, span as u64, divisor(self.stride(), other.stride()))
    }

    fn minus(&self, other: &Self) -> Self {
        let zero = u64::wrapping_sub(0, other.high()).truncate(other.width());
        self.plus(&Self::spanning(other.width(), zero, other.span(), other.stride()))
    }

    fn scale(&self, factor: u64) -> Self {
        let width = self.width();
        let negative = u64::wrapping_sub(0, factor).truncate(width);
        if negative < factor && self.single().is_none() {
            return Self::one(width, 0).minus(&self.scale(negative));
        }
        match self.span().checked_mul(factor).filter(|span| *span <= u64::mask(width)) {
            // Multiplication by zero gives span zero, hence one number.
            Some(span) => {
                let low = self.low().wrapping_mul(factor).truncate(width);
                Self::spanning(width, low, span, self.stride().saturating_mul(factor))
            }
            None => Self::all(width),
        }
    }

    /// Masks with a low-bit mask; the span must not exceed the mask.
    fn masked(&self, mask: u64) -> Self {
        let bits = Width::new(mask.count_ones()).filter(|bits| *bits < self.width());
        let Some(bits) = bits else { return *self };
        let low = Self::spanning(bits, self.low() & mask, self.span(), self.stride());
        Self::apply(Op::Zext, self.width(), &[low])
    }
}

/// The join of some intervals.
fn joined(mut each: impl Iterator<Item = StridedInterval>) -> StridedInterval {
    let first = each.next().expect("an interval has a piece");
    each.fold(first, |whole, piece| whole.join(&piece))
}

fn overflow(op: Op, a: &StridedInterval, b: &StridedInterval) -> StridedInterval {
    let (a_low, a_high) = a.signed_bounds();
    let (b_low, b_high) = b.signed_bounds();
    let wide = i128::from;
    let (low, high) = match op {
        Op::Scarry => (wide(a_low) + wide(b_low), wide(a_high) + wide(b_high)),
        _ => (wide(a_low) - wide(b_high), wide(a_high) - wide(b_low)),
    };
    let limit = 1_i128 << (a.width().bits() - 1);
    if low >= -limit && high < limit {
        StridedInterval::one(Width::W1, 0)
    } else if high < -limit || low >= limit {
        StridedInterval::one(Width::W1, 1)
    } else {
        StridedInterval::all(Width::W1)
    }
}

fn sum(a: u64, b: u64) -> u128 {
    u128::from(a) + u128::from(b)
}

fn is_low_mask(mask: u64) -> bool {
    mask != 0 && mask & mask.wrapping_add(1) == 0
}

/// Returns true if it is a constant of ones above zeros.
fn is_high_mask(mask: &StridedInterval, width: Width) -> bool {
    mask.single().is_some_and(|mask| mask != 0 && is_low_mask(!mask & u64::mask(width)))
}

/// Sets all bits up to the highest set bit.
fn filled(number: u64) -> u64 {
    u64::MAX.checked_shr(number.leading_zeros()).unwrap_or(0)
}

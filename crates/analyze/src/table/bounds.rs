//! Value ranges implied by path conditions: a reduced product of an unsigned and a signed interval.

use super::expression::{Expression, Form, Store};
use everypath_ir::{Algebra, Op, Width, Word};

/// Unsigned and signed bounds of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct IndexBounds {
    width: Width,
    pub(super) low: u64,
    pub(super) high: u64,
    least: i64,
    most: i64,
    /// True if the range is empty.
    empty: bool,
}

impl IndexBounds {
    pub(super) fn all(width: Width) -> Self {
        let high = u64::mask(width);
        let most = (high >> 1) as i64;
        Self { width, low: 0, high, least: -most - 1, most, empty: false }
    }

    fn none(width: Width) -> Self {
        Self { empty: true, ..Self::all(width) }
    }

    fn unsigned(width: Width, low: u64, high: u64) -> Self {
        Self { low, high, ..Self::all(width) }.settled()
    }

    fn signed(width: Width, least: i64, most: i64) -> Self {
        Self { least, most, ..Self::all(width) }.settled()
    }

    /// Reduces the unsigned and the signed bounds by each other.
    fn settled(mut self) -> Self {
        let half = u64::mask(self.width) >> 1;
        for _ in 0..2 {
            if self.low > self.high || self.least > self.most {
                return Self::none(self.width);
            }
            if self.least >= 0 {
                self.low = self.low.max(self.least as u64);
                self.high = self.high.min(self.most as u64);
            } else if self.most < 0 {
                self.low = self.low.max((self.least as u64).truncate(self.width));
                self.high = self.high.min((self.most as u64).truncate(self.width));
            }
            if self.low > self.high {
                return Self::none(self.width);
            }
            if self.high <= half {
                self.least = self.least.max(self.low as i64);
                self.most = self.most.min(self.high as i64);
            } else if self.low > half {
                self.least = self.least.max(self.low.sign_extend(self.width) as i64);
                self.most = self.most.min(self.high.sign_extend(self.width) as i64);
            }
        }
        self
    }

    pub(super) fn and(self, other: Self) -> Self {
        if self.empty || other.empty {
            return Self::none(self.width);
        }
        Self {
            width: self.width,
            low: self.low.max(other.low),
            high: self.high.min(other.high),
            least: self.least.max(other.least),
            most: self.most.min(other.most),
            empty: false,
        }
        .settled()
    }

    fn or(self, other: Self) -> Self {
        match (self.empty, other.empty) {
            (true, _) => other,
            (_, true) => self,
            _ => Self {
                width: self.width,
                low: self.low.min(other.low),
                high: self.high.max(other.high),
                least: self.least.min(other.least),
                most: self.most.max(other.most),
                empty: false,
            },
        }
    }

    /// The number of values; `None` if it does not fit a `u64`.
    pub(super) fn count(&self) -> Option<u64> {
        if self.empty { Some(0) } else { (self.high - self.low).checked_add(1) }
    }
}

/// Maximum depth to which conditions and expressions are inspected.
const DEPTH: u32 = 24;

impl Store {
    /// The range of an expression by its form alone, without conditions.
    pub(super) fn range(&self, value: Expression, depth: u32) -> IndexBounds {
        let width = self.width(value);
        if width > Width::W64 {
            return IndexBounds::all(Width::W64);
        }
        let all = IndexBounds::all(width);
        if depth > DEPTH {
            return all;
        }
        match self.form(value) {
            Form::Constant(bits) => {
                bits.to_u64().map_or(all, |number| IndexBounds::unsigned(width, number, number))
            }
            Form::Computed { op, arguments, .. } => {
                let part = |index: usize| self.range(arguments[index], depth + 1);
                match op {
                    Op::And => {
                        let high = part(0).high.min(part(1).high);
                        IndexBounds::unsigned(width, 0, high.truncate(width))
                    }
                    Op::Zext if self.width(arguments[0]) <= Width::W64 => {
                        IndexBounds::unsigned(width, part(0).low, part(0).high)
                    }
                    Op::Urem => match self.number(arguments[1]) {
                        Some(divisor) if divisor > 0 => IndexBounds::unsigned(width, 0, divisor - 1),
                        _ => all,
                    },
                    Op::Lzcount => {
                        let bits = u64::from(self.width(arguments[0]).bits());
                        IndexBounds::unsigned(width, 0, bits.min(u64::mask(width)))
                    }
                    Op::Lshr => match self.number(arguments[1]) {
                        Some(amount) if amount < u64::from(width.bits()) => {
                            IndexBounds::unsigned(width, 0, u64::mask(width) >> amount)
                        }
                        _ => all,
                    },
                    Op::Concat if self.number(arguments[0]) == Some(0) => {
                        IndexBounds::unsigned(width, part(1).low, part(1).high)
                    }
                    _ => all,
                }
            }
            _ => all,
        }
    }

    /// Returns true if the outermost operator of an expression bounds it.
    pub(super) fn is_masked(&self, value: Expression) -> bool {
        let form = self.form(value);
        let masks = matches!(form, Form::Computed { op: Op::And | Op::Urem | Op::Lshr, .. });
        masks || (self.width(value) == Width::W1 && self.number(value).is_none())
    }

    /// The range of a difference of leading-zero counts, if the numbers are ordered: the greater has no more zeros.
    fn is_ordered(&self, condition: Expression, holds: bool, value: Expression) -> Option<IndexBounds> {
        let Form::Computed { op: Op::Sub, arguments: [first, second, _], .. } = *self.form(value) else {
            return None;
        };
        let counted = |zeros: Expression| match *self.form(zeros) {
            Form::Computed { op: Op::Lzcount, arguments: [number, ..], .. } => Some(number),
            _ => None,
        };
        let (low, high) = (counted(first)?, counted(second)?);
        let Form::Computed { op: Op::Ult | Op::Ule, arguments: [a, b, _], .. } = *self.form(condition) else {
            return None;
        };
        let is_lower = if holds { (a, b) == (low, high) } else { (b, a) == (low, high) };
        let most = self.range(first, 0).most;
        // A count can equal the operand's width, which must fit.
        let fits = self.width(value) >= Width::W16;
        (is_lower && fits).then(|| IndexBounds::signed(self.width(value), 0, most))
    }

    /// The range of a value implied by a condition that holds or fails.
    pub(super) fn bounds(
        &self,
        condition: Expression,
        holds: bool,
        value: Expression,
        depth: u32,
    ) -> IndexBounds {
        let width = self.width(value);
        let all = IndexBounds::all(width);
        if depth > DEPTH {
            return all;
        }
        if condition == value {
            return IndexBounds::unsigned(width, u64::from(holds), u64::from(holds));
        }
        if let Some(compared) = self.is_ordered(condition, holds, value) {
            return compared;
        }
        let Form::Computed { op, arguments, .. } = self.form(condition) else { return all };
        let [a, b, c] = *arguments;
        let again = |part: Expression, holds: bool| self.bounds(part, holds, value, depth + 1);
        match op {
            Op::Not => again(a, !holds),
            Op::And if self.width(condition) == Width::W1 => match holds {
                true => again(a, true).and(again(b, true)),
                false => again(a, false).or(again(b, false)),
            },
            Op::Or if self.width(condition) == Width::W1 => match holds {
                true => again(a, true).or(again(b, true)),
                false => again(a, false).and(again(b, false)),
            },
            Op::Select if self.width(condition) == Width::W1 => {
                let then = again(a, true).and(again(b, holds));
                then.or(again(a, false).and(again(c, holds)))
            }
            Op::Eq | Op::Ne => {
                let equal = (*op == Op::Eq) == holds;
                match self.flag(a, b) {
                    Some((flag, is_one)) => again(flag, is_one == equal),
                    None => self.compared(Op::Eq, equal, a, b, value),
                }
            }
            Op::Ult | Op::Slt if holds => self.compared(*op, true, a, b, value),
            // not (a < b) is b <= a.
            Op::Ult => self.compared(Op::Ule, true, b, a, value),
            Op::Slt => self.compared(Op::Sle, true, b, a, value),
            Op::Ule | Op::Sle if holds => self.compared(*op, true, a, b, value),
            Op::Ule => self.compared(Op::Ult, true, b, a, value),
            Op::Sle => self.compared(Op::Slt, true, b, a, value),
            _ => all,
        }
    }

    /// Matches the test of a single bit. Returns the condition behind the bit, and whether equality means that it
    /// holds. Processors keep several conditions in one register.
    fn flag(&self, a: Expression, b: Expression) -> Option<(Expression, bool)> {
        let number = self.number(b)?;
        let (inner, mask) = match self.form(a) {
            Form::Computed { op: Op::And, arguments, .. } => (arguments[0], self.number(arguments[1])?),
            _ => (a, self.range(a, 0).high),
        };
        if !mask.is_power_of_two() || (number != 0 && number != mask) {
            return None;
        }
        self.condition_at(inner, mask.trailing_zeros(), 0).map(|flag| (flag, number != 0))
    }

    /// The one-bit expression that is a given bit of another expression.
    fn condition_at(&self, value: Expression, bit: u32, depth: u32) -> Option<Expression> {
        if depth > DEPTH || bit >= self.width(value).bits() {
            return None;
        }
        if self.width(value) == Width::W1 {
            return Some(value);
        }
        let Form::Computed { op, arguments, .. } = self.form(value) else { return None };
        let below = |part: Expression, bit: u32| self.condition_at(part, bit, depth + 1);
        let constant = |part: Expression| self.number(part).and_then(|number| u32::try_from(number).ok());
        match op {
            Op::Zext => below(arguments[0], bit),
            Op::Extract(low) => below(arguments[0], bit + u32::from(*low)),
            Op::Shl => below(arguments[0], bit.checked_sub(constant(arguments[1])?)?),
            Op::Lshr => below(arguments[0], bit.checked_add(constant(arguments[1])?)?),
            Op::And => (self.number(arguments[1])? >> bit & 1 == 1).then(|| below(arguments[0], bit))?,
            Op::Concat => {
                let low = self.width(arguments[1]).bits();
                if bit < low { below(arguments[1], bit) } else { below(arguments[0], bit - low) }
            }
            Op::Or | Op::Xor => {
                match (self.is_clear(arguments[0], bit, 0), self.is_clear(arguments[1], bit, 0)) {
                    (_, true) => below(arguments[0], bit),
                    (true, _) => below(arguments[1], bit),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Returns true if a bit of an expression is always zero.
    fn is_clear(&self, value: Expression, bit: u32, depth: u32) -> bool {
        if depth > DEPTH {
            return false;
        }
        if bit >= self.width(value).bits() {
            return true;
        }
        if let Some(number) = self.number(value) {
            return bit >= 64 || number >> bit & 1 == 0;
        }
        let Form::Computed { op, arguments, .. } = self.form(value) else { return false };
        let below = |part: Expression, bit: u32| self.is_clear(part, bit, depth + 1);
        let constant = |part: Expression| self.number(part).and_then(|number| u32::try_from(number).ok());
        match op {
            Op::Zext => below(arguments[0], bit),
            Op::Extract(low) => below(arguments[0], bit + u32::from(*low)),
            Op::Shl => constant(arguments[1])
                .is_some_and(|amount| bit.checked_sub(amount).is_none_or(|bit| below(arguments[0], bit))),
            Op::Lshr => constant(arguments[1])
                .is_some_and(|amount| bit.checked_add(amount).is_none_or(|bit| below(arguments[0], bit))),
            Op::And => below(arguments[0], bit) || below(arguments[1], bit),
            Op::Or | Op::Xor => below(arguments[0], bit) && below(arguments[1], bit),
            Op::Concat => {
                let low = self.width(arguments[1]).bits();
                if bit < low { below(arguments[1], bit) } else { below(arguments[0], bit - low) }
            }
            _ => false,
        }
    }

    /// The bits that may be set in a value, by its outermost operator.
    pub(super) fn mask(&self, value: Expression) -> u64 {
        match self.form(value) {
            Form::Computed { op: Op::And, arguments, .. } => self.number(arguments[1]).unwrap_or(u64::MAX),
            _ => u64::MAX,
        }
    }

    /// The range of a value implied by a comparison with a constant.
    fn compared(&self, op: Op, holds: bool, a: Expression, b: Expression, value: Expression) -> IndexBounds {
        let width = self.width(value);
        let all = IndexBounds::all(width);
        let (side, number, value_first) = match (self.number(a), self.number(b)) {
            (None, Some(number)) => (a, number, true),
            (Some(number), None) => (b, number, false),
            _ => return all,
        };
        let own = self.width(side);
        if own > Width::W64 {
            return all;
        }
        let signed = number.sign_extend(own) as i64;
        let full = IndexBounds::all(own);
        let implied = match (op, value_first) {
            (Op::Eq, _) if holds => IndexBounds::unsigned(own, number, number),
            (Op::Eq, _) if number == full.low => IndexBounds::unsigned(own, 1, full.high),
            (Op::Eq, _) if number == full.high => IndexBounds::unsigned(own, 0, full.high - 1),
            (Op::Ult, true) if number == 0 => IndexBounds::none(own),
            (Op::Ult, true) => IndexBounds::unsigned(own, 0, number - 1),
            (Op::Ult, false) if number == full.high => IndexBounds::none(own),
            (Op::Ult, false) => IndexBounds::unsigned(own, number + 1, full.high),
            (Op::Ule, true) => IndexBounds::unsigned(own, 0, number),
            (Op::Ule, false) => IndexBounds::unsigned(own, number, full.high),
            (Op::Slt, true) if signed == full.least => IndexBounds::none(own),
            (Op::Slt, true) => IndexBounds::signed(own, full.least, signed - 1),
            (Op::Slt, false) if signed == full.most => IndexBounds::none(own),
            (Op::Slt, false) => IndexBounds::signed(own, signed + 1, full.most),
            (Op::Sle, true) => IndexBounds::signed(own, full.least, signed),
            (Op::Sle, false) => IndexBounds::signed(own, signed, full.most),
            _ => full,
        };
        self.carried(implied, side, value)
    }

    /// Transfers the range of one expression to another that differs by an extension or an added constant.
    fn carried(&self, bounds: IndexBounds, side: Expression, value: Expression) -> IndexBounds {
        let width = self.width(value);
        let all = IndexBounds::all(width);
        if side == value {
            return bounds;
        }
        if bounds.empty {
            return IndexBounds::none(width);
        }
        let is_extension =
            |narrow: Expression, wide: Expression| self.argument_of(Op::Zext, wide) == Some(narrow);
        if is_extension(side, value) {
            return IndexBounds::unsigned(width, bounds.low, bounds.high);
        }
        if is_extension(value, side) {
            let high = bounds.high.min(u64::mask(width));
            return if bounds.low > high {
                IndexBounds::none(width)
            } else {
                IndexBounds::unsigned(width, bounds.low, high)
            };
        }
        // A sign extension that is not negative has the value of what was extended.
        if let Some(narrow) = self.argument_of(Op::Sext, side)
            && bounds.high <= u64::mask(self.width(narrow)) >> 1
        {
            let same = IndexBounds::unsigned(self.width(narrow), bounds.low, bounds.high);
            return self.carried(same, narrow, value);
        }
        if self.lower_half_bounds_all.is_some_and(|endian| self.is_lower_part(side, value, endian)) {
            return IndexBounds::unsigned(width, bounds.low, bounds.high);
        }
        let shifted = |addend: u64| {
            let (low, high) = (bounds.low.wrapping_add(addend), bounds.high.wrapping_add(addend));
            let (low, high) = (low.truncate(width), high.truncate(width));
            if low <= high { IndexBounds::unsigned(width, low, high) } else { all }
        };
        match (self.split(side), self.split(value)) {
            ((Some(base), addend), _) if base == value => shifted(addend.wrapping_neg()),
            (_, (Some(base), addend)) if base == side => shifted(addend),
            ((Some(first), one), (Some(second), two)) if first == second => shifted(two.wrapping_sub(one)),
            _ => all,
        }
    }
}

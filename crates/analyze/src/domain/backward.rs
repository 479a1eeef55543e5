//! Backward transfer functions: refine an operator's arguments by its result (HC4 projections, Benhamou et al. 1999).

use super::{Constants, Number, StridedInterval};
use everypath_ir::{Op, Width, Word};

/// Maximum number of argument combinations to enumerate.
const COMBINATIONS: usize = 256;

impl Number {
    /// The arguments of an operator that can give a result in `result`. Returns `None` if there are none.
    pub fn arguments(op: Op, width: Width, result: &Number, arguments: &[Number]) -> Option<Vec<Number>> {
        let widest = arguments.iter().map(Number::width).fold(width, Width::max);
        if widest > Width::W64 || op.is_float() {
            return Some(arguments.to_vec());
        }
        if let Some(each) = one_by_one(op, width, result, arguments) {
            return each;
        }
        let (a, b) = (&arguments[0], arguments.get(1).unwrap_or(&arguments[0]));
        match (op, result.single()) {
            (Op::Eq | Op::Ne, Some(truth)) => equated(a, b, (truth == 1) == (op == Op::Eq)),
            (Op::Ult, Some(truth)) => ordered(a, b, truth == 1, true),
            (Op::Ule, Some(truth)) => ordered(a, b, truth == 1, false),
            (Op::Slt | Op::Sle, Some(truth)) => {
                let sides = ordered(&a.flipped(), &b.flipped(), truth == 1, op == Op::Slt)?;
                Some(sides.iter().map(Number::flipped).collect())
            }
            (Op::Carry, Some(truth)) => carried(a, b, truth == 1),
            (Op::Add | Op::Sub | Op::Xor, _) => inverted(op, width, result, [a, b]),
            (Op::Not | Op::Neg, _) => Some(vec![a.meet(&Number::apply(op, width, &[result]))?]),
            (Op::Zext | Op::Sext | Op::Extract(0), _) => resized(op, width, result, a),
            (Op::Concat, _) => joined(result, [a, b]),
            (Op::Lshr | Op::Shl, _) => shifted(op, width, result, [a, b]),
            (Op::And, _) => {
                // Each argument is at least the result.
                let (low, _) = result.interval()?.bounds();
                let above = Number::between(width, low, u64::mask(width));
                Some(vec![a.meet(&above)?, b.meet(&above)?])
            }
            (Op::Or, _) => {
                let (_, high) = result.interval()?.bounds();
                let below = Number::between(width, 0, high);
                Some(vec![a.meet(&below)?, b.meet(&below)?])
            }
            (Op::Select, _) => chosen(result, arguments),
            _ => Some(arguments.to_vec()),
        }
    }

    /// The interval from `low` to `high`; wraps around if `low` is greater.
    pub fn between(width: Width, low: u64, high: u64) -> Number {
        Number::of_interval(StridedInterval::new(width, low, high, 1))
    }

    /// Removes a number if the domain can express the result. Returns `None` if nothing is left.
    fn without(&self, number: u64) -> Option<Number> {
        match self {
            Number::Set(set) => {
                let rest = set.numbers().iter().copied().filter(|other| *other != number).collect();
                Constants::of(set.width(), rest).filter(|rest| !rest.numbers().is_empty()).map(Number::Set)
            }
            Number::Interval(interval) => interval.without(number).map(Number::of_interval),
            Number::Wide(_) => Some(self.clone()),
        }
    }

    fn flipped(&self) -> Number {
        let half = 1 << (self.width().bits() - 1);
        match self {
            Number::Set(set) => {
                let flipped = set.numbers().iter().map(|number| number ^ half).collect();
                Constants::of(set.width(), flipped).map_or_else(|| self.clone(), Number::Set)
            }
            Number::Interval(interval) => Number::of_interval(interval.flipped()),
            Number::Wide(_) => self.clone(),
        }
    }

    /// The numbers, if at most as many as a set can hold.
    fn listed(&self) -> Option<Vec<u64>> {
        match self {
            Number::Set(set) => Some(set.numbers().to_vec()),
            Number::Interval(interval) => interval.numbers(Constants::LIMIT as u64),
            Number::Wide(_) => None,
        }
    }
}

/// Enumerates all argument combinations; returns `None` if they are too many, `Some(None)` if no combination fits.
fn one_by_one(op: Op, width: Width, result: &Number, arguments: &[Number]) -> Option<Option<Vec<Number>>> {
    let lists: Vec<Vec<u64>> = arguments.iter().map(Number::listed).collect::<Option<_>>()?;
    if lists.iter().map(Vec::len).product::<usize>() > COMBINATIONS {
        return None;
    }
    let mut kept: Vec<Vec<u64>> = vec![Vec::new(); arguments.len()];
    let list = |index: usize| lists.get(index).map_or(&[0][..], Vec::as_slice);
    for a in list(0) {
        for b in list(1) {
            for c in list(2) {
                if result.contains(op.apply_word(width, arguments[0].width(), *a, *b, *c)) {
                    for (kept, number) in kept.iter_mut().zip([a, b, c]) {
                        kept.push(*number);
                    }
                }
            }
        }
    }
    if kept[0].is_empty() {
        return Some(None);
    }
    let sets = kept.into_iter().zip(arguments).map(|(kept, argument)| {
        Constants::of(argument.width(), kept).map_or_else(|| argument.clone(), Number::Set)
    });
    Some(Some(sets.collect()))
}

/// Refines both sides of a comparison for equality: they are equal, or they differ.
fn equated(a: &Number, b: &Number, equal: bool) -> Option<Vec<Number>> {
    if equal {
        let both = a.meet(b)?;
        return Some(vec![both.clone(), both]);
    }
    let mut refined = vec![a.clone(), b.clone()];
    if let Some(number) = b.single() {
        refined[0] = a.without(number)?;
    }
    if let Some(number) = a.single() {
        refined[1] = b.without(number)?;
    }
    Some(refined)
}

/// Refines both arguments of an operator that is invertible in each of them.
fn inverted(op: Op, width: Width, result: &Number, [a, b]: [&Number; 2]) -> Option<Vec<Number>> {
    let apply = |op: Op, first: &Number, second: &Number| Number::apply(op, width, &[first, second]);
    let (first, second) = match op {
        Op::Add => (apply(Op::Sub, result, b), apply(Op::Sub, result, a)),
        Op::Sub => (apply(Op::Add, result, b), apply(Op::Sub, a, result)),
        _ => (apply(Op::Xor, result, b), apply(Op::Xor, result, a)),
    };
    Some(vec![a.meet(&first)?, b.meet(&second)?])
}

/// Refines the argument of an extension, or of a truncation that discards only zeros.
fn resized(op: Op, width: Width, result: &Number, a: &Number) -> Option<Vec<Number>> {
    let small = match op {
        Op::Zext => result.meet(&Number::between(width, 0, u64::mask(a.width())))?,
        Op::Sext => {
            let half = u64::mask(a.width()) >> 1;
            result.meet(&Number::between(width, !half & u64::mask(width), half))?
        }
        _ if a.interval()?.bounds().1 <= u64::mask(width) => {
            return Some(vec![a.meet(&Number::apply(Op::Zext, a.width(), &[result]))?]);
        }
        _ => return Some(vec![a.clone()]),
    };
    Some(vec![a.meet(&Number::apply(Op::Extract(0), a.width(), &[&small]))?])
}

/// Refines both parts of a concatenation; the lower one only if the upper one is fixed.
fn joined(result: &Number, [a, b]: [&Number; 2]) -> Option<Vec<Number>> {
    let high = a.meet(&Number::apply(Op::Extract(b.width().bits() as u16), a.width(), &[result]))?;
    let low = match high.single() {
        Some(_) => b.meet(&Number::apply(Op::Extract(0), b.width(), &[result]))?,
        None => b.clone(),
    };
    Some(vec![high, low])
}

/// Refines the shifted argument of a shift by a constant; of a left shift only if it discards no bits.
fn shifted(op: Op, width: Width, result: &Number, [a, b]: [&Number; 2]) -> Option<Vec<Number>> {
    let unchanged = || Some(vec![a.clone(), b.clone()]);
    let Some(by) = b.single().filter(|by| *by < u64::from(width.bits())) else { return unchanged() };
    let max = u64::mask(width);
    let before = if op == Op::Lshr {
        let (low, high) = result.interval()?.bounds();
        if low > max >> by {
            return None;
        }
        let high = (high.min(max >> by) << by) | ((1 << by) - 1);
        Number::between(width, low << by, high)
    } else {
        if a.interval().is_none_or(|a| a.bounds().1 > max >> by) {
            return unchanged();
        }
        Number::apply(Op::Lshr, width, &[result, b])
    };
    Some(vec![a.meet(&before)?, b.clone()])
}

/// Refines both sides of an unsigned comparison, strict or not, that holds or fails.
fn ordered(a: &Number, b: &Number, holds: bool, strict: bool) -> Option<Vec<Number>> {
    let (width, max) = (a.width(), u64::mask(a.width()));
    let ((a_low, a_high), (b_low, b_high)) = (a.interval()?.bounds(), b.interval()?.bounds());
    // `a` is below `b` if it holds, else `b` below `a`; by at least one if strict and it holds, or not strict and it
    // fails.
    let by = u64::from(holds == strict);
    let (low, high) = if holds { (a_low, b_high) } else { (b_low, a_high) };
    let below = Number::between(width, 0, high.checked_sub(by)?);
    let above = Number::between(width, low.checked_add(by).filter(|low| *low <= max)?, max);
    let (a_side, b_side) = if holds { (&below, &above) } else { (&above, &below) };
    Some(vec![a.meet(a_side)?, b.meet(b_side)?])
}

/// Refines both operands of a sum that overflows or does not.
fn carried(a: &Number, b: &Number, overflows: bool) -> Option<Vec<Number>> {
    let (width, max) = (a.width(), u64::mask(a.width()));
    let side = |this: &Number, other: &Number| {
        let (low, high) = other.interval()?.bounds();
        let allowed = match overflows {
            true => Number::between(width, (max - high).checked_add(1).filter(|low| *low <= max)?, max),
            false => Number::between(width, 0, max - low),
        };
        this.meet(&allowed)
    };
    Some(vec![side(a, b)?, side(b, a)?])
}

/// Refines the arguments of a select.
fn chosen(result: &Number, arguments: &[Number]) -> Option<Vec<Number>> {
    let [condition, then, otherwise] = arguments else { return Some(arguments.to_vec()) };
    let (first, second) = (then.meet(result), otherwise.meet(result));
    let can = |number: u64, side: &Option<Number>| condition.contains(number) && side.is_some();
    let one = |number: u64| Number::one(Width::W1, number);
    match (can(1, &first), can(0, &second)) {
        (true, true) => Some(arguments.to_vec()),
        (true, false) => Some(vec![one(1), first?, otherwise.clone()]),
        (false, true) => Some(vec![one(0), then.clone(), second?]),
        (false, false) => None,
    }
}

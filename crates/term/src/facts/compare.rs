//! Comparisons decided by known bits and ranges.

use everypath_ir::{Op, Width, Word};

use super::Facts;

/// The signed range.
fn signed_range(facts: &Facts, width: Width) -> (i64, i64) {
    let sign = u64::sign_bit(width);
    if (facts.zeros | facts.ones) & sign != 0 {
        (facts.least.sign_extend(width) as i64, facts.greatest.sign_extend(width) as i64)
    } else {
        (sign.sign_extend(width) as i64, (sign - 1) as i64)
    }
}

/// The result of a comparison of values of at most 64 bits, if it is constant.
pub(super) fn decided(op: Op, width: Width, a: &Facts, b: &Facts) -> Option<bool> {
    let equal = || {
        let differ = a.zeros & b.ones != 0 || a.ones & b.zeros != 0 || disjoint(a, b);
        let same = a.only().is_some() && a.only() == b.only();
        if differ { Some(false) } else { same.then_some(true) }
    };
    let less = |(low, high): (i64, i64), (other_low, other_high): (i64, i64)| {
        if high < other_low { Some(true) } else { (low >= other_high).then_some(false) }
    };
    match op {
        Op::Eq => equal(),
        Op::Ne => equal().map(|equal| !equal),
        Op::Ult if a.greatest < b.least => Some(true),
        Op::Ult if a.least >= b.greatest => Some(false),
        Op::Ule if a.greatest <= b.least => Some(true),
        Op::Ule if a.least > b.greatest => Some(false),
        Op::Slt => less(signed_range(a, width), signed_range(b, width)),
        Op::Sle => less(signed_range(b, width), signed_range(a, width)).map(|less| !less),
        Op::Carry => {
            let limit = u128::from(u64::mask(width));
            if u128::from(a.greatest) + u128::from(b.greatest) <= limit {
                return Some(false);
            }
            (u128::from(a.least) + u128::from(b.least) > limit).then_some(true)
        }
        Op::Scarry | Op::Sborrow => {
            let ((a_low, a_high), (b_low, b_high)) = (signed_range(a, width), signed_range(b, width));
            let [a_low, a_high, b_low, b_high] = [a_low, a_high, b_low, b_high].map(i128::from);
            let (low, high) = if op == Op::Scarry {
                (a_low + b_low, a_high + b_high)
            } else {
                (a_low - b_high, a_high - b_low)
            };
            let limit = i128::from(u64::sign_bit(width));
            (-limit <= low && high < limit).then_some(false)
        }
        _ => None,
    }
}

fn disjoint(a: &Facts, b: &Facts) -> bool {
    a.greatest < b.least || b.greatest < a.least
}

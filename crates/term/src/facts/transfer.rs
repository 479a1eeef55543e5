//! Transfer functions of the known-bits and range analysis.

use everypath_ir::{Op, Width, Word};

use super::{Facts, compare};
use crate::{Array, ArrayView, Term, Terms};

/// The maximum number of table bytes inspected for the facts of a read.
const LOOKED_AT: u64 = 1024;

impl Terms {
    /// The facts of an operator application.
    pub(crate) fn facts_of_application(&self, op: Op, width: Width, arguments: [u32; 3]) -> Facts {
        if width > Width::W64 || op.is_float() && op != Op::Fabs {
            return Facts::nothing(width);
        }
        let node = |index: usize| &self.nodes[arguments[index] as usize];
        let argument = node(0).width;
        let second = if op.arity() > 1 { node(1).width } else { argument };
        if argument.max(second) > Width::W64 {
            return of_wide(op, width, argument);
        }
        let a = self.facts_of(node(0));
        let b = if op.arity() > 1 { self.facts_of(node(1)) } else { a };
        let c = if op.arity() > 2 { self.facts_of(node(2)) } else { a };
        Widths { result: width, argument, second }.transfer(op, a, b, c).reduced(width)
    }

    /// The facts of an array read.
    pub(crate) fn facts_of_read(&self, array: Array, index: Term) -> Facts {
        let nothing = Facts::nothing(Width::W8);
        let ArrayView::Table(bytes) = self.array_view(array) else { return nothing };
        let facts = self.facts(index);
        if facts.greatest - facts.least >= LOOKED_AT && bytes.len() as u64 >= LOOKED_AT {
            return nothing;
        }
        let beyond = facts.greatest >= bytes.len() as u64;
        let end = facts.greatest.saturating_add(1).min(bytes.len() as u64);
        let start = facts.least.min(end);
        let reached = (start..end)
            .filter(|place| place & facts.zeros == 0 && !place & facts.ones == 0)
            .map(|place| bytes[place as usize]);
        let known = reached.chain(beyond.then_some(0)).fold(None, |known: Option<Facts>, byte| {
            let exact = Facts::exactly(u64::from(byte), Width::W8);
            Some(known.map_or(exact, |known| either(known, exact)))
        });
        known.map_or(nothing, |known| known.reduced(Width::W8))
    }
}

/// The join of two abstract values.
fn either(a: Facts, b: Facts) -> Facts {
    Facts {
        zeros: a.zeros & b.zeros,
        ones: a.ones & b.ones,
        least: a.least.min(b.least),
        greatest: a.greatest.max(b.greatest),
    }
}

/// The facts of an operator with wide arguments, of which nothing is known.
fn of_wide(op: Op, width: Width, argument: Width) -> Facts {
    let nothing = Facts::nothing(width);
    match op {
        Op::Popcount | Op::Lzcount if u64::from(argument.bits()) <= nothing.greatest => {
            Facts { greatest: u64::from(argument.bits()), ..nothing }.reduced(width)
        }
        _ => nothing,
    }
}

/// The number of known trailing zeros.
fn low_zeros(facts: &Facts) -> u32 {
    facts.zeros.trailing_ones()
}

/// The mask of the bits below this one.
fn below(bit: u32) -> u64 {
    if bit >= 64 { u64::MAX } else { (1 << bit) - 1 }
}

/// The widths of an operator application; none is above 64.
struct Widths {
    result: Width,
    argument: Width,
    second: Width,
}

impl Widths {
    fn transfer(&self, op: Op, a: Facts, b: Facts, c: Facts) -> Facts {
        let width = self.result;
        let nothing = Facts::nothing(width);
        let mask = nothing.greatest;
        let range = |least: u64, greatest: u64| Facts { least, greatest, ..nothing };
        match op {
            Op::And => Facts { zeros: a.zeros | b.zeros, ones: a.ones & b.ones, ..nothing },
            Op::Or => {
                let least = a.least.max(b.least);
                Facts { zeros: a.zeros & b.zeros, ones: a.ones | b.ones, least, ..nothing }
            }
            Op::Xor => Facts {
                zeros: a.zeros & b.zeros | a.ones & b.ones,
                ones: a.zeros & b.ones | a.ones & b.zeros,
                ..nothing
            },
            Op::Not => complement(a, mask),
            Op::Add => sum(a, b, 0, width),
            Op::Sub => difference(a, b, width),
            Op::Neg => difference(Facts::exactly(0, width), a, width),
            Op::Mul => {
                let zeros = below(low_zeros(&a).saturating_add(low_zeros(&b))) & mask;
                match a.greatest.checked_mul(b.greatest).filter(|&greatest| greatest <= mask) {
                    Some(greatest) => Facts { zeros, ..range(a.least * b.least, greatest) },
                    None => Facts { zeros, ..nothing },
                }
            }
            Op::Udiv => {
                let least = a.least.checked_div(b.greatest).unwrap_or(mask);
                range(least, a.greatest.checked_div(b.least).unwrap_or(mask))
            }
            Op::Urem if a.greatest < b.least => a,
            Op::Urem if b.least > 0 => range(0, a.greatest.min(b.greatest - 1)),
            Op::Urem => range(0, a.greatest),
            Op::Shl | Op::Lshr | Op::Ashr => self.shift(op, a, b),
            Op::Zext => Facts { zeros: a.zeros | mask & !u64::mask(self.argument), ..a },
            Op::Sext => {
                let above = mask & !u64::mask(self.argument);
                let sign = u64::sign_bit(self.argument);
                let extend = |value: u64| value.sign_extend(self.argument) & mask;
                if a.zeros & sign != 0 {
                    Facts { zeros: a.zeros | above, ..a }
                } else if a.ones & sign != 0 {
                    Facts { ones: a.ones | above, ..range(extend(a.least), extend(a.greatest)) }
                        .with_zeros(a.zeros)
                } else {
                    Facts { zeros: a.zeros & !sign, ones: a.ones & !sign, ..nothing }
                }
            }
            Op::Extract(low) => {
                let bits = Facts { zeros: a.zeros >> low & mask, ones: a.ones >> low & mask, ..nothing };
                let (least, greatest) = (a.least >> low, a.greatest >> low);
                if greatest <= mask { Facts { least, greatest, ..bits } } else { bits }
            }
            Op::Concat => {
                let shift = self.second.bits();
                let join = |high: u64, low: u64| high << shift | low;
                Facts {
                    zeros: join(a.zeros, b.zeros),
                    ones: join(a.ones, b.ones),
                    least: join(a.least, b.least),
                    greatest: join(a.greatest, b.greatest),
                }
            }
            Op::Select => either(b, c),
            Op::Popcount | Op::Lzcount => self.count(op, a),
            Op::Fabs => Facts { zeros: u64::sign_bit(width), ..nothing },
            _ => match compare::decided(op, self.argument, &a, &b) {
                Some(truth) => Facts::exactly(u64::from(truth), Width::W1),
                None => nothing,
            },
        }
    }

    fn shift(&self, op: Op, a: Facts, b: Facts) -> Facts {
        let nothing = Facts::nothing(self.result);
        let (mask, bits) = (nothing.greatest, u64::from(self.result.bits()));
        let Some(amount) = b.only().filter(|&amount| amount < bits) else {
            // By at least this amount, perhaps by the whole width.
            let least = b.least.min(bits) as u32;
            return match op {
                Op::Shl => Facts { zeros: below(low_zeros(&a).saturating_add(least)) & mask, ..nothing },
                Op::Lshr => Facts { greatest: a.greatest.checked_shr(least).unwrap_or(0), ..nothing },
                _ => nothing,
            };
        };
        match op {
            Op::Shl => {
                let bits = Facts {
                    zeros: (a.zeros << amount | below(amount as u32)) & mask,
                    ones: a.ones << amount & mask,
                    ..nothing
                };
                let fits = a.greatest << amount >> amount == a.greatest && a.greatest << amount <= mask;
                if fits {
                    Facts { least: a.least << amount, greatest: a.greatest << amount, ..bits }
                } else {
                    bits
                }
            }
            Op::Lshr => Facts {
                zeros: a.zeros >> amount | mask & !(mask >> amount),
                ones: a.ones >> amount,
                least: a.least >> amount,
                greatest: a.greatest >> amount,
            },
            _ => {
                let spread = |known: u64| (known.sign_extend(self.result) as i64 >> amount) as u64 & mask;
                Facts { zeros: spread(a.zeros), ones: spread(a.ones), ..nothing }
            }
        }
    }

    fn count(&self, op: Op, a: Facts) -> Facts {
        let nothing = Facts::nothing(self.result);
        let bits = self.argument.bits();
        if u64::from(bits) > nothing.greatest {
            return nothing;
        }
        let leading = |value: u64| value.leading_zeros() - (64 - bits);
        let (least, greatest) = match op {
            Op::Popcount => (a.ones.count_ones(), bits - a.zeros.count_ones()),
            _ => (leading(a.greatest), leading(a.least)),
        };
        Facts { least: u64::from(least), greatest: u64::from(greatest), ..nothing }
    }
}

impl Facts {
    fn with_zeros(self, zeros: u64) -> Facts {
        Facts { zeros, ..self }
    }
}

fn complement(a: Facts, mask: u64) -> Facts {
    Facts { zeros: a.ones, ones: a.zeros, least: mask - a.greatest, greatest: mask - a.least }
}

/// The sum of both and a constant carry of zero or one.
fn sum(a: Facts, b: Facts, carry: u64, width: Width) -> Facts {
    let mask = u64::mask(width);
    // The sums of the greatest and the least values that the known bits allow: a bit of the sum is known where both
    // agree on the carry into it and the bits of both arguments are known.
    let greatest = (mask & !a.zeros).wrapping_add(mask & !b.zeros).wrapping_add(carry);
    let least = a.ones.wrapping_add(b.ones).wrapping_add(carry);
    let no_carry = !(greatest ^ a.zeros ^ b.zeros);
    let is_carry = least ^ a.ones ^ b.ones;
    let known = (a.zeros | a.ones) & (b.zeros | b.ones) & (no_carry | is_carry) & mask;
    let bits = Facts { zeros: !greatest & known, ones: least & known, ..Facts::nothing(width) };
    let total = |a: u64, b: u64| u128::from(a) + u128::from(b) + u128::from(carry);
    let (low, high) = (total(a.least, b.least), total(a.greatest, b.greatest));
    // The range does not wrap if the carry out is constant.
    if high <= u128::from(mask) || low > u128::from(mask) {
        Facts { least: low as u64 & mask, greatest: high as u64 & mask, ..bits }
    } else {
        bits
    }
}

fn difference(a: Facts, b: Facts, width: Width) -> Facts {
    sum(a, complement(b, u64::mask(width)), 1, width)
}

//! Rewrite rules for quotients and remainders.

use everypath_ir::{Algebra, Op, Width, Word};

use super::arithmetic::power_of_two;
use super::extract::part;
use crate::{Term, Terms};

pub(super) fn divide(terms: &mut Terms, op: Op, width: Width, x: Term, y: Term) -> Option<Term> {
    match op {
        Op::Udiv | Op::Urem => unsigned(terms, op, width, x, y),
        // For nonnegative operands, signed and unsigned division agree, also by zero.
        _ if is_positive(terms, x) && is_positive(terms, y) => {
            let op = if op == Op::Sdiv { Op::Udiv } else { Op::Urem };
            Some(terms.compute(op, width, &[x, y]))
        }
        _ => None,
    }
}

/// If the term is a quotient times its divisor: the dividend, and operator and divisor of the matching remainder. The
/// identity `x / y * y + x % y == x` also holds for division by zero.
fn whole_part(terms: &Terms, product: Term) -> Option<(Term, Op, Term)> {
    let (Op::Mul, [a, b, _]) = terms.applied(product)? else { return None };
    [(a, b), (b, a)].into_iter().find_map(|(quotient, divisor)| match terms.applied(quotient)? {
        (Op::Udiv, [dividend, by, _]) if by == divisor => Some((dividend, Op::Urem, divisor)),
        (Op::Sdiv, [dividend, by, _]) if by == divisor => Some((dividend, Op::Srem, divisor)),
        _ => None,
    })
}

/// `x - x / y * y` is `x % y`: processors without a remainder instruction compute it so.
pub(super) fn remainder(terms: &mut Terms, width: Width, x: Term, product: Term) -> Option<Term> {
    let (dividend, op, divisor) = whole_part(terms, product)?;
    (dividend == x).then(|| terms.compute(op, width, &[x, divisor]))
}

/// `x / y * y + x % y` is `x`.
pub(super) fn dividend(terms: &Terms, product: Term, remainder: Term) -> Option<Term> {
    let (dividend, op, divisor) = whole_part(terms, product)?;
    let (found, [x, y, _]) = terms.applied(remainder)?;
    ((found, x, y) == (op, dividend, divisor)).then_some(dividend)
}

/// Returns true if the sign bit is known to be zero.
pub(super) fn is_positive(terms: &Terms, x: Term) -> bool {
    let width = terms.width(x);
    if width <= Width::W64 {
        return terms.facts(x).zeros & u64::sign_bit(width) != 0;
    }
    match terms.as_constant(x) {
        Some(value) => !value.bit(width.bits() - 1),
        None => terms.argument_of(Op::Zext, x).is_some_and(|inner| terms.width(inner) < width),
    }
}

fn unsigned(terms: &mut Terms, op: Op, width: Width, x: Term, y: Term) -> Option<Term> {
    if let Some(divisor) = terms.as_constant(y) {
        if divisor.is_zero() {
            return Some(if op == Op::Urem { x } else { terms.constant(&everypath_ir::Bits::ones(width)) });
        }
        if let Some(exponent) = power_of_two(&divisor) {
            let low = if op == Op::Udiv { exponent } else { 0 };
            let bits = if op == Op::Udiv { width.bits() - exponent } else { exponent };
            let taken = part(terms, x, low, Width::new(bits)?);
            return Some(terms.compute(Op::Zext, width, &[taken]));
        }
        let inner = terms.argument_of(Op::Zext, x)?;
        let narrow = terms.width(inner);
        let divisor = match terms.narrowed(&divisor, narrow) {
            Some(divisor) => divisor,
            // The divisor exceeds every dividend.
            None if op == Op::Udiv => return Some(terms.zero(width)),
            None => return Some(x),
        };
        let result = terms.compute(op, narrow, &[inner, divisor]);
        return Some(terms.compute(Op::Zext, width, &[result]));
    }
    if op == Op::Urem && width <= Width::W64 && terms.facts(x).greatest < terms.facts(y).least {
        return Some(x);
    }
    if op == Op::Urem {
        let (a, b) = (terms.argument_of(Op::Zext, x)?, terms.argument_of(Op::Zext, y)?);
        let narrow = terms.width(a);
        if narrow == terms.width(b) {
            let result = terms.compute(op, narrow, &[a, b]);
            return Some(terms.compute(Op::Zext, width, &[result]));
        }
    }
    None
}

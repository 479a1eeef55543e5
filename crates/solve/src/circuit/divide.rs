//! Restoring division: one circuit gives quotient and remainder.

use rustc_hash::FxHashMap;

use super::add::{negate_if, subtract};
use super::{Circuit, Literal};

/// Memoised divisions: dividend and divisor to quotient and remainder.
pub(super) type Divisions = FxHashMap<(Vec<Literal>, Vec<Literal>), (Vec<Literal>, Vec<Literal>)>;

/// Unsigned quotient and remainder; division by zero gives all ones and the dividend, as in SMT-LIB.
pub(super) fn divide(
    circuit: &mut Circuit,
    dividend: &[Literal],
    divisor: &[Literal],
) -> (Vec<Literal>, Vec<Literal>) {
    let key = (dividend.to_vec(), divisor.to_vec());
    if let Some(found) = circuit.divisions.get(&key) {
        return found.clone();
    }
    let width = dividend.len();
    // One if any bit of the divisor at this position or above is one.
    let mut above = vec![Literal::FALSE; width + 1];
    for place in (0..width).rev() {
        above[place] = circuit.or(above[place + 1], divisor[place]);
    }
    let mut quotient = vec![Literal::FALSE; width];
    let mut remainder: Vec<Literal> = Vec::with_capacity(width);
    for place in (0..width).rev() {
        // After n steps the remainder has n bits: it is at most the first n bits of the dividend.
        remainder.insert(0, dividend[place]);
        let length = remainder.len();
        let difference = subtract(circuit, &remainder, &divisor[..length]);
        let fits = circuit.and(difference.carry, !above[length]);
        for (bit, &difference) in remainder.iter_mut().zip(&difference.bits) {
            *bit = circuit.select(fits, difference, *bit);
        }
        quotient[place] = fits;
    }
    circuit.divisions.insert(key, (quotient.clone(), remainder.clone()));
    (quotient, remainder)
}

/// Signed quotient and remainder, computed from the magnitudes.
pub(super) fn divide_signed(
    circuit: &mut Circuit,
    dividend: &[Literal],
    divisor: &[Literal],
) -> (Vec<Literal>, Vec<Literal>) {
    let sign = |bits: &[Literal]| bits[bits.len() - 1];
    let (dividend_sign, divisor_sign) = (sign(dividend), sign(divisor));
    let dividend = negate_if(circuit, dividend_sign, dividend);
    let divisor = negate_if(circuit, divisor_sign, divisor);
    let (quotient, remainder) = divide(circuit, &dividend, &divisor);
    let signs_differ = circuit.xor(dividend_sign, divisor_sign);
    (negate_if(circuit, signs_differ, &quotient), negate_if(circuit, dividend_sign, &remainder))
}

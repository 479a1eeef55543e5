//! Population count and leading-zero count.

use super::compare::any;
use super::multiply::sum_columns;
use super::{Circuit, Literal};

/// The number of bits needed to represent this number.
fn digits(number: usize) -> usize {
    (usize::BITS - number.leading_zeros()) as usize
}

/// The number of ones, in as many bits as it needs.
pub(super) fn count_ones(circuit: &mut Circuit, value: &[Literal]) -> Vec<Literal> {
    let mut columns = vec![Vec::new(); digits(value.len())];
    columns[0] = value.to_vec();
    sum_columns(circuit, columns)
}

/// The number of zeros above the highest one, in as many bits as it needs.
pub(super) fn count_leading_zeros(circuit: &mut Circuit, value: &[Literal]) -> Vec<Literal> {
    let places = digits(value.len());
    // A one below the lowest bit ends the count where the value is zero.
    let mut rest = vec![Literal::TRUE; (1 << places) - value.len()];
    rest.extend_from_slice(value);
    let mut count = vec![Literal::FALSE; places];
    for place in (0..places).rev() {
        let low = rest[..1 << place].to_vec();
        let high = rest.split_off(1 << place);
        let skips = !any(circuit, &high);
        count[place] = skips;
        rest = low.iter().zip(&high).map(|(&low, &high)| circuit.select(skips, low, high)).collect();
    }
    count
}

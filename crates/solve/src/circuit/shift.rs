//! Barrel shifters: one multiplexer stage for each bit of the shift amount.

use super::compare::any;
use super::{Circuit, Literal};

/// Shifts right, with `fill` from above; all fill if the amount is the width or more.
pub(super) fn shift_right(
    circuit: &mut Circuit,
    value: &[Literal],
    amount: &[Literal],
    fill: Literal,
) -> Vec<Literal> {
    let stages = value.len().next_power_of_two().trailing_zeros() as usize;
    let (inside, beyond) = amount.split_at(stages.min(amount.len()));
    let mut bits = value.to_vec();
    for (stage, &shifts) in inside.iter().enumerate() {
        let shifted = |index: usize| bits.get(index + (1 << stage)).copied().unwrap_or(fill);
        bits = (0..bits.len()).map(|index| circuit.select(shifts, shifted(index), bits[index])).collect();
    }
    let beyond = any(circuit, beyond);
    bits.iter().map(|&bit| circuit.select(beyond, fill, bit)).collect()
}

/// Shifts left, with zeros from below.
pub(super) fn shift_left(circuit: &mut Circuit, value: &[Literal], amount: &[Literal]) -> Vec<Literal> {
    let mirrored: Vec<Literal> = value.iter().rev().copied().collect();
    let mut bits = shift_right(circuit, &mirrored, amount, Literal::FALSE);
    bits.reverse();
    bits
}

//! Ripple-carry addition, subtraction and negation.

use super::{Circuit, Literal};

/// The low bits of a sum, with its carries.
pub(super) struct Sum {
    pub(super) bits: Vec<Literal>,
    /// The carry out of the highest bit.
    pub(super) carry: Literal,
    /// The carry into the highest bit.
    pub(super) carry_into_sign: Literal,
}

impl Sum {
    /// One if the sum of signed values overflows.
    pub(super) fn signed_overflow(&self, circuit: &mut Circuit) -> Literal {
        circuit.xor(self.carry, self.carry_into_sign)
    }
}

/// The sum of two vectors of the same width and a carry-in.
pub(super) fn add(circuit: &mut Circuit, a: &[Literal], b: &[Literal], carry: Literal) -> Sum {
    debug_assert_eq!(a.len(), b.len(), "a sum has operands of one width");
    let mut sum = Sum { bits: Vec::with_capacity(a.len()), carry, carry_into_sign: carry };
    for (&a, &b) in a.iter().zip(b) {
        sum.carry_into_sign = sum.carry;
        let (bit, carry) = circuit.full_adder(a, b, sum.carry);
        sum.bits.push(bit);
        sum.carry = carry;
    }
    sum
}

/// The difference: `a + !b + 1`.
pub(super) fn subtract(circuit: &mut Circuit, a: &[Literal], b: &[Literal]) -> Sum {
    add(circuit, a, &complement(b), Literal::TRUE)
}

/// The bitwise complement.
pub(super) fn complement(bits: &[Literal]) -> Vec<Literal> {
    bits.iter().map(|&bit| !bit).collect()
}

/// The two's complement negation if the condition is one, otherwise the value itself.
pub(super) fn negate_if(circuit: &mut Circuit, condition: Literal, bits: &[Literal]) -> Vec<Literal> {
    let inverted: Vec<Literal> = bits.iter().map(|&bit| circuit.xor(bit, condition)).collect();
    let zeros = vec![Literal::FALSE; bits.len()];
    add(circuit, &inverted, &zeros, condition).bits
}

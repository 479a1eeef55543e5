//! Comparators: equality, and order by the borrow of the difference.

use super::{Circuit, Literal};

/// The disjunction of all literals.
pub fn any(circuit: &mut Circuit, literals: &[Literal]) -> Literal {
    literals.iter().fold(Literal::FALSE, |any, &literal| circuit.or(any, literal))
}

/// One if two vectors of the same width are equal.
pub fn equal(circuit: &mut Circuit, a: &[Literal], b: &[Literal]) -> Literal {
    debug_assert_eq!(a.len(), b.len(), "values of one width are compared");
    a.iter().zip(b).fold(Literal::TRUE, |equal, (&a, &b)| {
        let differ = circuit.xor(a, b);
        circuit.and(equal, !differ)
    })
}

/// One if the first is less, unsigned: the borrow of the difference, built from the same gates.
pub(super) fn less(circuit: &mut Circuit, a: &[Literal], b: &[Literal]) -> Literal {
    debug_assert_eq!(a.len(), b.len(), "values of one width are compared");
    let no_borrow = a.iter().zip(b).fold(Literal::TRUE, |carry, (&a, &b)| circuit.majority(a, !b, carry));
    !no_borrow
}

/// The value with its sign bit inverted, which maps signed order to unsigned order.
pub(super) fn with_sign_inverted(bits: &[Literal]) -> Vec<Literal> {
    let mut bits = bits.to_vec();
    if let Some(sign) = bits.last_mut() {
        *sign = !*sign;
    }
    bits
}

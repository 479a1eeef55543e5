//! The growth of the cost with the input length: the exponent of CPU time over bytes between successive lengths.

/// An exponent between two input lengths.
#[derive(Debug, PartialEq)]
pub(super) struct Exponent {
    /// The two lengths.
    pub(super) bytes: (u32, u32),
    /// The exponent; `None` if even the shorter input was not finished.
    pub(super) value: Option<f64>,
    /// Whether it is a lower bound, because the longer input was not finished.
    pub(super) is_bound: bool,
}

/// The exponents between successive rows, each with its bytes, its CPU seconds and whether it was finished.
pub(super) fn exponents(costs: &[(u32, f64, bool)]) -> Vec<Exponent> {
    let between = |pair: &[(u32, f64, bool)]| {
        let ((from, cheap, known), (to, dear, finished)) = (pair[0], pair[1]);
        let exponent = (dear / cheap).ln() / (f64::from(to) / f64::from(from)).ln();
        let value = (known && exponent.is_finite()).then_some(exponent);
        Exponent { bytes: (from, to), value, is_bound: !finished }
    };
    costs.windows(2).map(between).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quadratic_cost_has_the_exponent_two() {
        let found = exponents(&[(4, 1.0, true), (8, 4.0, true), (16, 64.0, false), (32, 64.0, false)]);
        let values: Vec<_> = found.iter().map(|exponent| (exponent.value, exponent.is_bound)).collect();
        assert_eq!(values, [(Some(2.0), false), (Some(4.0), true), (None, true)]);
        assert_eq!(found[2].bytes, (16, 32));
    }

    #[test]
    fn one_length_or_the_same_twice_has_no_exponent() {
        assert_eq!(exponents(&[(4, 1.0, true)]), []);
        assert_eq!(exponents(&[(4, 1.0, true), (4, 2.0, true)])[0].value, None);
    }
}

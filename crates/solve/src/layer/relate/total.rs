//! Linear constraints over bytes, with bounds consistency; only those whose sum cannot wrap.

use everypath_term::{ByteSet, Input, Term, Terms, View};

use crate::layer::sum::difference;

/// A linear combination of bytes that must be zero, or must not be.
pub(super) struct Total {
    /// The bytes, by their numbers in the network, with their factors.
    pub(super) parts: Vec<(usize, i64)>,
    constant: i64,
    equal: bool,
}

/// A consequence of a linear constraint.
pub(super) enum Deduction {
    /// The byte can only have these values.
    Only(usize, ByteSet),
    /// The constraint is violated.
    Impossible,
}

impl Total {
    /// The linear constraint of a condition, if it is one; `number` maps an input to its variable number.
    pub(super) fn of(
        terms: &Terms,
        condition: Term,
        mut number: impl FnMut(Input) -> usize,
    ) -> Option<Total> {
        let (sum, width, equal) = difference(terms, condition)?;
        if width.bits() > 32 {
            return None;
        }
        let spare = 64 - width.bits();
        let signed = |value: u64| (value << spare) as i64 >> spare;
        let mut parts = Vec::with_capacity(sum.factors.len());
        let (mut least, mut greatest) = (signed(sum.constant), signed(sum.constant));
        for (&term, &factor) in &sum.factors {
            let View::Input(input) = terms.view(term) else { return None };
            let factor = signed(factor);
            parts.push((number(input), factor));
            least += factor.min(0) * 255;
            greatest += factor.max(0) * 255;
        }
        let size = 1_i64 << width.bits();
        let total = Total { parts, constant: signed(sum.constant), equal };
        (least > -size && greatest < size).then_some(total)
    }

    /// Reports the domain reductions implied by the current domains.
    pub(super) fn deduce(&self, left: &[ByteSet], mut report: impl FnMut(Deduction)) {
        let range = |number: usize, factor: i64| {
            let (least, greatest) = left[number].range();
            let (a, b) = (factor * i64::from(least), factor * i64::from(greatest));
            (a.min(b), a.max(b))
        };
        let (mut least, mut greatest) = (self.constant, self.constant);
        let mut open = 0;
        for &(number, factor) in &self.parts {
            let (low, high) = range(number, factor);
            least += low;
            greatest += high;
            open += u32::from(low != high);
        }
        if !self.equal {
            return self.differ(left, least, open, report);
        }
        if least > 0 || greatest < 0 {
            return report(Deduction::Impossible);
        }
        for &(number, factor) in &self.parts {
            let (low, high) = range(number, factor);
            // The bounds implied by the sum of the others.
            let (from, to) = (-(greatest - high), -(least - low));
            if low >= from && high <= to {
                continue;
            }
            let fits = |value: &u8| (from..=to).contains(&(factor * i64::from(*value)));
            report(Deduction::Only(number, left[number].iter().filter(fits).collect()));
        }
    }

    /// A disequality excludes a value only if all bytes but one are assigned.
    fn differ(&self, left: &[ByteSet], least: i64, open: u32, mut report: impl FnMut(Deduction)) {
        if open == 0 && least == 0 {
            report(Deduction::Impossible);
        }
        let last = self.parts.iter().find(|(number, _)| left[*number].len() > 1);
        if let (1, Some(&(number, factor))) = (open, last) {
            let known = least
                - factor
                    * i64::from(if factor > 0 { left[number].range().0 } else { left[number].range().1 });
            let fits = |value: &u8| known + factor * i64::from(*value) != 0;
            report(Deduction::Only(number, left[number].iter().filter(fits).collect()));
        }
    }
}

//! Terms as sequences of bit slices: concatenations, extensions, shifts by constants and extractions, flattened. A scaled index loses its
//! own node when simplification distributes its shift over its bytes; its slices still tell which term was scaled.

use everypath_ir::Op;
use everypath_term::{Term, Terms, View};

/// The maximum number of slices.
const MOST: usize = 16;

/// Consecutive bits of a term that is no concatenation, extension, shift or extraction; zeros if there is no term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slice {
    term: Option<Term>,
    /// The first bit.
    first: u32,
    /// The number of bits.
    bits: u32,
}

/// The slices of a term, the least significant first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BitSlices {
    slices: Vec<Slice>,
}

impl BitSlices {
    /// The slices of a term; `None` if they are too many.
    pub(crate) fn of(terms: &Terms, term: Term) -> Option<BitSlices> {
        let mut found = BitSlices::default();
        found.add(terms, term, 0, terms.width(term).bits())?;
        Some(found)
    }

    /// The term whose bits are the least significant ones that are not zero.
    pub(crate) fn lowest(&self) -> Option<Term> {
        self.slices[self.lowest_index()?].term
    }

    /// The index of the least significant slice that is not zero.
    fn lowest_index(&self) -> Option<usize> {
        self.slices.iter().position(|slice| slice.term.is_some())
    }

    /// The distance by which another number, extended by zeros, is shifted to the left to give this one.
    pub(crate) fn shift_of(&self, other: &BitSlices) -> Option<u32> {
        let (shifted, own) = self.slices.split_at(self.lowest_index()?);
        let shift = shifted.iter().map(|slice| slice.bits).sum();
        let used = |slices: &[Slice]| {
            slices.iter().rposition(|slice| slice.term.is_some()).map_or(0, |last| last + 1)
        };
        let (own, other) = (&own[..used(own)], &other.slices[..used(&other.slices)]);
        (own == other).then_some(shift)
    }

    /// Adds bits of a term.
    fn add(&mut self, terms: &Terms, term: Term, first: u32, bits: u32) -> Option<()> {
        if bits == 0 {
            return Some(());
        }
        if terms.as_u64(term) == Some(0) {
            return self.push(Slice { term: None, first: 0, bits });
        }
        if let View::Apply { op, arguments } = terms.view(term) {
            // The bits from some bit of the term on are those of an argument, and the rest are zeros.
            let width = |place: usize| terms.width(arguments[place]).bits();
            match op {
                Op::Concat => {
                    let (below, above) = split(width(1), first, bits);
                    self.add(terms, arguments[1], first, below)?;
                    return self.add(terms, arguments[0], above, bits - below);
                }
                Op::Zext => {
                    let (below, _) = split(width(0), first, bits);
                    self.add(terms, arguments[0], first, below)?;
                    return self.zeros(bits - below);
                }
                Op::Shl => {
                    if let Some(amount) =
                        terms.as_u64(arguments[1]).and_then(|amount| u32::try_from(amount).ok())
                    {
                        let (below, above) = split(amount, first, bits);
                        self.zeros(below)?;
                        return self.add(terms, arguments[0], above, bits - below);
                    }
                }
                Op::Extract(low) => return self.add(terms, arguments[0], first + u32::from(low), bits),
                _ => {}
            }
        }
        self.push(Slice { term: Some(term), first, bits })
    }

    fn zeros(&mut self, bits: u32) -> Option<()> {
        if bits == 0 { Some(()) } else { self.push(Slice { term: None, first: 0, bits }) }
    }

    /// Adds a slice, to the last one if it continues that.
    fn push(&mut self, slice: Slice) -> Option<()> {
        if let Some(last) = self.slices.last_mut()
            && last.term == slice.term
            && (slice.term.is_none() || last.first + last.bits == slice.first)
        {
            last.bits += slice.bits;
            return Some(());
        }
        self.slices.push(slice);
        (self.slices.len() <= MOST).then_some(())
    }
}

/// Splits bits from `first` on, of a number whose parts meet at bit `border`: how many are of the lower part, and the first bit
/// that the others have in the upper one.
fn split(border: u32, first: u32, bits: u32) -> (u32, u32) {
    let below = border.saturating_sub(first).min(bits);
    (below, (first + below).saturating_sub(border))
}

#[cfg(test)]
mod tests {
    use super::*;
    use everypath_ir::Width;
    use everypath_term::Input;

    #[test]
    fn a_scaled_index_is_found_in_any_form() {
        let mut terms = Terms::default();
        let (low, high, other) = (terms.input(Input(0)), terms.input(Input(1)), terms.input(Input(2)));
        let index = terms.apply(Op::Concat, Width::W16, &[high, low]);
        let swapped = terms.apply(Op::Concat, Width::W16, &[low, high]);
        let unrelated = terms.apply(Op::Concat, Width::W16, &[other, low]);
        let of = |terms: &Terms, term| BitSlices::of(terms, term).expect("few slices");
        let slices = of(&terms, index);
        assert_eq!(slices.lowest(), Some(low));
        for shift in 0..4_u32 {
            let wide = terms.apply(Op::Zext, Width::W32, &[index]);
            let amount = terms.constant_u64(u64::from(shift), Width::W32);
            let scaled = terms.apply(Op::Shl, Width::W32, &[wide, amount]);
            assert_eq!(of(&terms, scaled).shift_of(&slices), Some(shift));
            for wrong in [swapped, unrelated, low] {
                assert_eq!(of(&terms, scaled).shift_of(&of(&terms, wrong)), None);
            }
        }
        // A shift that loses bits is another number.
        let amount = terms.constant_u64(1, Width::W16);
        let cut = terms.apply(Op::Shl, Width::W16, &[index, amount]);
        assert_eq!(of(&terms, cut).shift_of(&slices), None);
    }
}

//! The values that words and input bytes have on a path: a non-relational abstract domain (Cousot and Cousot 1977).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use everypath_ir::{Width, Word};
use everypath_machine::PathRanges;
use everypath_term::{ByteSet, Evaluation, Input, Term, Terms};

use crate::merge::value_cache::ValueCache;

/// The maximum number of values of a word that are listed.
const LISTED: usize = 256;

/// An over-approximation of the values of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MayValues {
    /// At most these, in ascending order.
    Listed(Rc<[u64]>),
    /// At most those from the first to the last.
    Between(u64, u64),
}

impl MayValues {
    /// One value.
    pub(super) fn only(value: u64) -> MayValues {
        MayValues::Listed(Rc::new([value]))
    }

    /// Every value of a word.
    pub(super) fn all(width: Width) -> MayValues {
        MayValues::Between(0, u64::mask(width))
    }

    /// The least and the greatest.
    fn bounds(&self) -> (u64, u64) {
        match self {
            MayValues::Listed(values) => {
                (values.first().copied().unwrap_or(0), values.last().copied().unwrap_or(0))
            }
            MayValues::Between(first, last) => (*first, *last),
        }
    }

    /// The values of either.
    pub(super) fn join(self, other: MayValues) -> MayValues {
        match (self, other) {
            (MayValues::Listed(ours), MayValues::Listed(theirs)) => {
                if includes(&ours, &theirs) {
                    return MayValues::Listed(ours);
                }
                let mut either: Vec<u64> = ours.iter().chain(theirs.iter()).copied().collect();
                either.sort_unstable();
                either.dedup();
                match (either.first(), either.last()) {
                    (Some(first), Some(last)) if either.len() > LISTED => MayValues::Between(*first, *last),
                    _ => MayValues::Listed(either.into()),
                }
            }
            (ours, theirs) => {
                let ((first, last), (least, greatest)) = (ours.bounds(), theirs.bounds());
                MayValues::Between(first.min(least), last.max(greatest))
            }
        }
    }

    /// More values than these (widening): twice the span, upwards from the first, or every value if the span is large.
    pub(super) fn widened(&self, width: Width) -> MayValues {
        let mask = u64::mask(width);
        let Some((base, offsets)) = self.offsets(width) else { return MayValues::all(width) };
        let span = 2 * (u64::from(offsets.range().1) + 1).next_power_of_two();
        if span > LISTED as u64 || span > mask {
            return MayValues::all(width);
        }
        let mut values: Vec<u64> = (0..span).map(|offset| base.wrapping_add(offset) & mask).collect();
        values.sort_unstable();
        MayValues::Listed(values.into())
    }

    /// The values in the order in which they follow each other modulo the width, from the end of the widest gap on, so that numbers
    /// around zero are close together. None if they are many.
    pub(super) fn rotated(&self, width: Width) -> Option<Vec<u64>> {
        let mask = u64::mask(width);
        let mut listed: Vec<u64> = match self {
            MayValues::Listed(values) => values.to_vec(),
            MayValues::Between(first, last) if last - first < 256 => (*first..=*last).collect(),
            MayValues::Between(..) => return None,
        };
        let gap = |place: usize| {
            let before = listed[(place + listed.len() - 1) % listed.len()];
            listed[place].wrapping_sub(before).wrapping_sub(1) & mask
        };
        let first = (0..listed.len()).max_by_key(|place| gap(*place))?;
        listed.rotate_left(first);
        Some(listed)
    }

    /// The values as a number plus one of a set of bytes, modulo the width, if they lie so close together.
    fn offsets(&self, width: Width) -> Option<(u64, ByteSet)> {
        let mask = u64::mask(width);
        let listed = self.rotated(width)?;
        let base = *listed.first()?;
        let offsets = listed.iter().map(|value| u8::try_from(value.wrapping_sub(base) & mask));
        offsets.collect::<Result<ByteSet, _>>().ok().map(|offsets| (base, offsets))
    }

    /// The values of each byte, from the least significant.
    pub(super) fn bytes(&self, size: usize) -> Vec<ByteSet> {
        let byte = |value: u64, place: usize| (value >> (8 * place)) as u8;
        match self {
            MayValues::Listed(values) => {
                (0..size).map(|place| values.iter().map(|value| byte(*value, place)).collect()).collect()
            }
            MayValues::Between(first, last) => {
                // Bytes above the first that differs are the same for all values, and those below take any value.
                let differs = (0..size).rev().find(|place| byte(*first, *place) != byte(*last, *place));
                let set = |place: usize| match differs {
                    Some(differs) if place < differs => ByteSet::ALL,
                    _ => (byte(*first, place)..=byte(*last, place)).collect(),
                };
                (0..size).map(set).collect()
            }
        }
    }
}

/// Whether all of the second values are among the first; both are in ascending order.
fn includes(ours: &[u64], theirs: &[u64]) -> bool {
    let mut ours = ours.iter();
    theirs.iter().all(|value| ours.by_ref().any(|one| one == value))
}

/// An under-approximation: values that the word certainly has, independently of all other words. A state includes another only if
/// it has such values: an over-approximation does not tell.
pub(super) enum MustValues {
    /// These, in ascending order.
    Listed(Rc<[u64]>),
    /// Each combination of bytes of these sets, from the least significant.
    Bytes(Vec<ByteSet>),
}

impl MustValues {
    /// Whether every value that the other may have is one of these.
    pub(super) fn contains(&self, other: &MayValues) -> bool {
        match (self, other) {
            (MustValues::Listed(ours), MayValues::Listed(theirs)) => includes(ours, theirs),
            (MustValues::Listed(ours), MayValues::Between(first, last)) => {
                let count = ours.iter().filter(|value| (first..=last).contains(value)).count() as u64;
                count > 0 && count - 1 == last - first
            }
            (MustValues::Bytes(ours), theirs) => {
                ours.iter().zip(theirs.bytes(ours.len())).all(|(ours, theirs)| ours.join(&theirs) == *ours)
            }
        }
    }
}

/// The conditions of a path, by what they are about.
pub(super) struct PathValues {
    /// The values of the input bytes, as far as conditions on single bytes tell.
    pub(super) bytes: BTreeMap<Input, ByteSet>,
    /// The conditions on several bytes.
    pub(super) relations: Vec<Term>,
    ranges: PathRanges,
}

impl PathValues {
    /// Divides conditions.
    pub(super) fn of(
        terms: &mut Terms,
        cache: &mut ValueCache,
        conditions: impl IntoIterator<Item = Term>,
    ) -> PathValues {
        let (mut bytes, mut relations) = (BTreeMap::<Input, ByteSet>::new(), Vec::new());
        let mut ranges = PathRanges::default();
        for condition in conditions {
            let first = terms.inputs(condition).iter().next();
            match first.zip(cache.set(terms, condition)) {
                Some((input, set)) => {
                    let known = bytes.entry(input).or_insert(ByteSet::ALL);
                    *known = known.meet(&set);
                }
                None => {
                    ranges.assume(terms, condition, true);
                    relations.push(condition);
                }
            }
        }
        for (input, set) in bytes.iter().filter(|(_, set)| !set.is_empty()) {
            let (least, greatest) = set.range();
            ranges.restrict(terms.input(*input), u64::from(least), u64::from(greatest));
        }
        PathValues { bytes, relations, ranges }
    }

    /// The values of an input byte.
    pub(super) fn byte(&self, input: Input) -> ByteSet {
        self.bytes.get(&input).copied().unwrap_or(ByteSet::ALL)
    }

    /// The values of a term of at most 64 bits that depends on one input byte. It certainly has them, as far as no condition on
    /// several bytes restricts it.
    fn listed(
        &self,
        terms: &Terms,
        evaluation: &mut Evaluation,
        cache: &mut ValueCache,
        term: Term,
    ) -> Option<(Input, Rc<[u64]>)> {
        let inputs = terms.inputs(term);
        let input = inputs.iter().next().filter(|_| inputs.count() == 1)?;
        cache.list(terms, evaluation, term, (input, self.byte(input))).map(|listed| (input, listed))
    }

    /// Values of a term of so many bytes that it certainly has: those of a term of one input byte, or of bytes that depend
    /// on one input byte each. None if that is not so.
    pub(super) fn must_values(
        &self,
        terms: &mut Terms,
        evaluation: &mut Evaluation,
        cache: &mut ValueCache,
        (term, size): (Term, u8),
    ) -> Option<MustValues> {
        if let Some((_, listed)) = self.listed(terms, evaluation, cache, term) {
            return Some(MustValues::Listed(listed));
        }
        let mut seen = BTreeSet::new();
        let bytes = (0..u32::from(size)).map(|number| {
            let byte = terms.byte(term, number);
            if terms.is_constant(byte) {
                return Some([evaluation.word(terms, byte)? as u8].into_iter().collect());
            }
            let (input, values) = self.listed(terms, evaluation, cache, byte)?;
            seen.insert(input).then(|| values.iter().map(|value| *value as u8).collect())
        });
        bytes.collect::<Option<_>>().map(MustValues::Bytes)
    }

    /// An over-approximation of the values of a term of at most 64 bits.
    pub(super) fn may_values(
        &self,
        terms: &Terms,
        evaluation: &mut Evaluation,
        cache: &mut ValueCache,
        term: Term,
    ) -> MayValues {
        match self.listed(terms, evaluation, cache, term) {
            Some((_, listed)) => MayValues::Listed(listed),
            None => match self.ranges.interval(terms, term) {
                Some((least, greatest)) => MayValues::Between(least, greatest),
                None => MayValues::all(terms.width(term)),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use everypath_ir::Op;

    use super::*;

    /// The values of a word of two input bytes, of which the conditions say that each is 0 or 1.
    fn two_bytes(related: bool) -> (MayValues, Option<MustValues>) {
        let (mut terms, mut evaluation) = (Terms::new(), Evaluation::default());
        let [low, high] = [Input(0), Input(1)].map(|input| terms.input(input));
        let two = terms.constant_u64(2, Width::W8);
        let conditions = [low, high].map(|byte| terms.apply(Op::Ult, Width::W1, &[byte, two]));
        let cache = &mut ValueCache::default();
        let path = PathValues::of(&mut terms, cache, conditions);
        let high = if related { terms.apply(Op::Add, Width::W8, &[low, high]) } else { high };
        let word = terms.concat(high, low);
        let values = path.may_values(&terms, &mut evaluation, cache, word);
        (values, path.must_values(&mut terms, &mut evaluation, cache, (word, 2)))
    }

    #[test]
    fn a_value_between_two_others_is_not_certain() {
        let (_, certain) = two_bytes(false);
        let certain = certain.expect("bytes that depend on one input each");
        let listed = |values: &[u64]| MayValues::Listed(values.iter().copied().collect());
        assert!(certain.contains(&listed(&[0, 1, 0x100, 0x101])));
        assert!(!certain.contains(&listed(&[0x55])));
        assert!(!certain.contains(&MayValues::Between(0, 0x101)));
    }

    #[test]
    fn bytes_that_depend_on_the_same_input_have_no_certain_values() {
        let (values, certain) = two_bytes(true);
        assert!(certain.is_none());
        let MayValues::Between(0, last) = values else { panic!("{values:?}") };
        assert!(last >= 0x201);
    }

    #[test]
    fn a_list_contains_an_interval_without_gaps() {
        let certain = MustValues::Listed((0..256).collect());
        assert!(certain.contains(&MayValues::Between(0, 255)));
        assert!(!certain.contains(&MayValues::Between(0, 256)));
        assert!(!MustValues::Listed(Rc::new([0, 2])).contains(&MayValues::Between(0, 2)));
    }
}

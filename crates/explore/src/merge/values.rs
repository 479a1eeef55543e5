//! The values that words and input bytes have on a path: a non-relational abstract domain (Cousot and Cousot 1977).

use std::collections::{BTreeMap, BTreeSet};

use everypath_ir::Width;
use everypath_machine::PathRanges;
use everypath_term::{ByteSet, Evaluation, Input, Model, Sweep, Term, Terms};
use rustc_hash::FxHashMap;

/// The maximum number of values of a word that are listed.
const LISTED: usize = 256;

/// An over-approximation of the values of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Values {
    /// At most these.
    Listed(BTreeSet<u64>),
    /// At most those from the first to the last.
    Between(u64, u64),
}

impl Values {
    /// Every value of a word.
    pub(super) fn all(width: Width) -> Values {
        Values::Between(0, u64::MAX >> (64 - width.bits().min(64)))
    }

    /// The least and the greatest.
    fn bounds(&self) -> (u64, u64) {
        match self {
            Values::Listed(values) => {
                (values.first().copied().unwrap_or(0), values.last().copied().unwrap_or(0))
            }
            Values::Between(first, last) => (*first, *last),
        }
    }

    /// The values of either.
    pub(super) fn join(self, other: Values) -> Values {
        match (self, other) {
            (Values::Listed(mut ours), Values::Listed(theirs)) => {
                ours.extend(theirs);
                if ours.len() <= LISTED {
                    return Values::Listed(ours);
                }
                let (first, last) = Values::Listed(ours).bounds();
                Values::Between(first, last)
            }
            (ours, theirs) => {
                let ((first, last), (least, greatest)) = (ours.bounds(), theirs.bounds());
                Values::Between(first.min(least), last.max(greatest))
            }
        }
    }

    /// More values than these (widening): twice the span, upwards from the first, or every value if the span is large.
    pub(super) fn widened(&self, width: Width) -> Values {
        let mask = u64::MAX >> (64 - width.bits().min(64));
        let Some((base, offsets)) = self.offsets(width) else { return Values::all(width) };
        let span = 2 * (u64::from(offsets.range().1) + 1).next_power_of_two();
        if span > LISTED as u64 || span > mask {
            return Values::all(width);
        }
        Values::Listed((0..span).map(|offset| base.wrapping_add(offset) & mask).collect())
    }

    /// The values as a number plus one of a set of bytes, modulo the width, if they lie so close together.
    pub(super) fn offsets(&self, width: Width) -> Option<(u64, ByteSet)> {
        let mask = u64::MAX >> (64 - width.bits().min(64));
        let listed: Vec<u64> = match self {
            Values::Listed(values) => values.iter().copied().collect(),
            Values::Between(first, last) if last - first < 256 => (*first..=*last).collect(),
            Values::Between(..) => return None,
        };
        // The base is the value behind the widest gap, so that numbers around zero have a small span.
        let gap = |place: usize| {
            let before = listed[(place + listed.len() - 1) % listed.len()];
            listed[place].wrapping_sub(before).wrapping_sub(1) & mask
        };
        let base = listed[(0..listed.len()).max_by_key(|place| gap(*place))?];
        let offsets = listed.iter().map(|value| u8::try_from(value.wrapping_sub(base) & mask));
        offsets.collect::<Result<ByteSet, _>>().ok().map(|offsets| (base, offsets))
    }

    /// The values of each byte, from the least significant.
    pub(super) fn bytes(&self, size: usize) -> Vec<ByteSet> {
        let byte = |value: u64, place: usize| (value >> (8 * place)) as u8;
        match self {
            Values::Listed(values) => {
                (0..size).map(|place| values.iter().map(|value| byte(*value, place)).collect()).collect()
            }
            Values::Between(first, last) => {
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

/// Values of a word each of which it has for some input, whatever the other words hold, if no other word depends on the
/// same input. A state includes another only if it has such values: an over-approximation does not tell.
pub(super) enum Attained {
    /// These.
    Listed(BTreeSet<u64>),
    /// Each combination of bytes of these sets, from the least significant.
    Bytes(Vec<ByteSet>),
}

impl Attained {
    /// Whether every value that the other may have is one of these.
    pub(super) fn contains(&self, other: &Values) -> bool {
        match (self, other) {
            (Attained::Listed(ours), Values::Listed(theirs)) => theirs.is_subset(ours),
            (Attained::Listed(ours), Values::Between(first, last)) => {
                let count = ours.range(first..=last).count() as u64;
                count > 0 && count - 1 == last - first
            }
            (Attained::Bytes(ours), theirs) => {
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

/// The sets of bytes that conditions describe, for conditions that recur.
#[derive(Default)]
pub(super) struct ByteSetCache {
    sets: FxHashMap<Term, ByteSet>,
    /// The number of collections at which the terms were valid.
    collections: u32,
}

impl ByteSetCache {
    /// The values of the only input byte of a condition under which it holds.
    fn of(&mut self, terms: &Terms, evaluation: &mut Evaluation, condition: Term, input: Input) -> ByteSet {
        if self.collections != terms.collections() {
            self.sets.clear();
            self.collections = terms.collections();
        }
        *self.sets.entry(condition).or_insert_with(|| {
            let mut values: Vec<u8> = (0..=255).collect();
            Sweep::new(evaluation, Model::new(), input).retain(terms, condition, &mut values);
            values.into_iter().collect()
        })
    }
}

impl PathValues {
    /// Divides conditions.
    pub(super) fn of(
        terms: &mut Terms,
        evaluation: &mut Evaluation,
        cache: &mut ByteSetCache,
        conditions: impl IntoIterator<Item = Term>,
    ) -> PathValues {
        let (mut bytes, mut relations) = (BTreeMap::<Input, ByteSet>::new(), Vec::new());
        let mut ranges = PathRanges::default();
        for condition in conditions {
            let inputs = terms.inputs(condition);
            let only = inputs.iter().next().filter(|_| inputs.count() == 1);
            match only {
                Some(input) => {
                    let set = cache.of(terms, evaluation, condition, input);
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

    /// The values of a term of at most 64 bits that depends on one input byte. They are attained, as far as no condition on
    /// several bytes restricts it.
    fn listed(
        &self,
        terms: &Terms,
        evaluation: &mut Evaluation,
        term: Term,
    ) -> Option<(Input, BTreeSet<u64>)> {
        let inputs = terms.inputs(term);
        let input = inputs.iter().next().filter(|_| inputs.count() == 1)?;
        evaluation.set_model(Model::new());
        let under = |value: u8| {
            evaluation.set_byte(input, value);
            evaluation.word(terms, term)
        };
        self.byte(input).iter().map(under).collect::<Option<_>>().map(|listed| (input, listed))
    }

    /// Values of a term of so many bytes that it certainly has: those of a term of one input byte, or of bytes that depend
    /// on one input byte each. None if that is not so.
    pub(super) fn attained(
        &self,
        terms: &mut Terms,
        evaluation: &mut Evaluation,
        (term, size): (Term, u8),
    ) -> Option<Attained> {
        if let Some((_, listed)) = self.listed(terms, evaluation, term) {
            return Some(Attained::Listed(listed));
        }
        let mut seen = BTreeSet::new();
        let bytes = (0..u32::from(size)).map(|number| {
            let byte = terms.byte(term, number);
            let values = if terms.is_constant(byte) {
                BTreeSet::from([evaluation.word(terms, byte)?])
            } else {
                let (input, values) = self.listed(terms, evaluation, byte)?;
                seen.insert(input).then_some(values)?
            };
            Some(values.into_iter().map(|value| value as u8).collect())
        });
        bytes.collect::<Option<_>>().map(Attained::Bytes)
    }

    /// An over-approximation of the values of a term of at most 64 bits.
    pub(super) fn values(&self, terms: &Terms, evaluation: &mut Evaluation, term: Term) -> Values {
        match self.listed(terms, evaluation, term) {
            Some((_, listed)) => Values::Listed(listed),
            None => match self.ranges.interval(terms, term) {
                Some((least, greatest)) => Values::Between(least, greatest),
                None => Values::all(terms.width(term)),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use everypath_ir::Op;

    use super::*;

    /// The values of a word of two input bytes, of which the conditions say that each is 0 or 1.
    fn two_bytes(related: bool) -> (Values, Option<Attained>) {
        let (mut terms, mut evaluation) = (Terms::new(), Evaluation::default());
        let [low, high] = [Input(0), Input(1)].map(|input| terms.input(input));
        let two = terms.constant_u64(2, Width::W8);
        let conditions = [low, high].map(|byte| terms.apply(Op::Ult, Width::W1, &[byte, two]));
        let path = PathValues::of(&mut terms, &mut evaluation, &mut ByteSetCache::default(), conditions);
        let high = if related { terms.apply(Op::Add, Width::W8, &[low, high]) } else { high };
        let word = terms.concat(high, low);
        let values = path.values(&terms, &mut evaluation, word);
        (values, path.attained(&mut terms, &mut evaluation, (word, 2)))
    }

    #[test]
    fn a_value_between_two_others_is_not_attained() {
        let (_, attained) = two_bytes(false);
        let attained = attained.expect("bytes that depend on one input each");
        let listed = |values: &[u64]| Values::Listed(values.iter().copied().collect());
        assert!(attained.contains(&listed(&[0, 1, 0x100, 0x101])));
        assert!(!attained.contains(&listed(&[0x55])));
        assert!(!attained.contains(&Values::Between(0, 0x101)));
    }

    #[test]
    fn bytes_that_depend_on_the_same_input_attain_nothing_for_certain() {
        let (values, attained) = two_bytes(true);
        assert!(attained.is_none());
        let Values::Between(0, last) = values else { panic!("{values:?}") };
        assert!(last >= 0x201);
    }

    #[test]
    fn a_list_contains_an_interval_without_gaps() {
        let attained = Attained::Listed((0..256).collect());
        assert!(attained.contains(&Values::Between(0, 255)));
        assert!(!attained.contains(&Values::Between(0, 256)));
        assert!(!Attained::Listed(BTreeSet::from([0, 2])).contains(&Values::Between(0, 2)));
    }
}

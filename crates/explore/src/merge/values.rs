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

    /// Whether every value of the other is one of these.
    pub(super) fn contains(&self, other: &Values) -> bool {
        match (self, other) {
            (Values::Listed(ours), Values::Listed(theirs)) => theirs.is_subset(ours),
            (Values::Listed(_), Values::Between(..)) => false,
            (Values::Between(first, last), theirs) => {
                let (least, greatest) = theirs.bounds();
                *first <= least && greatest <= *last
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

    /// The values of a term of at most 64 bits.
    pub(super) fn values(&self, terms: &Terms, evaluation: &mut Evaluation, term: Term) -> Values {
        let inputs = terms.inputs(term);
        match inputs.iter().next().filter(|_| inputs.count() == 1) {
            Some(input) => {
                evaluation.set_model(Model::new());
                let under = |value: u8| {
                    evaluation.set_byte(input, value);
                    evaluation.word(terms, term)
                };
                let listed: Option<BTreeSet<u64>> = self.byte(input).iter().map(under).collect();
                listed.map_or_else(|| Values::all(terms.width(term)), Values::Listed)
            }
            None => match self.ranges.interval(terms, term) {
                Some((least, greatest)) => Values::Between(least, greatest),
                None => Values::all(terms.width(term)),
            },
        }
    }
}

//! Bytes that all differ from each other, and what follows if they have few values.

use std::collections::{BTreeMap, BTreeSet};

use everypath_term::{Input, Term, Terms};

use super::byte_set::ByteSet;
use super::memory::{Bound, Memory};

/// Fewer bytes are not worth it.
const FEWEST: usize = 3;

/// Bytes that differ from each other, as many as there are values for them.
pub(in crate::layer) struct Filled {
    /// The bytes.
    pub(in crate::layer) inputs: Vec<Input>,
    /// What they add up to; nothing if there are too few values for all.
    pub(in crate::layer) sum: Option<u64>,
    /// The conditions that say so.
    pub(in crate::layer) by: Vec<Term>,
}

impl Memory {
    /// Bytes that some conditions say to be different, and that therefore have all values that there are for them.
    pub(in crate::layer) fn filled(&mut self, terms: &Terms, conditions: &[Term]) -> Vec<Filled> {
        let bounds = self.bounds(terms, conditions);
        let mut values: BTreeMap<Input, ByteSet> = BTreeMap::new();
        let mut others: BTreeMap<Input, BTreeSet<Input>> = BTreeMap::new();
        for bound in &bounds {
            match bound.second {
                None => {
                    let left = values.entry(bound.first).or_insert(ByteSet::ALL);
                    *left = left.meet(self.diagonal(bound));
                }
                Some(second) if self.diagonal(bound).is_empty() => {
                    others.entry(bound.first).or_default().insert(second);
                    others.entry(second).or_default().insert(bound.first);
                }
                Some(_) => {}
            }
        }
        let mut filled = Vec::new();
        // Those that differ from most come first.
        let mut left: Vec<Input> =
            others.keys().copied().filter(|input| values.contains_key(input)).collect();
        left.sort_by_key(|input| (std::cmp::Reverse(others[input].len()), *input));
        while left.len() >= FEWEST {
            let mut group: Vec<Input> = Vec::new();
            left.retain(|input| {
                let fits = group.iter().all(|member| others[input].contains(member));
                if fits {
                    group.push(*input);
                }
                !fits
            });
            let all = group.iter().fold(ByteSet::EMPTY, |all, input| all.join(&values[input]));
            let room = all.len() as usize;
            if group.len() < FEWEST || room > group.len() {
                continue;
            }
            let by = bounds.iter().filter(|bound| self.says(bound, &group)).map(|bound| bound.condition);
            let sum = (room == group.len()).then(|| all.iter().map(u64::from).sum());
            filled.push(Filled { by: by.collect(), sum, inputs: group });
        }
        filled
    }

    /// Whether a condition says what values bytes of the group have, or that two of them differ.
    fn says(&self, bound: &Bound, group: &[Input]) -> bool {
        let inside = |input: Input| group.contains(&input);
        match bound.second {
            None => inside(bound.first),
            Some(second) => inside(bound.first) && inside(second) && self.diagonal(bound).is_empty(),
        }
    }
}

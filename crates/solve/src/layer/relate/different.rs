//! The pigeonhole rule of `all different` constraints: a clique of disequalities over as many values as bytes has a
//! known sum.

use std::collections::{BTreeMap, BTreeSet};

use everypath_term::{ByteSet, Input, Term, Terms};

use super::memory::{Bound, Memory};

/// The smallest clique that is worth the effort.
const FEWEST: usize = 3;

/// A clique of pairwise different bytes with at most as many values as bytes.
pub(in crate::layer) struct Filled {
    /// The bytes.
    pub(in crate::layer) inputs: Vec<Input>,
    /// Their sum; `None` if there are fewer values than bytes, which is a contradiction.
    pub(in crate::layer) sum: Option<u64>,
    /// The conditions that imply it.
    pub(in crate::layer) by: Vec<Term>,
}

impl Memory {
    /// Cliques of pairwise different bytes that take all values of the union of their domains, found greedily.
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
        // Bytes with the most disequalities come first.
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

    /// Returns true if a condition restricts a byte of the group, or requires that two of them differ.
    fn says(&self, bound: &Bound, group: &[Input]) -> bool {
        let inside = |input: Input| group.contains(&input);
        match bound.second {
            None => inside(bound.first),
            Some(second) => inside(bound.first) && inside(second) && self.diagonal(bound).is_empty(),
        }
    }
}

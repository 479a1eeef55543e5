//! Cursors: words that compute addresses, which merging keeps concrete. They are learnt while paths run.

use std::collections::{BTreeMap, BTreeSet};

use everypath_ir::{Op, Place};
use everypath_term::{Term, Terms, View};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::merge::word::Word;

/// Maximum number of subterms of an address that are searched for merged words.
const LOOKED_AT: usize = 2_000;

/// The cursors of a program.
#[derive(Default)]
pub(crate) struct Cursors {
    /// Registers, by the place at which paths that differ in them must not be merged.
    at: BTreeMap<Place, BTreeSet<Word>>,
    /// Words of memory, with how often a path has increased and decreased them from one pause to the next.
    changes: BTreeMap<Word, (u64, u64)>,
}

impl Cursors {
    /// The cursors of a place: registers there, and memory.
    pub(crate) fn at(&self, place: Place) -> impl Iterator<Item = Word> + '_ {
        self.at.get(&place).into_iter().flatten().copied().chain(self.changes.keys().copied())
    }

    /// The cursors that order the waiting paths: those that increase more often than they decrease along a path. First
    /// those that never decrease.
    pub(crate) fn order(&self) -> impl Iterator<Item = Word> + '_ {
        let of = |only_up: bool| {
            let fits = move |(up, down): (u64, u64)| {
                if only_up { down == 0 } else { down > 0 && 3 * down <= 2 * up }
            };
            self.changes.iter().filter(move |(_, changes)| fits(**changes)).map(|(word, _)| *word)
        };
        of(true).chain(of(false))
    }

    /// Takes the merged words in an address for cursors. Returns true if one was not known.
    pub(crate) fn learn(
        &mut self,
        terms: &Terms,
        merged_words: &FxHashMap<Term, (Place, Word)>,
        address: Term,
        is_memory: impl Fn(Word) -> bool,
    ) -> bool {
        let mut found = false;
        let (mut seen, mut stack) = (FxHashSet::default(), vec![address]);
        while let Some(term) = stack.pop() {
            if !seen.insert(term) || seen.len() > LOOKED_AT {
                continue;
            }
            if let Some((place, word)) = merged_words.get(&term) {
                let is_new = if is_memory(*word) {
                    let is_new = !self.changes.contains_key(word);
                    self.changes.entry(*word).or_default();
                    is_new
                } else {
                    self.at.entry(*place).or_default().insert(*word)
                };
                found |= is_new;
                continue;
            }
            match terms.view(term) {
                // A condition that selects between two addresses is no part of either.
                View::Apply { op: Op::Select, arguments } => stack.extend(&arguments[1..]),
                View::Apply { arguments, .. } => stack.extend(arguments.iter()),
                View::Read { index, .. } => stack.push(index),
                View::Constant(_) | View::Input(_) => {}
            }
        }
        found
    }

    /// Counts how a path has changed the cursors from one pause to the next. Returns true if that changes the order.
    pub(crate) fn count_changes(&mut self, before: &[(Word, u64)], after: &[(Word, u64)]) -> bool {
        let old: Vec<Word> = self.order().collect();
        for ((word, before), (other, now)) in before.iter().zip(after) {
            if word == other
                && let Some((up, down)) = self.changes.get_mut(word)
            {
                *up += u64::from(now > before);
                *down += u64::from(now < before);
            }
        }
        !self.order().eq(old)
    }
}

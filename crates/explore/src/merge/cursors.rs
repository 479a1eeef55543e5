//! Counterexample-guided refinement of merging (CEGAR, Clarke and others 2000): cursors, words that compute addresses and stay concrete,
//! are learnt from merges that had to be undone.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use everypath_ir::Place;

use crate::merge::word::StateWord;

/// The result of learning cursors from an address; the greatest one of a block counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Learnt {
    /// It depends on no merged word.
    Nothing,
    /// It depends on a merged word that is a cursor by now, but was not when it was merged.
    Late,
    /// It depends on a merged word that is a cursor from now on.
    New,
}

/// The cursors of a program.
pub(crate) struct Cursors {
    /// Whether the number of reads keeps paths apart, for each input.
    counted: Vec<bool>,
    /// The order in which places are visited, by address.
    ranks: HashMap<u64, u32>,
    /// Registers, by the place at which paths that differ in them must not be merged.
    at: BTreeMap<Place, BTreeSet<StateWord>>,
    /// Words of memory, with how often a path has increased and decreased them from one pause to the next.
    changes: BTreeMap<StateWord, (u64, u64)>,
    /// How many words of memory were known when the exploration last began again.
    known_before: usize,
}

impl Cursors {
    /// No cursors but the numbers of reads of these inputs, and the order in which places are visited.
    pub(crate) fn new(counted: Vec<bool>, ranks: HashMap<u64, u32>) -> Cursors {
        Cursors { counted, ranks, at: BTreeMap::new(), changes: BTreeMap::new(), known_before: 0 }
    }

    /// The number of a place in the order in which places are visited.
    pub(crate) fn rank(&self, place: Place) -> u32 {
        self.ranks.get(&place.address).copied().unwrap_or(0)
    }

    /// The numbers of reads that keep paths apart; the others are zero.
    pub(crate) fn reads(&self, reads: &[u32]) -> Vec<u32> {
        reads.iter().zip(&self.counted).map(|(reads, counted)| if *counted { *reads } else { 0 }).collect()
    }

    /// The cursors of a place: registers there, and memory.
    pub(crate) fn at(&self, place: Place) -> impl Iterator<Item = StateWord> + '_ {
        self.at.get(&place).into_iter().flatten().copied().chain(self.changes.keys().copied())
    }

    /// The cursors that order the waiting paths: those that increase more often than they decrease along a path. First
    /// those that never decrease.
    pub(crate) fn order(&self) -> impl Iterator<Item = StateWord> + '_ {
        let of = |only_up: bool| {
            let fits = move |(up, down): (u64, u64)| {
                if only_up { down == 0 } else { down > 0 && 3 * down <= 2 * up }
            };
            self.changes.iter().filter(move |(_, changes)| fits(**changes)).map(|(word, _)| *word)
        };
        of(true).chain(of(false))
    }

    /// Takes a word that was merged at a place for a cursor.
    pub(crate) fn learn(&mut self, place: Place, word: StateWord, is_memory: bool) -> Learnt {
        let is_new = if is_memory {
            let is_new = !self.changes.contains_key(&word);
            self.changes.entry(word).or_default();
            is_new
        } else {
            self.at.entry(place).or_default().insert(word)
        };
        if is_new { Learnt::New } else { Learnt::Late }
    }

    /// Prepares for beginning again. If words of memory were learnt since the last time, registers may have been taken for
    /// cursors only because these words were merged: they are forgotten.
    pub(crate) fn begin_anew(&mut self) {
        if self.changes.len() > self.known_before {
            self.known_before = self.changes.len();
            self.at.clear();
        }
    }

    /// Counts how a path has changed the cursors from one pause to the next. Returns true if that changes the order.
    pub(crate) fn count_changes(
        &mut self,
        before: &[(StateWord, Option<u64>)],
        after: &[(StateWord, Option<u64>)],
    ) -> bool {
        let old: Vec<StateWord> = self.order().collect();
        for ((word, before), (other, now)) in before.iter().zip(after) {
            if word == other
                && let (Some(before), Some(now)) = (before, now)
                && let Some((up, down)) = self.changes.get_mut(word)
            {
                *up += u64::from(now > before);
                *down += u64::from(now < before);
            }
        }
        !self.order().eq(old)
    }
}

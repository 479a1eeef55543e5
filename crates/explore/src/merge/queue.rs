//! The merge queue: paths that have paused, by key, the least advanced first.

use std::collections::BTreeMap;

use everypath_ir::Place;
use everypath_term::Model;

use crate::merge::cursors::Cursors;
use crate::merge::word::{StateWord, WordLayout};
use crate::path::roots::{Roots, TermHolder};
use crate::path::task::Task;

/// The values in which paths must agree to be merged, in the order in which they continue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    /// How often inputs were read, of those whose number of reads keeps paths apart. Short inputs come first: cursors are
    /// learnt where exploring is cheap.
    reads: Vec<u32>,
    /// The ordered cursors with their values: the progress of the path.
    progress: Vec<(StateWord, Option<u64>)>,
    /// The number of the place in an order of the whole program, if that is known: loops come before what is after them.
    rank: u32,
    /// The stack pointer, or its complement: paths inside a call come before those that wait for its return.
    depth: u64,
    place: Place,
    cursors: Vec<Option<u64>>,
    oracles: Option<Vec<u64>>,
    /// Makes paths that cannot be merged distinct.
    apart: u64,
}

impl Key {
    pub(crate) fn of(task: &mut Task, layout: &WordLayout, cursors: &Cursors) -> Key {
        let rank = cursors.rank(task.at.place);
        let depth = layout.stack_pointer.and_then(|(location, width)| {
            task.state.read(location.space, location.offset, width.bytes().min(8)).ok()
        });
        let depth = depth.map_or(0, |depth| if layout.grows_up { !depth } else { depth });
        let place = task.at.place;
        let progress = cursors.order().map(|word| (word, value(task, word))).collect();
        let here = cursors.at(place).map(|word| value(task, word)).collect();
        let oracles = task.oracles.fingerprint();
        let reads = cursors.reads(&task.progress.reads);
        Key { progress, rank, depth, place, reads, cursors: here, oracles, apart: 0 }
    }

    /// The ordered cursors with their values.
    pub(crate) fn progress(&self) -> &[(StateWord, Option<u64>)] {
        &self.progress
    }
}

/// The contents of a word; none if it depends on input: what is symbolic already can as well be merged.
fn value(task: &mut Task, word: StateWord) -> Option<u64> {
    let StateWord { location, size } = word;
    if task.state.shadow(location.space).get(location.offset).is_some() {
        return None;
    }
    Some(task.state.read(location.space, location.offset, usize::from(size)).unwrap_or(0))
}

/// The paths that wait.
#[derive(Default)]
pub(crate) struct MergeQueue {
    /// With the number of the scope in which each has paused.
    waiting: BTreeMap<Key, Vec<(u64, Task)>>,
    scope: u64,
    apart: u64,
}

impl MergeQueue {
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.values().map(Vec::len).sum()
    }

    /// Adds a path, which is merged with others if `can_merge` holds.
    pub(crate) fn add(&mut self, mut key: Key, task: Task, can_merge: bool) {
        if !can_merge || key.oracles.is_none() || task.derailed_for().is_some() {
            self.apart += 1;
            key.apart = self.apart;
        }
        self.waiting.entry(key).or_default().push((self.scope, task));
    }

    /// Takes the least advanced paths out, and begins a new scope.
    pub(crate) fn take_first(&mut self) -> Option<(Key, Vec<Task>)> {
        let (key, group) = self.waiting.pop_first()?;
        self.scope += 1;
        Some((key, group.into_iter().map(|(_, task)| task).collect()))
    }

    /// Drops the paths that have paused since paths were last taken out.
    pub(crate) fn drop_newest_scope(&mut self) {
        let scope = self.scope;
        for group in self.waiting.values_mut() {
            group.retain(|(of, _)| *of != scope);
        }
        self.waiting.retain(|_, group| !group.is_empty());
    }

    /// The models of the paths.
    pub(crate) fn models(&self) -> impl Iterator<Item = &Model> {
        self.waiting.values().flatten().map(|(_, task)| &task.model)
    }

    /// Drops all paths.
    pub(crate) fn clear(&mut self) {
        self.waiting.clear();
    }

    /// Computes every key again, because other cursors are known.
    pub(crate) fn rekey(&mut self, layout: &WordLayout, cursors: &Cursors) {
        for (old, group) in std::mem::take(&mut self.waiting) {
            for (scope, mut task) in group {
                let key = Key { apart: old.apart, ..Key::of(&mut task, layout, cursors) };
                self.waiting.entry(key).or_default().push((scope, task));
            }
        }
    }
}

impl TermHolder for MergeQueue {
    fn roots(&self, roots: &mut Roots) {
        self.waiting.values().flatten().for_each(|(_, task)| task.roots(roots));
    }
}

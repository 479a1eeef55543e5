//! State merging (Kuznetsov, Kinder, Bucur and Candea 2012): paths that meet at one place continue as one.
//!
//! Paths pause where control flow joins: at loop heads and after calls. The least advanced of the waiting paths continues
//! first, together with all that agree with it in place, stack pointer, inputs read and *cursors*: words that compute
//! addresses. They correspond to the hot variables of Kuznetsov et al., but are learnt from merges that had to be undone, not
//! estimated. Cursors stay concrete; other words that differ become selects of the paths' conditions. Which words are
//! cursors is learnt: if a word that was merged turns up in an address, the merge is undone, and paths that differ in the
//! word are kept apart from then on. So a wrong guess costs time, and never a verdict.

mod abstraction;
mod clusters;
mod cursors;
mod differing;
mod inclusion;
mod join;
mod queue;
mod represent;
mod source;
mod value_cache;
mod values;
mod word;

use std::collections::HashMap;

use everypath_environment::{Guest, World};
use everypath_ir::Place;
use everypath_term::{Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::merge::abstraction::Abstraction;
use crate::merge::cursors::Cursors;
pub(crate) use crate::merge::cursors::Learnt;
use crate::merge::join::join;
use crate::merge::queue::{Key, MergeQueue};
use crate::merge::represent::clear_term;
use crate::merge::source::sources;
use crate::merge::word::{MergedWords, StateWord, WordLayout};
use crate::path::inputs::SymbolicInputs;
use crate::path::roots::{Roots, TermHolder};
use crate::path::task::Task;
use crate::verdict::notes::Notes;

/// How often an exploration begins again because of cursors that were merged; then it continues with merged ones.
const MOST_RESTARTS: u32 = 100;

/// How many paths an abstract exploration resumes after one was dropped, before it begins again: as many as before that, and
/// these. What is dropped meanwhile tells further cursors.
const RESUMED_BEHIND: u64 = 32;

/// How much was undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Undone {
    /// The last merge: its paths wait again, apart.
    LastMerge,
    /// Every path.
    Everything,
}

/// The merging of an exploration.
pub(crate) struct Merging {
    /// The abstract states, if paths are merged by an abstraction.
    abstraction: Option<Abstraction>,
    queue: MergeQueue,
    cursors: Cursors,
    /// The merged words that terms stand for.
    merged_words: MergedWords,
    /// The addresses that were examined for merged words.
    examined: FxHashSet<Term>,
    /// How often the exploration began again.
    restarts: u32,
    /// Number of abstract paths resumed since the exploration began again.
    resumed_paths: u64,
    /// That number when an abstract path was first dropped, because it computes an address from words that were merged.
    dropped_at: Option<u64>,
    /// The paths that the current one was merged from, to undo it.
    members: Vec<Task>,
    /// The key at which the current paths were resumed.
    resumed: Option<Key>,
    /// The notes before the first path, and before the current ones, to return to when a merge is undone.
    first_notes: Notes,
    notes: Notes,
    layout: WordLayout,
}

impl Merging {
    /// An empty queue, to merge paths exactly.
    pub(crate) fn exact(guest: &Guest, world: &World, notes: Notes) -> Merging {
        let counted = vec![true; world.cells().count()];
        Merging::new(guest, Cursors::new(counted, HashMap::new()), None, notes)
    }

    /// An empty queue, to merge paths by an abstraction. `ranks` numbers the places of the program in the order in which
    /// they are to be visited. How many inputs were read keeps paths apart only if the next value depends on it.
    pub(crate) fn by_abstraction(
        guest: &Guest,
        world: &World,
        ranks: HashMap<u64, u32>,
        notes: Notes,
    ) -> Merging {
        let counted = (0..world.cells().count()).map(|cell| world.is_scripted(cell)).collect();
        Merging::new(guest, Cursors::new(counted, ranks), Some(Abstraction::default()), notes)
    }

    /// An empty queue. `notes` are those before the first path.
    fn new(guest: &Guest, cursors: Cursors, abstraction: Option<Abstraction>, notes: Notes) -> Merging {
        Merging {
            abstraction,
            queue: MergeQueue::default(),
            cursors,
            merged_words: FxHashMap::default(),
            examined: FxHashSet::default(),
            restarts: 0,
            resumed_paths: 0,
            dropped_at: None,
            members: Vec::new(),
            resumed: None,
            first_notes: notes.clone(),
            notes,
            layout: WordLayout::of(guest),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.queue.len()
    }

    /// Whether a term depends on a word that an abstraction has merged.
    pub(crate) fn is_abstracted(&self, terms: &Terms, term: Term) -> bool {
        self.abstraction
            .as_ref()
            .is_some_and(|abstraction| abstraction.variables(terms, term).next().is_some())
    }

    /// Makes a path wait at a place where others may meet it.
    pub(crate) fn pause(&mut self, mut task: Task) {
        let key = Key::of(&mut task, &self.layout, &self.cursors);
        if let Some(before) = &self.resumed
            && self.cursors.count_changes(before.progress(), key.progress())
        {
            self.queue.rekey(&self.layout, &self.cursors);
        }
        self.enqueue(task, true);
    }

    fn enqueue(&mut self, mut task: Task, can_merge: bool) {
        let key = Key::of(&mut task, &self.layout, &self.cursors);
        self.queue.add(key, task, can_merge);
    }

    /// The terms of merged words that an address of a path is computed from, as far as they are not known.
    pub(crate) fn sources(&mut self, terms: &Terms, address: Term, task: &Task) -> Vec<Term> {
        if self.restarts > MOST_RESTARTS || !self.examined.insert(address) {
            return Vec::new();
        }
        if let Some(abstraction) = &self.abstraction {
            return abstraction.variables(terms, address).collect();
        }
        let waiting = self.queue.models();
        let models =
            [&task.model].into_iter().chain(self.members.iter().map(|task| &task.model)).chain(waiting);
        let mut sources = sources(terms, address, self.merged_words.keys().copied(), models);
        // Registers with the same contents are mostly copies that are dead.
        let is_in_memory = |term: &Term| self.words(*term).any(|(_, word)| self.layout.is_memory(*word));
        if sources.iter().any(is_in_memory) {
            sources.retain(is_in_memory);
        }
        sources.sort_unstable();
        sources
    }

    /// The merged words that a term stands for.
    fn words(&self, term: Term) -> impl Iterator<Item = &(Place, StateWord)> {
        self.merged_words.get(&term).into_iter().flatten()
    }

    /// Takes the merged words that a term stands for as cursors: those in memory, if there are any.
    pub(crate) fn learn(&mut self, term: Term) -> Learnt {
        let is_memory = |(_, word): &&(Place, StateWord)| self.layout.is_memory(*word);
        let only_memory = self.words(term).any(|word| is_memory(&word));
        let words: Vec<(Place, StateWord)> =
            self.words(term).filter(|word| !only_memory || is_memory(word)).copied().collect();
        let mut learnt = Learnt::Nothing;
        for (place, word) in words {
            learnt = learnt.max(self.cursors.learn(place, word, self.layout.is_memory(word)));
        }
        learnt
    }

    /// Records that an abstract path computes an address from merged words. Returns whether the path is to be dropped.
    pub(crate) fn drops(&mut self, learnt: Learnt) -> bool {
        // A cursor that is known may still be symbolic, because the path computed it from input.
        let is_dropped = learnt == Learnt::New || learnt == Learnt::Late && self.dropped_at.is_some();
        if is_dropped {
            self.dropped_at.get_or_insert(self.resumed_paths);
        }
        is_dropped
    }

    /// Whether an abstract path was dropped since the exploration began again: nothing may be concluded then.
    pub(crate) fn has_dropped(&self) -> bool {
        self.dropped_at.is_some()
    }

    /// Whether an abstract exploration must begin again, with the cursors that are known now: when nothing is left to do, or
    /// after some paths, which may tell further cursors.
    pub(crate) fn is_outdated(&self) -> bool {
        self.dropped_at
            .is_some_and(|at| self.queue.is_empty() || self.resumed_paths >= 2 * at + RESUMED_BEHIND)
    }

    /// The cursors that depend on input when a path pauses, with their contents.
    pub(crate) fn symbolic_cursors(&self, terms: &mut Terms, task: &mut Task) -> Vec<(StateWord, Term)> {
        let words = self.cursors.at(task.at.place).filter_map(|word| {
            let (location, endian) = (word.location, self.layout.endian(word.location));
            task.state.shadow(location.space).get(location.offset)?;
            let bits = task.state.get(location, word.width(), endian).ok()?;
            let term = task.state.shadow(location.space).read(terms, location.offset, &bits, endian)?;
            Some((word, term))
        });
        words.collect()
    }

    /// Makes a word of a path concrete: it keeps the value that it has.
    pub(crate) fn fix(&self, terms: &mut Terms, task: &mut Task, word: StateWord) {
        clear_term(terms, task, word, &self.layout);
    }

    /// Undoes the merge that the current paths began with, and returns the notes before it. If there was none, or the cursor
    /// was known before, paths were merged wrongly before that, and the exploration must begin again with the cursors that
    /// are known now.
    pub(crate) fn undo(&mut self, learnt: Learnt) -> (Undone, Notes) {
        if self.members.len() > 1 && learnt == Learnt::New && self.abstraction.is_none() {
            self.queue.drop_newest_scope();
            self.queue.rekey(&self.layout, &self.cursors);
            for task in std::mem::take(&mut self.members) {
                self.enqueue(task, true);
            }
            (Undone::LastMerge, self.notes.clone())
        } else {
            self.restarts += 1;
            (self.resumed_paths, self.dropped_at) = (0, None);
            self.cursors.begin_anew();
            self.queue.clear();
            self.abstraction.iter_mut().for_each(Abstraction::clear);
            self.merged_words.clear();
            self.examined.clear();
            self.members.clear();
            self.resumed = None;
            (Undone::Everything, self.first_notes.clone())
        }
    }

    /// The least advanced path, merged with those that it agrees with. `notes` gives the notes so far.
    pub(crate) fn resume(
        &mut self,
        inputs: &mut SymbolicInputs<'_>,
        notes: impl FnOnce() -> Notes,
    ) -> Option<Task> {
        if self.abstraction.is_some() {
            return self.resume_abstract(inputs);
        }
        let (key, mut group) = self.queue.take_first()?;
        self.members.clear();
        self.resumed = Some(key);
        if group.len() == 1 {
            return group.pop();
        }
        self.notes = notes();
        self.members = group.iter_mut().map(Task::fork).collect();
        let (task, rest) = join(inputs, group, &self.layout, &mut self.merged_words);
        for other in rest {
            self.enqueue(other, false);
        }
        Some(task)
    }

    /// The abstract state of the least advanced paths that no explored state includes.
    fn resume_abstract(&mut self, inputs: &mut SymbolicInputs<'_>) -> Option<Task> {
        while let Some((key, group)) = self.queue.take_first() {
            self.resumed = Some(key.clone());
            let abstraction = self.abstraction.as_mut()?;
            let (task, rest) = abstraction.join(inputs, key, group, &self.layout, &mut self.merged_words);
            for other in rest {
                self.enqueue(other, false);
            }
            if task.is_some() {
                self.resumed_paths += 1;
                return task;
            }
        }
        None
    }
}

impl TermHolder for Merging {
    fn roots(&self, roots: &mut Roots) {
        self.queue.roots(roots);
        self.abstraction.iter().for_each(|abstraction| abstraction.roots(roots));
        self.members.iter().for_each(|task| task.roots(roots));
        roots.extend(self.merged_words.keys().copied());
        roots.extend(self.examined.iter().copied());
    }
}

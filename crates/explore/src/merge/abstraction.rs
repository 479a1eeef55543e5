//! Abstraction of paths that meet: abstract interpretation with trace partitioning (Mauborgne and Rival 2005), whose
//! transfer function is symbolic execution.
//!
//! The paths of one key become one state that includes them all: a word in which they differ may have any of the values
//! that it has on one of them, whatever the other words hold, and conditions on several input bytes are kept if all paths
//! have them. Cursors are concrete, and each key is a partition. So the cost follows the number of keys, not of paths, and
//! a direction that no abstract path takes is infeasible. One that an abstract path takes may be infeasible as well: only
//! a test shows that it is not.

use std::collections::BTreeMap;

use everypath_environment::InputOrigin;
use everypath_term::{Input, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::merge::differing::{Differing, differing_word, whole_word};
use crate::merge::inclusion::{common_relations, includes};
use crate::merge::join::Group;
use crate::merge::queue::Key;
use crate::merge::represent::{abstract_word, clear_term, membership};
use crate::merge::value_cache::ValueCache;
use crate::merge::values::PathValues;
use crate::merge::word::{MergedWords, WordLayout};
use crate::path::inputs::SymbolicInputs;
use crate::path::roots::{Roots, TermHolder};
use crate::path::task::Task;

/// After so many explorations from one key, words that still change are widened.
const WIDEN_AFTER: u32 = 16;

/// A state that was explored from a key.
struct Explored {
    task: Task,
    times: u32,
}

/// The abstract states of an exploration.
#[derive(Default)]
pub(super) struct Abstraction {
    explored: BTreeMap<Key, Explored>,
    /// The input bytes that stand for words, with their terms.
    variables: FxHashMap<Input, Term>,
    cache: ValueCache,
}

impl Abstraction {
    /// Drops all states.
    pub(super) fn clear(&mut self) {
        self.explored.clear();
    }

    /// The input bytes of merged words that a term depends on.
    pub(super) fn variables(&self, terms: &Terms, term: Term) -> impl Iterator<Item = Term> {
        terms.inputs(term).iter().filter_map(|input| self.variables.get(&input).copied())
    }

    /// The abstract state of paths at one key, and the paths that it does not include. None if a state that was explored
    /// from there includes all.
    pub(super) fn join(
        &mut self,
        inputs: &mut SymbolicInputs<'_>,
        key: Key,
        mut group: Vec<Task>,
        layout: &WordLayout,
        merged_words: &mut MergedWords,
    ) -> (Option<Task>, Vec<Task>) {
        let known = self.explored.remove(&key);
        let known_times = known.as_ref().map(|known| known.times);
        if let Some(known) = known {
            group.insert(0, known.task);
        }
        let mut group = Group::of(group, layout);
        let joined = self.join_group(inputs, &mut group, layout, merged_words, known_times);
        let rest = std::mem::take(&mut group.rest);
        let mut first = group.members.swap_remove(0);
        let (mut task, times) = match (joined, known_times) {
            (Some(merged), _) => (merged, known_times.unwrap_or(0) + 1),
            (None, Some(times)) => {
                self.explored.insert(key, Explored { task: first, times });
                return (None, rest);
            }
            (None, None) => (first.fork(), 1),
        };
        self.explored.insert(key, Explored { task: task.fork(), times });
        (Some(task), rest)
    }

    /// The state that includes all members; none if the first does. If `known_times` is a number, states were explored that often,
    /// and the first is the last of them.
    fn join_group(
        &mut self,
        inputs: &mut SymbolicInputs<'_>,
        group: &mut Group,
        layout: &WordLayout,
        merged_words: &mut MergedWords,
        known_times: Option<u32>,
    ) -> Option<Task> {
        if group.members.len() == 1 {
            return None;
        }
        let paths: Vec<PathValues> = group
            .members
            .iter()
            .map(|task| {
                let conditions = task.path_condition.conditions().into_iter();
                let own = conditions.filter(|condition| !inputs.unwritten_assumptions.contains(condition));
                PathValues::of(&mut inputs.terms, &mut self.cache, own)
            })
            .collect();
        let mut differing: Vec<Differing> = Vec::new();
        let mut merged = group.members[0].fork();
        for location in std::mem::take(&mut group.words) {
            differing.extend(differing_word(
                inputs,
                &mut group.members,
                &paths,
                location,
                layout,
                &mut self.cache,
            ));
        }
        let relations = common_relations(&paths);
        if known_times.is_some()
            && includes(inputs, &group.members[0], &paths, &relations, &differing, layout)
        {
            return None;
        }
        for one in &mut differing {
            if one.grows && known_times.is_some_and(|times| times >= WIDEN_AFTER) {
                one.values = one.values.widened(one.word.width());
            }
            clear_term(&mut inputs.terms, &mut merged, one.word, layout);
        }
        let assumptions = assumptions(inputs, &group.members);
        let mut mentioned = mentioned(inputs, &merged, relations.iter().chain(&assumptions));
        let mut conditions = common_conditions(inputs, &paths, &mentioned, &relations, assumptions);
        for one in &differing {
            let place = merged.at.place;
            let mut fresh = |inputs: &mut SymbolicInputs<'_>, byte: u32| {
                let number =
                    |copy: u32| InputOrigin::Abstracted { place, location: one.word.location, byte, copy };
                let input = (0..)
                    .map(|copy| inputs.table.number(number(copy)))
                    .find(|input| mentioned.insert(*input));
                let input = input.expect("copies are without end");
                let term = inputs.terms.input(input);
                self.variables.insert(input, term);
                if one.is_number {
                    let whole = whole_word(one.word, layout);
                    merged_words.entry(term).or_default().insert((place, whole));
                }
                input
            };
            abstract_word(inputs, &mut merged, one, layout, &mut fresh, &mut conditions);
        }
        // The next value that is read must be another than any that a path has read.
        group.members.iter().for_each(|task| merged.progress.advance(&task.progress));
        group.conclude(inputs, &mut merged, conditions);
        Some(merged)
    }
}

impl TermHolder for Abstraction {
    fn roots(&self, roots: &mut Roots) {
        self.explored.values().for_each(|known| known.task.roots(roots));
        roots.extend(self.variables.values().copied());
    }
}

/// The conditions that all paths have: these assumptions and relations, and for each input byte that is mentioned, that it has
/// one of the values that it has on some path.
fn common_conditions(
    inputs: &mut SymbolicInputs<'_>,
    paths: &[PathValues],
    mentioned: &FxHashSet<Input>,
    relations: &[Term],
    assumptions: Vec<Term>,
) -> Vec<Term> {
    let mut conditions = assumptions;
    conditions.extend(relations);
    let pinned: FxHashSet<Input> =
        conditions.iter().flat_map(|one| inputs.terms.inputs(*one).iter().collect::<Vec<_>>()).collect();
    let mut kept: Vec<Input> = mentioned.iter().copied().collect();
    kept.sort_unstable();
    for input in kept {
        let either = paths.iter().map(|path| path.byte(input)).reduce(|all, one| all.join(&one));
        let is_relational = relations.iter().any(|one| inputs.terms.inputs(*one).contains(input));
        if let Some(set) = either.filter(|_| is_relational || !pinned.contains(&input)) {
            let byte = inputs.terms.input(input);
            conditions.extend(membership(&mut inputs.terms, byte, set));
        }
    }
    conditions
}

/// The assumptions about uninitialised memory of all members.
fn assumptions(inputs: &SymbolicInputs<'_>, members: &[Task]) -> Vec<Term> {
    let mut seen = FxHashSet::default();
    let all = members.iter().flat_map(|task| task.path_condition.conditions());
    all.filter(|condition| inputs.unwritten_assumptions.contains(condition) && seen.insert(*condition))
        .collect()
}

/// The input bytes that a state and these conditions mention.
fn mentioned<'c>(
    inputs: &SymbolicInputs<'_>,
    task: &Task,
    conditions: impl Iterator<Item = &'c Term>,
) -> FxHashSet<Input> {
    let terms: FxHashSet<Term> =
        task.state.terms().chain(task.oracles.terms()).chain(conditions.copied()).collect();
    terms.into_iter().flat_map(|term| inputs.terms.inputs(term).iter().collect::<Vec<_>>()).collect()
}

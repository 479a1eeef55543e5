//! Exact state merging (Hansen, Schachte and Søndergaard 2009): the disjunction of the path conditions, and an if-then-else
//! over them for each word that differs.

use std::collections::BTreeSet;

use everypath_ir::{Bits, Location, Op, Place, Width};
use everypath_term::{Term, Terms};
use rustc_hash::FxHashSet;

use crate::merge::word::{MergedWords, StateWord, WordLayout};
use crate::path::inputs::SymbolicInputs;
use crate::path::task::Task;

/// Paths of one key that can be merged.
pub(super) struct Group {
    pub(super) members: Vec<Task>,
    /// Those that cannot be merged with the first.
    pub(super) rest: Vec<Task>,
    /// The words in which members differ.
    pub(super) words: BTreeSet<Location>,
}

impl Group {
    /// Divides paths of one key.
    pub(super) fn of(group: Vec<Task>, layout: &WordLayout) -> Group {
        let (mut members, mut rest, mut words) = (Vec::<Task>::new(), Vec::new(), BTreeSet::new());
        for task in group {
            let differing = match members.first() {
                None => Some(BTreeSet::new()),
                Some(first) if first.can_join(&task) => first.state.differing_words(&task.state, layout.size),
                Some(_) => None,
            };
            match differing {
                Some(differing) => {
                    words.extend(differing);
                    members.push(task);
                }
                None => rest.push(task),
            }
        }
        Group { members, rest, words }
    }

    /// Makes the first member, as it was merged, stand for all under these conditions.
    pub(super) fn conclude(&self, inputs: &mut SymbolicInputs<'_>, merged: &mut Task, conditions: Vec<Term>) {
        debug_assert!(
            {
                inputs.evaluation.set_model(merged.model.clone());
                conditions.iter().all(|condition| inputs.evaluation.holds(&inputs.terms, *condition))
            },
            "the model of a merged path satisfies its conditions"
        );
        let instructions = self.members.iter().map(|task| task.instructions).max().unwrap_or(0);
        let decisions = self.members.iter().map(Task::decisions).max().unwrap_or(0);
        let used = self.members.iter().map(|task| (task.used.aliases, task.used.targets));
        let used = used.fold((0, 0), |most, one| (most.0.max(one.0), most.1.max(one.1)));
        inputs.make_merged(merged, conditions, (instructions, decisions), used);
    }
}

/// Merges paths that agree in their key. Returns the merged path, and those that cannot be merged with it.
pub(super) fn join(
    inputs: &mut SymbolicInputs<'_>,
    group: Vec<Task>,
    layout: &WordLayout,
    merged_words: &mut MergedWords,
) -> (Task, Vec<Task>) {
    let mut group = Group::of(group, layout);
    let members = &mut group.members;
    let conditions: Vec<Vec<Term>> = members.iter().map(|task| task.path_condition.conditions()).collect();
    let (mut common, guards) = factor(inputs, conditions);
    let mut merged = members[0].fork();
    for location in std::mem::take(&mut group.words) {
        merge_word(inputs, members, &guards, location, layout, (&mut merged, &mut common), merged_words);
    }
    let either = guards.iter().copied().reduce(|all, guard| inputs.terms.or(all, guard));
    common.extend(either.filter(|either| !inputs.terms.is_constant(*either)));
    group.conclude(inputs, &mut merged, common);
    (merged, group.rest)
}

/// The conditions that all paths have, and for each path the conjunction of the others. Assumptions about uninitialised
/// memory hold for all: a path that has not read a byte does not depend on it.
fn factor(inputs: &mut SymbolicInputs<'_>, conditions: Vec<Vec<Term>>) -> (Vec<Term>, Vec<Term>) {
    let mut shared: FxHashSet<Term> = conditions[0].iter().copied().collect();
    for other in &conditions[1..] {
        let other: FxHashSet<Term> = other.iter().copied().collect();
        shared.retain(|condition| other.contains(condition));
    }
    let assumed = conditions.iter().flatten().filter(|one| inputs.unwritten_assumptions.contains(one));
    shared.extend(assumed.copied());
    let (mut common, mut seen) = (Vec::new(), FxHashSet::default());
    for condition in conditions.iter().flatten() {
        if shared.contains(condition) && seen.insert(*condition) {
            common.push(*condition);
        }
    }
    let terms = &mut inputs.terms;
    let truth = terms.constant_u64(1, Width::W1);
    let guards = conditions.into_iter().map(|conditions| {
        let own = conditions.into_iter().filter(|condition| !shared.contains(condition));
        own.fold(truth, |all, condition| terms.and(all, condition))
    });
    let guards = guards.collect();
    (common, guards)
}

/// A word of one path.
struct Contents {
    bits: Bits,
    term: Option<Term>,
}

/// Merges one word.
fn merge_word(
    inputs: &mut SymbolicInputs<'_>,
    members: &mut [Task],
    guards: &[Term],
    location: Location,
    layout: &WordLayout,
    (merged, common): (&mut Task, &mut Vec<Term>),
    merged_words: &mut MergedWords,
) {
    let (place, endian) = (merged.at.place, layout.endian(location));
    'pieces: for word in layout.pieces(members, location) {
        let (location, width) = (word.location, word.width());
        let mut contents = Vec::with_capacity(members.len());
        for task in members.iter_mut() {
            if word.size == 1 && task.state.is_unset(location) {
                let is_assumed = task.state.is_assumed(location);
                let input = inputs.table.unwritten(location, is_assumed);
                let term = inputs.terms.input(input);
                let value = task.model.get(input);
                // As if the path had read it: its value is assumed, unless uninitialised memory is input.
                let same = inputs.is_number(term, u64::from(value));
                if (is_assumed || !inputs.unwritten_is_input) && !common.contains(&same) {
                    if !is_assumed {
                        inputs.unwritten_assumptions.insert(same);
                    }
                    common.push(same);
                }
                let held = task.state.get(location, width, endian).unwrap_or_else(|_| Bits::zero(width));
                let constant = inputs.terms.constant(&held);
                let term = inputs.terms.apply(Op::Xor, width, &[term, constant]);
                let value = u64::from(value) ^ held.to_u64().unwrap_or(0);
                contents.push(Contents { bits: Bits::from_u64(value, width), term: Some(term) });
                continue;
            }
            // What the program may not read decides nothing.
            let Ok(bits) = task.state.get(location, width, endian) else { continue 'pieces };
            let shadow = task.state.shadow(location.space);
            let term = shadow.read(&mut inputs.terms, location.offset, &bits, endian);
            contents.push(Contents { bits, term });
        }
        let Some(term) = select(&mut inputs.terms, &contents, guards) else { continue };
        // Memory that the program may not write may be initialised on one path only: by a read, which is an assumption.
        merged.state.put_anyway(location, &contents[0].bits, endian);
        let symbolic = (!inputs.terms.is_constant(term)).then_some(term);
        merged.state.shadow_mut(location.space).write(
            &mut inputs.terms,
            location.offset,
            width,
            symbolic,
            endian,
        );
        if let Some(term) = symbolic {
            register((place, word), &contents, term, merged_words);
        }
    }
}

/// Registers what a merged word is now, to find it in addresses. Only what was concrete, at this merge or an earlier one,
/// can be kept so.
fn register(of: (Place, StateWord), contents: &[Contents], term: Term, merged_words: &mut MergedWords) {
    let mut words = BTreeSet::new();
    let mut concrete = contents.iter().filter(|one| one.term.is_none()).map(|one| &one.bits);
    let first = concrete.next();
    let earlier = || contents.iter().filter_map(|one| merged_words.get(&one.term?));
    if concrete.any(|bits| Some(bits) != first) || first.is_some() && earlier().next().is_some() {
        words.insert(of);
    }
    // A copy of another word is not that word.
    words.extend(earlier().flatten().filter(|(_, word)| *word == of.1).copied());
    if words.is_empty() {
        return;
    }
    merged_words.entry(term).or_default().extend(&words);
}

/// The value that each path has under its guard; none if all have the same.
fn select(terms: &mut Terms, contents: &[Contents], guards: &[Term]) -> Option<Term> {
    let mut values: Vec<(Term, Term)> = Vec::new();
    for (one, guard) in contents.iter().zip(guards) {
        let value = match one.term {
            Some(term) => term,
            None => terms.constant(&one.bits),
        };
        match values.iter_mut().find(|(known, _)| *known == value) {
            Some((_, under)) => *under = terms.or(*under, *guard),
            None => values.push((value, *guard)),
        }
    }
    let (last, _) = values.pop().filter(|_| !values.is_empty())?;
    let chosen =
        values.into_iter().fold(last, |otherwise, (value, guard)| terms.select(guard, value, otherwise));
    Some(chosen)
}

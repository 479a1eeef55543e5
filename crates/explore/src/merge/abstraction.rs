//! Abstraction of paths that meet: abstract interpretation with trace partitioning (Mauborgne and Rival 2005), whose
//! transfer function is symbolic execution.
//!
//! The paths of one key become one state that includes them all: a word in which they differ may have any of the values
//! that it has on one of them, whatever the other words hold, and conditions on several input bytes are kept if all paths
//! have them. Cursors are concrete, and each key is a partition. So the cost follows the number of keys, not of paths, and
//! a direction that no abstract path takes is infeasible. One that an abstract path takes may be infeasible as well: only
//! a test shows that it is not.

use std::collections::{BTreeMap, BTreeSet};

use everypath_environment::InputOrigin;
use everypath_ir::{Bits, Location, Op, Width};
use everypath_term::{ByteSet, Input, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::merge::join::Group;
use crate::merge::queue::Key;
use crate::merge::values::{Attained, ByteSetCache, PathValues, Values};
use crate::merge::word::{MergedWords, Word, WordLayout};
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
    cache: ByteSetCache,
}

/// A word in which paths differ.
struct Differing {
    word: Word,
    values: Values,
    /// Whether it has values that it did not have on the first path.
    grows: bool,
    /// Whether it is a number on every path, so that it can be kept concrete.
    is_number: bool,
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
        let times = known.as_ref().map_or(0, |known| known.times);
        let is_known = known.is_some();
        if let Some(known) = known {
            group.insert(0, known.task);
        }
        let mut group = Group::of(group, layout);
        let joined = self.join_group(inputs, &mut group, layout, merged_words, is_known, times);
        let rest = std::mem::take(&mut group.rest);
        let mut first = group.members.swap_remove(0);
        let (mut task, times) = match joined {
            Some(merged) => (merged, times + 1),
            None if is_known => {
                self.explored.insert(key, Explored { task: first, times });
                return (None, rest);
            }
            None => (first.fork(), 1),
        };
        self.explored.insert(key, Explored { task: task.fork(), times });
        (Some(task), rest)
    }

    /// The state that includes all members; none if the first does. If `is_known`, that was explored.
    fn join_group(
        &mut self,
        inputs: &mut SymbolicInputs<'_>,
        group: &mut Group,
        layout: &WordLayout,
        merged_words: &mut MergedWords,
        is_known: bool,
        times: u32,
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
                PathValues::of(&mut inputs.terms, &mut inputs.evaluation, &mut self.cache, own)
            })
            .collect();
        let mut differing: Vec<Differing> = Vec::new();
        let mut merged = group.members[0].fork();
        for location in std::mem::take(&mut group.words) {
            differing.extend(differing_word(inputs, &mut group.members, &paths, location, layout));
        }
        let relations = common_relations(&paths);
        if is_known && includes(inputs, &group.members[0], &paths, &relations, &differing, layout) {
            return None;
        }
        for one in &mut differing {
            if times >= WIDEN_AFTER && one.grows {
                one.values = one.values.widened(one.word.width());
            }
            clear_term(&mut inputs.terms, &mut merged, one.word, layout);
        }
        let assumptions = assumptions(inputs, &group.members);
        let mut mentioned = mentioned(inputs, &merged, relations.iter().chain(&assumptions));
        let mut conditions = assumptions;
        conditions.extend(&relations);
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
                    let whole = Word { size: layout.size as u8, ..whole_word(one.word, layout) };
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

/// The word that a piece belongs to.
fn whole_word(word: Word, layout: &WordLayout) -> Word {
    let offset = word.location.offset - word.location.offset % layout.size;
    Word { location: Location { offset, ..word.location }, ..word }
}

/// The pieces of a word in which members differ, with the values that they have.
fn differing_word(
    inputs: &mut SymbolicInputs<'_>,
    members: &mut [Task],
    paths: &[PathValues],
    location: Location,
    layout: &WordLayout,
) -> Vec<Differing> {
    let endian = layout.endian(location);
    let mut found = Vec::new();
    'pieces: for word in pieces(inputs, members, location, layout) {
        let (location, width) = (word.location, word.width());
        let mut contents: Vec<Option<(u64, Option<Term>)>> = Vec::new();
        for task in members.iter_mut() {
            if word.size == 1 && task.state.is_unset(location) {
                contents.push(None);
                continue;
            }
            // What the program may not read decides nothing.
            let Ok(bits) = task.state.get(location, width, endian) else { continue 'pieces };
            let term =
                task.state.shadow(location.space).read(&mut inputs.terms, location.offset, &bits, endian);
            contents.push(Some((bits.to_u64().unwrap_or(0), term)));
        }
        let is_same = |one: &Option<(u64, Option<Term>)>| match (one, &contents[0]) {
            (Some((_, Some(ours))), Some((_, Some(first)))) => ours == first,
            (Some((ours, None)), Some((first, None))) => ours == first,
            (None, None) => true,
            _ => false,
        };
        if contents.iter().all(is_same) {
            continue;
        }
        let mut values = contents.iter().zip(paths).map(|(content, path)| match content {
            // Uninitialised memory, and what depends on it or on other assumptions, may be anything.
            None => Values::all(width),
            Some((value, None)) => Values::Listed(BTreeSet::from([*value])),
            Some((_, Some(term))) if !inputs.is_input_only(*term) => Values::all(width),
            Some((_, Some(term))) => path.values(&inputs.terms, &mut inputs.evaluation, *term),
        });
        let first = values.next().unwrap_or_else(|| Values::all(width));
        let others: Vec<Values> = values.collect();
        // What is uninitialised on the first path, or depends on an assumption there, is not known to have any value.
        let attained = match contents[0] {
            Some((value, None)) => Some(Attained::Listed(BTreeSet::from([value]))),
            Some((_, Some(term))) if inputs.is_input_only(term) => {
                paths[0].attained(&mut inputs.terms, &mut inputs.evaluation, (term, word.size))
            }
            _ => None,
        };
        let grows = !attained.is_some_and(|attained| others.iter().all(|other| attained.contains(other)));
        let all = others.into_iter().fold(first, Values::join);
        let whole = whole_word(word, layout).location;
        let was_number = |term: Term| {
            let inputs_of = inputs.terms.inputs(term).iter();
            let origins = inputs_of.filter_map(|input| inputs.table.origin(input));
            origins
                .into_iter()
                .any(|origin| matches!(origin, InputOrigin::Abstracted { location, .. } if location == whole))
        };
        let is_number = contents.iter().flatten().all(|(_, term)| term.is_none_or(was_number));
        found.push(Differing { word, values: all, grows, is_number });
    }
    found
}

/// A word, or its bytes if some path has a byte there that is a value of its own, such as a character or a flag.
fn pieces(
    inputs: &SymbolicInputs<'_>,
    members: &mut [Task],
    location: Location,
    layout: &WordLayout,
) -> Vec<Word> {
    let byte = |distance: u64| Location { offset: location.offset + distance, ..location };
    let is_byte = |task: &Task, distance: u64| {
        let held = task.state.shadow(location.space).get(byte(distance).offset);
        held.is_some_and(|held| inputs.terms.width(held.term) == Width::W8)
    };
    if members.iter().any(|task| (0..layout.size).any(|distance| is_byte(task, distance))) {
        return (0..layout.size).map(|distance| Word { location: byte(distance), size: 1 }).collect();
    }
    layout.pieces(members, location)
}

/// The conditions on several bytes that all paths have.
fn common_relations(paths: &[PathValues]) -> Vec<Term> {
    let mut common: Vec<Term> = paths[0].relations.clone();
    for other in &paths[1..] {
        let other: FxHashSet<Term> = other.relations.iter().copied().collect();
        common.retain(|condition| other.contains(condition));
    }
    common
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

/// Whether the first path, which was explored, includes the others: each has its conditions, and each word in which one
/// differs has all of its values on the first path, whatever the other words hold.
fn includes(
    inputs: &SymbolicInputs<'_>,
    first: &Task,
    paths: &[PathValues],
    relations: &[Term],
    differing: &[Differing],
    layout: &WordLayout,
) -> bool {
    let (ours, others) = (&paths[0], &paths[1..]);
    if differing.iter().any(|one| one.grows) || relations.len() < ours.relations.len() {
        return false;
    }
    let has_all = |(input, set): (&Input, &ByteSet)| {
        others.iter().all(|other| {
            let theirs = other.byte(*input);
            set.join(&theirs) == *set
        })
    };
    // The differing pieces in which each input byte occurs; none is everything else. One that occurs in a differing piece must
    // occur nowhere else: otherwise each piece may have its value, and the pieces together not.
    let piece_of = |byte: Location| {
        differing.iter().position(|one| {
            let Word { location, size } = one.word;
            location.space == byte.space && byte.offset.wrapping_sub(location.offset) < u64::from(size)
        })
    };
    let mut occurs: FxHashMap<Input, BTreeSet<Option<usize>>> = FxHashMap::default();
    for space in layout.spaces() {
        for (offset, byte) in first.state.shadow(space).iter() {
            let piece = piece_of(Location { space, offset });
            for input in inputs.terms.inputs(byte.term).iter() {
                occurs.entry(input).or_default().insert(piece);
            }
        }
    }
    for condition in relations.iter().copied().chain(first.oracles.terms()) {
        for input in inputs.terms.inputs(condition).iter() {
            occurs.entry(input).or_default().insert(None);
        }
    }
    let is_free = |input: &Input| occurs.get(input).is_some_and(|pieces| pieces.iter().any(Option::is_some));
    occurs.iter().all(|(input, pieces)| pieces.len() == 1 || !is_free(input))
        && ours.bytes.iter().filter(|(input, _)| occurs.contains_key(input) && !is_free(input)).all(has_all)
}

fn clear_term(terms: &mut Terms, task: &mut Task, word: Word, layout: &WordLayout) {
    let endian = layout.endian(word.location);
    let shadow = task.state.shadow_mut(word.location.space);
    shadow.write(terms, word.location.offset, word.width(), None, endian);
}

/// Gives a word of the merged path fresh input bytes, with conditions that they have its values.
fn abstract_word(
    inputs: &mut SymbolicInputs<'_>,
    merged: &mut Task,
    differing: &Differing,
    layout: &WordLayout,
    fresh: &mut dyn FnMut(&mut SymbolicInputs<'_>, u32) -> Input,
    conditions: &mut Vec<Term>,
) {
    let Differing { word, values, .. } = differing;
    let (location, width) = (word.location, word.width());
    let endian = layout.endian(location);
    let held = merged.state.get(location, width, endian).ok().and_then(|bits| bits.to_u64()).unwrap_or(0);
    let mut byte =
        |inputs: &mut SymbolicInputs<'_>, merged: &mut Task, number: u32, set: ByteSet, value: u64| {
            let input = fresh(inputs, number);
            merged.model.set(input, value as u8);
            let term = inputs.terms.input(input);
            conditions.extend(membership(&mut inputs.terms, term, set));
            term
        };
    let term = match values.offsets(width) {
        Some((base, offsets)) => {
            let mask = u64::MAX >> (64 - width.bits());
            let offset = byte(inputs, merged, 0, offsets, held.wrapping_sub(base) & mask);
            let wide =
                if width == Width::W8 { offset } else { inputs.terms.apply(Op::Zext, width, &[offset]) };
            let base = inputs.terms.constant_u64(base, width);
            inputs.terms.apply(Op::Add, width, &[wide, base])
        }
        None => {
            let mut joined: Option<Term> = None;
            for (number, set) in values.bytes(usize::from(word.size)).into_iter().enumerate() {
                let value = held >> (8 * number) & 0xff;
                let part = match set.only() {
                    Some(only) => inputs.terms.constant_u64(u64::from(only), Width::W8),
                    None => byte(inputs, merged, number as u32, set, value),
                };
                joined = Some(joined.map_or(part, |low| inputs.terms.concat(part, low)));
            }
            joined.expect("a word has bytes")
        }
    };
    // An uninitialised byte becomes an initialised one.
    let bits = Bits::from_u64(held, width);
    if merged.state.put(location, &bits, endian).is_ok() {
        let shadow = merged.state.shadow_mut(location.space);
        shadow.write(&mut inputs.terms, location.offset, width, Some(term), endian);
    }
}

/// The conditions that a byte is one of a set: bounds, and a disjunction of runs if there are gaps.
fn membership(terms: &mut Terms, byte: Term, set: ByteSet) -> Vec<Term> {
    if set == ByteSet::ALL || set.is_empty() {
        return Vec::new();
    }
    let mut between = |first: u8, last: u8| {
        let mut parts = Vec::new();
        let [least, greatest] = [first, last].map(|value| terms.constant_u64(u64::from(value), Width::W8));
        if first == last {
            return vec![terms.eq(byte, least)];
        }
        if first > 0 {
            parts.push(terms.apply(Op::Ule, Width::W1, &[least, byte]));
        }
        if last < 255 {
            parts.push(terms.apply(Op::Ule, Width::W1, &[byte, greatest]));
        }
        parts
    };
    let (least, greatest) = set.range();
    let mut conditions = between(least, greatest);
    let mut runs: Vec<(u8, u8)> = Vec::new();
    set.for_each(|value| match runs.last_mut() {
        Some((_, last)) if u16::from(*last) + 1 == u16::from(value) => *last = value,
        _ => runs.push((value, value)),
    });
    if runs.len() > 1 {
        let parts: Vec<Vec<Term>> = runs.into_iter().map(|(first, last)| between(first, last)).collect();
        let runs: Vec<Term> = parts
            .into_iter()
            .map(|parts| {
                parts.into_iter().reduce(|all, part| terms.and(all, part)).expect("a run is bounded")
            })
            .collect();
        conditions.extend(runs.into_iter().reduce(|all, run| terms.or(all, run)));
    }
    conditions
}

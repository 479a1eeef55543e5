//! The words in which paths differ, and the values that they have on them.

use std::rc::Rc;

use everypath_environment::InputOrigin;
use everypath_ir::{Location, Width};
use everypath_term::Term;

use crate::merge::value_cache::ValueCache;
use crate::merge::values::{MayValues, MustValues, PathValues};
use crate::merge::word::{StateWord, WordLayout};
use crate::path::inputs::SymbolicInputs;
use crate::path::task::Task;

/// A word in which paths differ.
pub(super) struct Differing {
    pub(super) word: StateWord,
    pub(super) values: MayValues,
    /// Whether it has values that it did not have on the first path.
    pub(super) grows: bool,
    /// Whether it is a number on every path, so that it can be kept concrete.
    pub(super) is_number: bool,
}

/// The word that a piece belongs to.
pub(super) fn whole_word(word: StateWord, layout: &WordLayout) -> StateWord {
    let offset = word.location.offset - word.location.offset % layout.size;
    StateWord { location: Location { offset, ..word.location }, size: layout.size as u8 }
}

/// The pieces of a word in which members differ, with the values that they have.
pub(super) fn differing_word(
    inputs: &mut SymbolicInputs<'_>,
    members: &mut [Task],
    paths: &[PathValues],
    location: Location,
    layout: &WordLayout,
    cache: &mut ValueCache,
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
            None => MayValues::all(width),
            Some((value, None)) => MayValues::only(*value),
            Some((_, Some(term))) if !inputs.is_input_only(*term) => MayValues::all(width),
            Some((_, Some(term))) => path.may_values(&inputs.terms, &mut inputs.evaluation, cache, *term),
        });
        let first = values.next().unwrap_or_else(|| MayValues::all(width));
        let others: Vec<MayValues> = values.collect();
        // What is uninitialised on the first path, or depends on an assumption there, is not known to have any value.
        let certain = match contents[0] {
            Some((value, None)) => Some(MustValues::Listed(Rc::new([value]))),
            Some((_, Some(term))) if inputs.is_input_only(term) => {
                paths[0].must_values(&mut inputs.terms, &mut inputs.evaluation, cache, (term, word.size))
            }
            _ => None,
        };
        let grows = !certain.is_some_and(|certain| others.iter().all(|other| certain.contains(other)));
        let all = others.into_iter().fold(first, MayValues::join);
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
) -> Vec<StateWord> {
    let byte = |distance: u64| Location { offset: location.offset + distance, ..location };
    let is_byte = |task: &Task, distance: u64| {
        let held = task.state.shadow(location.space).get(byte(distance).offset);
        held.is_some_and(|held| inputs.terms.width(held.term) == Width::W8)
    };
    if members.iter().any(|task| (0..layout.size).any(|distance| is_byte(task, distance))) {
        return (0..layout.size).map(|distance| StateWord { location: byte(distance), size: 1 }).collect();
    }
    layout.pieces(members, location)
}

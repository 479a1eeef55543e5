//! Abstract subsumption checking (Anand, Păsăreanu and Visser 2006): whether an explored abstract state includes every state
//! of these paths.

use std::collections::BTreeSet;

use everypath_ir::Location;
use everypath_term::{ByteSet, Input, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::merge::differing::Differing;
use crate::merge::values::PathValues;
use crate::merge::word::{StateWord, WordLayout};
use crate::path::inputs::SymbolicInputs;
use crate::path::task::Task;

/// The conditions on several bytes that all paths have.
pub(super) fn common_relations(paths: &[PathValues]) -> Vec<Term> {
    let mut common: Vec<Term> = paths[0].relations.clone();
    for other in &paths[1..] {
        let other: FxHashSet<Term> = other.relations.iter().copied().collect();
        common.retain(|condition| other.contains(condition));
    }
    common
}

/// Whether the first path, which was explored, includes the others: each has its conditions, and each word in which one
/// differs has all of its values on the first path, whatever the other words hold.
pub(super) fn includes(
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
            let StateWord { location, size } = one.word;
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

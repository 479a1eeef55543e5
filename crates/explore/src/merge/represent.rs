//! Terms that stand for any of the values of a word: fresh input bytes, with conditions that they have these values.

use everypath_ir::{Bits, Op, Width, Word};
use everypath_term::{ByteSet, Input, Term, Terms};

use crate::merge::clusters::{Cluster, clusters};
use crate::merge::differing::Differing;
use crate::merge::word::{StateWord, WordLayout};
use crate::path::inputs::SymbolicInputs;
use crate::path::task::Task;

/// Forgets on what a word depends.
pub(super) fn clear_term(terms: &mut Terms, task: &mut Task, word: StateWord, layout: &WordLayout) {
    let endian = layout.endian(word.location);
    let shadow = task.state.shadow_mut(word.location.space);
    shadow.write(terms, word.location.offset, word.width(), None, endian);
}

/// Gives a word of the merged path fresh input bytes, with conditions that they have its values.
pub(super) fn abstract_word(
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
    let clusters = clusters(values, width).and_then(|clusters| {
        let index = clusters.iter().find_map(|cluster| cluster.index(held, u64::mask(width)));
        debug_assert!(index.is_some(), "a word has one of its values");
        index.map(|index| (clusters, index))
    });
    let term = match clusters {
        Some((clusters, index)) => {
            // An index for each value: bytes of their own would have combinations that no path has.
            let indices: ByteSet = clusters.iter().flat_map(Cluster::indices).collect();
            let index = byte(inputs, merged, 0, indices, u64::from(index));
            value_of_index(&mut inputs.terms, index, &clusters, width)
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
    merged.state.put_anyway(location, &bits, endian);
    let shadow = merged.state.shadow_mut(location.space);
    shadow.write(&mut inputs.terms, location.offset, width, Some(term), endian);
}

/// The value of a word that has this index.
fn value_of_index(terms: &mut Terms, index: Term, clusters: &[Cluster], width: Width) -> Term {
    let wide = if width == Width::W8 { index } else { terms.apply(Op::Zext, width, &[index]) };
    let value = |terms: &mut Terms, cluster: &Cluster| {
        let base = terms.constant_u64(cluster.base.wrapping_sub(u64::from(cluster.first_index)), width);
        terms.apply(Op::Add, width, &[wide, base])
    };
    let mut term = value(terms, &clusters[0]);
    for cluster in &clusters[1..] {
        let first = terms.constant_u64(u64::from(cluster.first_index), Width::W8);
        let is_in_cluster = terms.apply(Op::Ule, Width::W1, &[first, index]);
        let in_cluster = value(terms, cluster);
        term = terms.select(is_in_cluster, in_cluster, term);
    }
    term
}

/// The conditions that a byte is one of a set: bounds, and a disjunction of runs if there are gaps.
pub(super) fn membership(terms: &mut Terms, byte: Term, set: ByteSet) -> Vec<Term> {
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

//! The variables of a loop: the bytes that an iteration changes, and the words that they form.

use std::collections::{BTreeMap, BTreeSet};

use everypath_environment::InputOrigin;
use everypath_ir::{Location, Place, Width};
use everypath_machine::TermByte;
use everypath_term::{Input, Model, Term};
use rustc_hash::FxHashMap;

use crate::path::inputs::SymbolicInputs;
use crate::path::task::Task;

/// Tells these inputs from those of an abstraction at the same place.
const COPY: u32 = u32::MAX;

/// A variable of some bytes in a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoopWord {
    pub(super) location: Location,
    pub(super) width: Width,
    /// Its value in terms of its bytes.
    pub(super) term: Term,
}

/// The variables of a loop.
pub(super) struct Variables {
    /// The input that stands for each byte.
    inputs: BTreeMap<Location, Input>,
    /// The values of these inputs in the concrete state.
    pub(super) model: Model,
}

impl Variables {
    /// Makes these bytes of a concrete state variables.
    pub(super) fn put(
        inputs: &mut SymbolicInputs<'_>,
        task: &mut Task,
        head: Place,
        bytes: &BTreeSet<Location>,
    ) -> Variables {
        let mut variables = Variables { inputs: BTreeMap::new(), model: Model::new() };
        for location in bytes {
            let origin = InputOrigin::Abstracted { place: head, location: *location, byte: 0, copy: COPY };
            let input = inputs.table.number(origin);
            let term = inputs.terms.input(input);
            variables.model.set(input, task.state.peek(*location, 1) as u8);
            variables.inputs.insert(*location, input);
            let byte = TermByte { term, byte: 0 };
            task.state.shadow_mut(location.space).set(location.offset, Some(byte));
        }
        variables
    }

    /// For each variable, its contents in a state after an iteration.
    pub(super) fn after(&self, inputs: &mut SymbolicInputs<'_>, task: &Task) -> FxHashMap<Input, Term> {
        let mut content = |(location, input): (&Location, &Input)| {
            let term = match task.state.shadow(location.space).get(location.offset) {
                Some(origin) => inputs.terms.byte(origin.term, u32::from(origin.byte)),
                None => inputs.terms.constant_u64(task.state.peek(*location, 1), Width::W8),
            };
            (*input, term)
        };
        self.inputs.iter().map(&mut content).collect()
    }

    /// The words that the bytes form: aligned, and as wide as may be.
    pub(super) fn words(&self, inputs: &mut SymbolicInputs<'_>) -> Vec<LoopWord> {
        let mut bytes: BTreeSet<Location> = self.inputs.keys().copied().collect();
        let mut words = Vec::new();
        while let Some(first) = bytes.first().copied() {
            let part = |distance: u64| Location { offset: first.offset.wrapping_add(distance), ..first };
            let fits = |size: &u64| {
                first.offset.is_multiple_of(*size)
                    && (0..*size).all(|distance| bytes.contains(&part(distance)))
            };
            let size = [8, 4, 2].into_iter().find(fits).unwrap_or(1);
            let endian = inputs.guest.architecture().layout()[first.space].endian;
            let places = (0..size as usize).map(|byte| part(endian.place(byte, size as usize) as u64));
            let terms: Vec<Term> =
                places.map(|location| inputs.terms.input(self.inputs[&location])).collect();
            let whole = terms.into_iter().reduce(|low, high| inputs.terms.concat(high, low));
            if let Some(term) = whole {
                words.push(LoopWord { location: first, width: inputs.terms.width(term), term });
            }
            (0..size).for_each(|distance| {
                bytes.remove(&part(distance));
            });
        }
        words
    }
}

/// A word in the user's terms: the register that it is, or its address.
pub(super) fn name_of(inputs: &SymbolicInputs<'_>, word: &LoopWord) -> String {
    let architecture = inputs.guest.architecture();
    let mut registers = architecture.registers();
    let is_it = |(_, location, width): &(&str, Location, Width)| {
        *location == word.location && width.bytes() == word.width.bytes()
    };
    match registers.find(|register| is_it(register)) {
        Some((name, ..)) => name.to_owned(),
        None => {
            let space = &architecture.layout()[word.location.space].name;
            format!("{space}[{:#x}, {}]", word.location.offset, word.width.bytes())
        }
    }
}

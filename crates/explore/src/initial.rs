//! Input that is there at the start: its terms, and what is known of its pointers.

use std::collections::HashMap;

use everypath_environment::{InitialInput, InitialInputs, Inputs, Origin, PointerInput};
use everypath_ir::{Bits, Location, Op, Width};
use everypath_machine::State;
use everypath_term::{Model, Term, Terms};

use crate::trail::Trail;

/// Makes what holds input depend on it; gives the pointers with their terms, and the input of the first run: zeros, but
/// for pointers that may not be null. What pointers may point to goes on the trail.
pub(crate) fn give_input(
    initial: &InitialInputs,
    state: &mut State,
    terms: &mut Terms,
    inputs: &mut Inputs,
    trail: &mut Trail,
) -> (Vec<(PointerInput, Term)>, Model) {
    let mut held = HashMap::new();
    let mut model = Model::new();
    for (number, input) in initial.values.iter().enumerate() {
        for byte in 0..input.size {
            let origin = Origin::Initial { input: number as u32, byte: byte as u32 };
            let (input_number, offset) = (inputs.number(origin), input.location.offset.wrapping_add(byte));
            let term = terms.input(input_number);
            held.insert(Location { offset, ..input.location }, input_number);
            if let Some(memory) = state.memory(input.location.space) {
                memory.poke(offset, 0);
            }
            let origin = everypath_machine::Origin { term, byte: 0 };
            state.shadow_mut(input.location.space).set(offset, Some(origin));
        }
        extend(input, state, terms);
    }
    let mut pointers = Vec::new();
    for pointer in &initial.pointers {
        let Some(term) = word(pointer, state, terms) else { continue };
        let mut allowed = terms.truth(false);
        for target in pointer.targets.iter().copied().chain(pointer.null.then_some(0)) {
            let target = terms.constant_u64(target, pointer.width);
            let same = terms.eq(term, target);
            allowed = terms.or(allowed, same);
        }
        trail.push(allowed);
        if let Some(first) = pointer.targets.first().filter(|_| !pointer.null) {
            let size = pointer.width.bytes();
            for byte in 0..size {
                let place = pointer.endian.place(byte, size) as u64;
                let offset = pointer.location.offset.wrapping_add(place);
                if let Some(input) = held.get(&Location { offset, ..pointer.location }) {
                    model.set(*input, (first >> (8 * byte)) as u8);
                }
            }
        }
        pointers.push((pointer.clone(), term));
    }
    (pointers, model)
}

/// Takes what holds zero at the start as a premise: that is in its terms, so that it is known of each decision whether it
/// depends on it.
pub(crate) fn take_as_zero(
    location: Location,
    size: usize,
    state: &mut State,
    terms: &mut Terms,
    inputs: &mut Inputs,
    trail: &mut Trail,
) {
    for byte in 0..size as u64 {
        let location = Location { offset: location.offset.wrapping_add(byte), ..location };
        let term = terms.input(inputs.number(Origin::Changed { location, ordinal: 0 }));
        let origin = everypath_machine::Origin { term, byte: 0 };
        state.shadow_mut(location.space).set(location.offset, Some(origin));
        let zero = terms.constant_u64(0, Width::W8);
        trail.push(terms.eq(term, zero));
    }
}

/// Gives the other bytes of a register the sign of the input in its low bytes, if the caller extends it so.
fn extend(input: &InitialInput, state: &mut State, terms: &mut Terms) {
    let Some((whole, width)) = input.sign_extended else { return };
    let Some(narrow) = Width::new(8 * input.size as u32) else { return };
    let shadow = state.shadow(input.location.space);
    let Some(low) = shadow.read(terms, input.location.offset, &Bits::zero(narrow), input.endian) else {
        return;
    };
    let term = terms.apply(Op::Sext, width, &[low]);
    for byte in narrow.bytes()..width.bytes() {
        let offset = whole.offset.wrapping_add(input.endian.place(byte, width.bytes()) as u64);
        let origin = everypath_machine::Origin { term, byte: byte as u8 };
        state.shadow_mut(whole.space).set(offset, Some(origin));
    }
}

/// The term of a pointer, whose bytes are input.
fn word(pointer: &PointerInput, state: &State, terms: &mut Terms) -> Option<Term> {
    let shadow = state.shadow(pointer.location.space);
    shadow.read(terms, pointer.location.offset, &Bits::zero(pointer.width), pointer.endian)
}

//! Symbolic input at the entry: registers and memory that hold input, and the constraints on input pointers.

use std::collections::HashMap;

use everypath_environment::{
    AssumedRegister, InitialInput, InitialInputs, InputOrigin, InputTable, PointerInput,
};
use everypath_ir::{AddressRange, Bits, Location, Op, Width};
use everypath_machine::State;
use everypath_term::{Model, Term, Terms};

use crate::path::path_condition::PathCondition;

/// Makes registers and memory that hold input symbolic. Returns the pointers with their terms, and the model of the
/// first run: zeros, except for pointers that may not be null. The permitted pointer targets join the path condition.
pub(crate) fn give_input(
    initial: &InitialInputs,
    state: &mut State,
    terms: &mut Terms,
    inputs: &mut InputTable,
    path_condition: &mut PathCondition,
) -> (Vec<(PointerInput, Term)>, Model) {
    let mut held = HashMap::new();
    let mut model = Model::new();
    for (number, input) in initial.values.iter().enumerate() {
        for byte in 0..input.size {
            let origin = InputOrigin::Initial { input: number as u32, byte: byte as u32 };
            let (input_number, offset) = (inputs.number(origin), input.location.offset.wrapping_add(byte));
            let term = terms.input(input_number);
            held.insert(Location { offset, ..input.location }, input_number);
            if let Some(memory) = state.memory(input.location.space) {
                memory.poke(offset, 0);
            }
            let origin = everypath_machine::TermByte { term, byte: 0 };
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
        path_condition.push(allowed);
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

/// The number of bytes that one condition on assumed registers is about. A condition costs each query of the path something, and a
/// query that mentions one of its bytes more.
const ASSUMED_TOGETHER: u64 = 128;

/// Assumes that registers have the values at the entry that the state has: the difference of each byte is symbolic and
/// constrained to zero, so that terms show which decisions depend on the assumption. Bits that the convention determines have none.
pub(crate) fn assume_entry_values(
    registers: &[AssumedRegister],
    state: &mut State,
    terms: &mut Terms,
    inputs: &mut InputTable,
    path_condition: &mut PathCondition,
) {
    let zero = terms.constant_u64(0, Width::W8);
    let (mut joined, mut bytes) = (zero, 0);
    for register in registers {
        let difference = assume_entry_value(register, state, terms, inputs);
        joined = terms.apply(Op::Or, Width::W8, &[joined, difference]);
        bytes += register.range.last - register.range.first + 1;
        if bytes >= ASSUMED_TOGETHER {
            assume_zero(std::mem::replace(&mut joined, zero), terms, path_condition);
            bytes = 0;
        }
    }
    assume_zero(joined, terms, path_condition);
}

/// Constrains a byte to zero, if it is not a constant.
fn assume_zero(byte: Term, terms: &mut Terms, path_condition: &mut PathCondition) {
    if !terms.is_constant(byte) {
        let zero = terms.constant_u64(0, Width::W8);
        path_condition.push(terms.eq(byte, zero));
    }
}

/// Gives each byte of a register a symbolic difference. Returns the disjunction of all, bit by bit.
fn assume_entry_value(
    register: &AssumedRegister,
    state: &mut State,
    terms: &mut Terms,
    inputs: &mut InputTable,
) -> Term {
    let mut joined = terms.constant_u64(0, Width::W8);
    let AddressRange { space, first, last } = register.range;
    for (offset, determined) in (first..=last).zip(&register.determined) {
        let location = Location { space, offset };
        // Uninitialised memory, and globals in memory, have their own assumptions.
        if state.is_unset(location) {
            continue;
        }
        let held = state.peek(location, 1);
        let difference = terms.input(inputs.number(InputOrigin::Assumed { location }));
        let free = terms.constant_u64(u64::from(!determined), Width::W8);
        let difference = terms.apply(Op::And, Width::W8, &[difference, free]);
        let held = terms.constant_u64(held, Width::W8);
        let term = terms.apply(Op::Xor, Width::W8, &[difference, held]);
        state.shadow_mut(space).set(offset, Some(everypath_machine::TermByte { term, byte: 0 }));
        joined = terms.apply(Op::Or, Width::W8, &[joined, difference]);
    }
    joined
}

/// Sign-extends a narrow input to its register, if the caller does so.
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
        let origin = everypath_machine::TermByte { term, byte: byte as u8 };
        state.shadow_mut(whole.space).set(offset, Some(origin));
    }
}

/// The term of an input pointer.
fn word(pointer: &PointerInput, state: &State, terms: &mut Terms) -> Option<Term> {
    let shadow = state.shadow(pointer.location.space);
    shadow.read(terms, pointer.location.offset, &Bits::zero(pointer.width), pointer.endian)
}

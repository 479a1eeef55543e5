//! Symbolic input at the entry: registers and memory that hold input, and the constraints on input pointers.

use std::collections::HashMap;

use everypath_environment::{
    AssumedRegister, InitialInput, InitialInputs, InputOrigin, InputTable, PointerInput,
};
use everypath_ir::{AddressRange, Bits, Location, Op, Width};
use everypath_machine::State;
use everypath_term::{Model, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::path::path_condition::PathCondition;
use crate::path::roots::{Roots, TermHolder};

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

/// The number of bytes that one condition on assumed registers is about: a query that mentions one of its bytes has the whole
/// condition.
const ASSUMED_TOGETHER: u64 = 128;

/// The conditions that hold assumed registers to their values at the entry.
#[derive(Default)]
pub(crate) struct EntryAssumptions {
    conditions: FxHashSet<Term>,
    /// A term with the inputs of all of them; none if there are none.
    all: Option<Term>,
    /// How conditions of queries are related to these, since a collection of terms.
    relations: FxHashMap<Term, Relation>,
    collections: u32,
    /// The terms of the registers' bytes, whose values are the same under every model of a path.
    bytes: FxHashSet<Term>,
}

/// How a condition is related to the assumptions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    /// It is one of them.
    Own,
    /// It shares an input with one.
    Touches,
    /// It shares none.
    Unrelated,
}

impl EntryAssumptions {
    /// The terms of bytes whose values are the same under every model of a path.
    pub(crate) fn settled(&self) -> &FxHashSet<Term> {
        &self.bytes
    }

    /// Drops from the conditions of a query those of these assumptions that share no input with another condition.
    ///
    /// The rest is satisfiable if and only if all are: each assumption alone holds where its inputs are zero, it shares inputs
    /// with no other one, and a model that lacks an input has zero for it. Nearly no query mentions an assumed register, and there
    /// are hundreds of bytes of them.
    pub(crate) fn drop_unrelated(&mut self, terms: &Terms, conditions: &mut Vec<Term>) {
        let Some(all) = self.all else { return };
        if self.collections != terms.collections() {
            // After a collection, term numbers may denote other terms.
            self.collections = terms.collections();
            self.relations.clear();
        }
        let mut touching = Vec::new();
        for condition in conditions.iter().copied() {
            if self.relation(terms, all, condition) == Relation::Touches {
                touching.push(condition);
            }
        }
        let is_touched = |condition: Term| {
            touching.iter().any(|other| terms.inputs(*other).intersects(terms.inputs(condition)))
        };
        conditions.retain(|condition| {
            self.relations.get(condition) != Some(&Relation::Own) || is_touched(*condition)
        });
    }

    fn relation(&mut self, terms: &Terms, all: Term, condition: Term) -> Relation {
        let conditions = &self.conditions;
        *self.relations.entry(condition).or_insert_with(|| match conditions.contains(&condition) {
            true => Relation::Own,
            false if terms.inputs(condition).intersects(terms.inputs(all)) => Relation::Touches,
            false => Relation::Unrelated,
        })
    }
}

impl TermHolder for EntryAssumptions {
    fn roots(&self, roots: &mut Roots) {
        roots.extend(self.conditions.iter().chain(&self.all).chain(&self.bytes).copied());
    }
}

/// Assumes that registers have the values at the entry that the state has: the difference of each byte is symbolic and
/// constrained to zero, so that terms show which decisions depend on the assumption. Bits that the convention determines have none.
/// The constraints join the path condition and are returned.
pub(crate) fn assume_entry_values(
    registers: &[AssumedRegister],
    state: &mut State,
    terms: &mut Terms,
    inputs: &mut InputTable,
    path_condition: &mut PathCondition,
) -> EntryAssumptions {
    let zero = terms.constant_u64(0, Width::W8);
    let (mut all, mut joined, mut bytes) = (zero, zero, 0);
    let mut assumptions = EntryAssumptions::default();
    for (number, register) in registers.iter().enumerate() {
        let difference = assume_entry_value(register, state, terms, inputs, &mut assumptions.bytes);
        joined = terms.apply(Op::Or, Width::W8, &[joined, difference]);
        bytes += register.range.last - register.range.first + 1;
        if bytes < ASSUMED_TOGETHER && number + 1 < registers.len() {
            continue;
        }
        if !terms.is_constant(joined) {
            let condition = terms.eq(joined, zero);
            path_condition.push(condition);
            assumptions.conditions.insert(condition);
            all = terms.apply(Op::Or, Width::W8, &[all, joined]);
        }
        (joined, bytes) = (zero, 0);
    }
    assumptions.all = (!assumptions.conditions.is_empty()).then_some(all);
    assumptions
}

/// Gives each byte of a register a symbolic difference, and collects the terms of the bytes. Returns the disjunction of all
/// differences, bit by bit.
fn assume_entry_value(
    register: &AssumedRegister,
    state: &mut State,
    terms: &mut Terms,
    inputs: &mut InputTable,
    bytes: &mut FxHashSet<Term>,
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
        bytes.insert(term);
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

//! Evaluation of a target's condition on a path: its block is executed in the value domain of the path, on a fork of its state.

use std::collections::BTreeSet;

use everypath_environment::{CompiledCondition, Guest, World};
use everypath_machine::{Concolic, ConcreteDomain, Event, MachineDomain, ReadyBlock, State, run_steps};
use everypath_term::Term;

use crate::path::inputs::SymbolicInputs;
use crate::path::task::Task;

/// The value of a condition on a path.
#[derive(Default)]
pub(crate) struct Evaluated {
    /// Whether it holds for the input of this path.
    pub(crate) holds: bool,
    /// The term that says for which input of the path it holds; none if for all or none.
    pub(crate) term: Option<Term>,
    /// The conditions under which the evaluation holds: on contents of uninitialised memory, and on addresses.
    pub(crate) fixed: Vec<Term>,
    /// Why the term may not stand for every input of the path.
    pub(crate) doubts: BTreeSet<&'static str>,
}

impl Evaluated {
    /// A condition that holds always or never.
    pub(crate) fn constant(holds: bool) -> Evaluated {
        Evaluated { holds, ..Evaluated::default() }
    }
}

/// Evaluates a condition on a path.
pub(crate) fn evaluate(
    condition: &CompiledCondition,
    inputs: &mut SymbolicInputs<'_>,
    task: &mut Task,
) -> Evaluated {
    if let Some(constant) = condition.constant {
        return Evaluated::constant(constant);
    }
    let mut found = Evaluated::default();
    let mut fork = task.fork();
    let mut events = Vec::new();
    let mut domain = fork.domain(&inputs.world, &mut inputs.table, &mut inputs.terms, &mut events);
    let layout = inputs.guest.architecture().layout();
    let constant = |bits: &everypath_ir::Bits| domain.constant(bits);
    let mut ready = ReadyBlock::new(layout, condition.block.clone(), constant, || domain.nothing());
    let is_run = run_steps(&mut domain, &mut ready).is_ok();
    let guard = ready.exits.first().and_then(|exit| exit.guard);
    let (true, Some(guard)) = (is_run, guard) else {
        found.doubts.insert("the condition reads memory that is not mapped or not readable");
        return found;
    };
    if fork.progress.reads != task.progress.reads {
        found.doubts.insert("the condition reads an input register, which has another value at each read");
        return found;
    }
    let Concolic { bits, term } = &ready.values[guard as usize];
    found.holds = bits.narrow() != 0;
    found.term = *term;
    for event in events {
        match event {
            Event::Unwritten { byte, value } => {
                if inputs.is_changed(byte) || !inputs.unwritten_is_input {
                    found.fixed.push(inputs.is_number(byte, u64::from(value)));
                }
            }
            Event::Accessed { window: false, address, value, .. } => {
                if task.ranges().fixed(&inputs.terms, address).is_none() {
                    found.doubts.insert("the condition reads memory at an address that depends on input");
                }
                found.fixed.push(inputs.is_number(address, value));
            }
            Event::Guarded { condition, taken, .. } => {
                found.doubts.insert("the condition reads memory only for some input");
                found.fixed.push(inputs.sides(condition, taken).0);
            }
            Event::Reused { .. } => {
                found
                    .doubts
                    .insert("the condition depends on what the environment is assumed to leave unchanged");
            }
            Event::Accessed { .. }
            | Event::Located { .. }
            | Event::Decided { .. }
            | Event::Jumped { .. }
            | Event::Executed { .. }
            | Event::Switched { .. } => {}
            Event::Fixed { .. } | Event::Chosen { .. } | Event::Answered { .. } => {
                found.doubts.insert("the condition depends on an operation without a symbolic model");
            }
        }
    }
    if let Some(term) = found.term {
        if let Some(constant) = inputs.terms.as_u64(term) {
            found.term = None;
            found.holds = constant != 0;
        } else {
            found.doubts.extend(doubts_of(inputs, term));
        }
    }
    found
}

/// Why a term may not stand for all that the value may be.
fn doubts_of(inputs: &mut SymbolicInputs<'_>, term: Term) -> Option<&'static str> {
    let table = &inputs.table;
    if inputs.terms.inputs(term).iter().any(|input| table.changed_at(input).is_some()) {
        return Some("the condition depends on what the environment is assumed to leave unchanged");
    }
    let is_unwritten = inputs.terms.inputs(term).iter().any(|input| table.is_unwritten(input));
    if is_unwritten && !inputs.unwritten_is_input {
        return Some("the condition depends on uninitialised memory, which was assumed to be zero");
    }
    inputs.depends_on_pointers(term).then_some("the condition depends on where objects are placed")
}

/// Whether a condition holds in a state of the concrete machine.
pub(crate) fn holds(guest: &Guest, condition: &CompiledCondition, state: &mut State, world: &World) -> bool {
    if let Some(constant) = condition.constant {
        return constant;
    }
    let (mut state, mut world) = (state.fork(), world.clone());
    let reads = world.given();
    let mut domain = ConcreteDomain { state: &mut state, outside: &mut world };
    let constant = |bits: &everypath_ir::Bits| domain.constant(bits);
    let layout = guest.architecture().layout();
    let mut ready = ReadyBlock::new(layout, condition.block.clone(), constant, || domain.nothing());
    if run_steps(&mut domain, &mut ready).is_err() {
        return false;
    }
    let guard = ready.exits.first().and_then(|exit| exit.guard);
    let value = guard.map(|guard| ready.values[guard as usize].narrow());
    // What an input register would give at another read is no state of the program.
    world.given() == reads && value.is_some_and(|value| value != 0)
}

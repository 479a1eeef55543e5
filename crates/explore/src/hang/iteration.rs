//! One iteration of a loop, run by itself: nothing of it joins the search.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use everypath_ir::{Location, Place};
use everypath_machine::State;
use everypath_term::Term;

use crate::map::handlers::Handlers;
use crate::path::inputs::SymbolicInputs;
use crate::path::task::Task;
use crate::run::runner::PathRunner;

/// Maximum number of instructions of an iteration.
const INSTRUCTIONS: u64 = 100_000;
/// Maximum number of guards of an iteration: each is part of every query.
const GUARDS: usize = 4_096;

/// The parts that run an iteration.
pub(crate) struct LoopContext<'c, 'g> {
    pub(crate) runner: &'c mut PathRunner<'g>,
    pub(crate) inputs: &'c mut SymbolicInputs<'g>,
    pub(crate) handlers: &'c Handlers,
    /// The places of the blocks that were run.
    pub(crate) places: BTreeSet<Place>,
}

/// Runs a task until it is back at the head of its loop. Returns the conditions on its variables under which it takes this path, and
/// `None` if it does not come back, or depends on more than its state.
pub(super) fn iterate(context: &mut LoopContext<'_, '_>, task: &mut Task, head: Place) -> Option<Vec<Term>> {
    let (begin, progress) = (task.instructions, task.progress.clone());
    let mut guards = Vec::new();
    loop {
        context.places.insert(task.at.place);
        guards.extend(context.runner.step_alone(task, context.inputs, context.handlers)?);
        if task.progress != progress || guards.len() > GUARDS {
            return None;
        }
        if task.at.place == head {
            return Some(guards);
        }
        if task.instructions - begin > INSTRUCTIONS {
            return None;
        }
    }
}

/// The bytes in which two states differ, as a number or as a term; `None` if their memory maps do, or there are more than `most`.
pub(super) fn differing_bytes(one: &State, other: &State, most: usize) -> Option<BTreeSet<Location>> {
    let mut found = BTreeSet::new();
    let visited = one.try_for_each_difference(other, |location| {
        found.insert(location);
        if found.len() > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    visited.is_continue().then_some(found)
}

/// Makes a state concrete: the contents that it has under the model of its path.
pub(super) fn make_concrete(state: &mut State) {
    let symbolic: Vec<Location> = state.symbolic_bytes().map(|(location, _)| location).collect();
    for location in symbolic {
        state.shadow_mut(location.space).set(location.offset, None);
    }
}

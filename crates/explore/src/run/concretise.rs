//! Concretisation inside a basic block: each value that the run fixes joins the path condition, and other values are
//! alternatives. Input pointers are initialised lazily (Khurshid, Păsăreanu and Visser 2003).

use everypath_machine::{Event, lies_in};
use everypath_term::Term;

use crate::path::task::Task;
use crate::probe::Suspicion;
use crate::run::alternatives::{Alternative, Reruns};
use crate::run::context::{BlockStep, PathContext};
use crate::verdict::guards::GuardOutcome;
use crate::verdict::ledger::AssumptionKind;

/// Processes the events inside the block that depend on input. At most `aliases` alternative addresses are tried on
/// one path.
pub(super) fn concretise(
    context: &mut PathContext<'_, '_>,
    step: &mut BlockStep<'_>,
    reruns: &mut Reruns,
    (events, suspicions): (&[Event], &[Suspicion]),
    aliases: u32,
) {
    let place = step.place;
    // What depends on uninitialised memory is asked about when the block has ended.
    let mut suspicions = suspicions.iter().filter(|suspicion| suspicion.unwritten.is_none()).peekable();
    for event in events {
        // A violation suspected at a step is queried before the step's own concretisation.
        if let Event::Accessed { step: at, .. } | Event::Guarded { step: at, .. } = event {
            while let Some(suspicion) = suspicions.next_if(|suspicion| suspicion.step <= *at as usize) {
                suspect(context, step.task, suspicion);
            }
        }
        match *event {
            Event::Unwritten { byte, value } => fix_unwritten(context, step.task, byte, value),
            Event::Accessed { window: true, .. }
            | Event::Reused { .. }
            | Event::Located { .. }
            | Event::Decided { .. }
            | Event::Jumped { .. } => {}
            Event::Accessed { address, .. } => {
                resolve_pointers(context, step, reruns, address);
                if step.task.ranges().fixed(&context.inputs.terms, address).is_none() {
                    fix_address(context, step, reruns, event, aliases);
                }
            }
            Event::Guarded { condition, taken, step: at } => {
                let (holds, alternative_condition) = context.inputs.sides(condition, taken);
                context.knowledge.guards.record(GuardOutcome { place, step: at, holds: taken });
                let other = GuardOutcome { place, step: at, holds: !taken };
                reruns.enqueue(context, step, alternative_condition, Alternative::Guard(other));
                context.commit(step.task, holds);
            }
            Event::Executed { byte, value } => {
                context.knowledge.forget_map();
                fix_byte(context, step, reruns, (byte, value));
            }
            Event::Switched { byte, value } => fix_byte(context, step, reruns, (byte, value)),
            Event::Chosen { argument, value } => {
                fix_choice(context, step, reruns, (argument, value), aliases);
            }
            Event::Answered { assumption, loses_paths } => {
                context.knowledge.ledger.note(AssumptionKind::System, place.address, assumption, loses_paths);
            }
            Event::Fixed { argument } => {
                let inputs = &mut *context.inputs;
                inputs.evaluation.set_model(step.task.model.clone());
                let value = inputs.evaluation.value(&inputs.terms, argument);
                let value = inputs.terms.constant(&value);
                let same = inputs.terms.eq(argument, value);
                let what = "an operand of a processor operation or of the interrupt controller depends on input; only its value on this path was \
                            explored";
                context.knowledge.ledger.note(AssumptionKind::Concretised, place.address, what, true);
                step.task.assume(&context.inputs.terms, same);
            }
        }
    }
    for suspicion in suspicions {
        suspect(context, step.task, suspicion);
    }
}

/// Fixes a byte to the value that it has, and enqueues the others.
fn fix_byte(
    context: &mut PathContext<'_, '_>,
    step: &mut BlockStep<'_>,
    reruns: &mut Reruns,
    (byte, value): (Term, u8),
) {
    let same = context.inputs.is_number(byte, u64::from(value));
    let alternative_condition = context.inputs.terms.not(same);
    reruns.enqueue(context, step, alternative_condition, Alternative::Other);
    context.commit(step.task, same);
}

/// Fixes a value on which a system call depends to the one that it has, and enqueues the others.
fn fix_choice(
    context: &mut PathContext<'_, '_>,
    step: &mut BlockStep<'_>,
    reruns: &mut Reruns,
    (argument, value): (Term, u64),
    aliases: u32,
) {
    if step.task.ranges().fixed(&context.inputs.terms, argument).is_some() {
        return;
    }
    let same = context.inputs.is_number(argument, value);
    if step.task.used.aliases < aliases {
        let alternative_condition = context.inputs.terms.not(same);
        reruns.enqueue(context, step, alternative_condition, Alternative::Alias);
    } else {
        let what = "an argument of a system call depends on input; only its value on this path was explored (the bound on alternatives was \
                    reached)";
        context.knowledge.ledger.note(AssumptionKind::Bound, step.place.address, what, true);
    }
    context.commit(step.task, same);
}

/// Records a violation that an oracle suspects.
fn suspect(context: &mut PathContext<'_, '_>, task: &Task, suspicion: &Suspicion) {
    if !task.is_in_prefix() {
        context.probes.suspect(task, &task.path_condition, suspicion, context.inputs, context.recorder);
    }
}

/// Pins an uninitialised byte to its assumed value, unless uninitialised memory is input.
fn fix_unwritten(context: &mut PathContext<'_, '_>, task: &mut Task, byte: Term, value: u8) {
    let same = context.inputs.is_number(byte, u64::from(value));
    if !context.inputs.is_changed(byte) {
        if context.inputs.unwritten_is_input {
            return;
        }
        context.inputs.unwritten_assumptions.insert(same);
    }
    // No value range is derived from it: an address that depends on it must not count as fixed.
    task.path_condition.push(same);
}

/// Fixes the address of an access to the one it has, and enqueues the others.
fn fix_address(
    context: &mut PathContext<'_, '_>,
    step: &mut BlockStep<'_>,
    reruns: &mut Reruns,
    event: &Event,
    aliases: u32,
) {
    let Event::Accessed { space, address, value, size, write, .. } = *event else { return };
    let same = context.inputs.is_number(address, value);
    if step.task.used.aliases < aliases {
        // Forbidden addresses are left to the oracles: each of them ends the path.
        let terms = &mut context.inputs.terms;
        let other = terms.not(same);
        let state = &mut step.task.state;
        let ranges = state.ranges(space, |allowed| if write { allowed.write } else { allowed.read });
        let allowed = lies_in(terms, address, size, &ranges);
        let watched = step.task.oracles.has("unmapped") && step.task.oracles.has("read-only");
        let alternative_condition = match allowed.filter(|_| watched) {
            Some(allowed) => terms.and(allowed, other),
            None => other,
        };
        reruns.enqueue(context, step, alternative_condition, Alternative::Alias);
    } else {
        let what = "an address depends on input, and was concretised, because the path has used up its alternative addresses";
        context.knowledge.ledger.note(AssumptionKind::Bound, step.place.address, what, true);
    }
    let decisions = step.task.path_condition.len();
    context.commit(step.task, same);
    if step.task.path_condition.len() > decisions {
        step.task.path_condition.last_fixes_address();
    }
}

/// Lazy initialisation of the input pointers that an address depends on: null, an object that the path has used, or
/// a fresh one. Fresh objects are interchangeable, so one represents all.
fn resolve_pointers(
    context: &mut PathContext<'_, '_>,
    step: &mut BlockStep<'_>,
    reruns: &mut Reruns,
    address: Term,
) {
    for number in 0..context.inputs.pointers.len() {
        let inputs = &mut *context.inputs;
        let (pointer, term) = (&inputs.pointers[number].0, inputs.pointers[number].1);
        let touches = inputs.terms.inputs(address).intersects(inputs.terms.inputs(term));
        if !touches || step.task.ranges().fixed(&inputs.terms, term).is_some() {
            continue;
        }
        inputs.evaluation.set_model(step.task.model.clone());
        let now = inputs.evaluation.word(&inputs.terms, term).unwrap_or(0);
        let (object, targets) = (pointer.object, pointer.targets.clone());
        let chosen = targets.iter().position(|target| *target == now);
        let used = step.task.used.objects[object];
        let is_used = |which: usize| used >> which & 1 == 1;
        let fresh = match chosen {
            Some(chosen) if !is_used(chosen) => Some(chosen),
            _ => (0..targets.len()).find(|which| !is_used(*which)),
        };
        let null = (pointer.null && now != 0).then_some(0);
        let same = context.inputs.is_number(term, now);
        context.add_due_assumptions(step.task);
        // If the path condition ends with this decision, the query that began the path has just made it, and its
        // alternatives are in the frontier.
        let is_made = step.task.path_condition.last() == Some(same);
        if fresh.is_none() && !step.task.is_in_prefix() {
            let what = "an input pointer may need more objects than the configuration declares";
            context.knowledge.ledger.note(AssumptionKind::Bound, step.place.address, what, true);
        }
        let is_other = |which: usize| Some(which) != chosen && (is_used(which) || Some(which) == fresh);
        let others =
            targets.iter().enumerate().filter(|(which, _)| is_other(*which)).map(|(_, target)| *target);
        for target in null.into_iter().chain(others).filter(|_| !is_made) {
            let alternative_condition = context.inputs.is_number(term, target);
            reruns.enqueue(context, step, alternative_condition, Alternative::Other);
        }
        if let Some(chosen) = chosen {
            step.task.used.objects[object] |= 1 << chosen;
        }
        context.commit(step.task, same);
    }
}

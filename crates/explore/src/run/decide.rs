//! Branches at the end of a basic block: the path takes one exit, and the alternative joins the frontier.

use everypath_ir::{Exit, ExitKind, Place, Target};
use everypath_machine::{At, Concolic, ReadyTarget, Step, Stepped};
use everypath_oracle::TakenExit;
use everypath_term::Term;

use crate::frontier::pending::{Pending, Resume, Start};
use crate::path::inputs::GuestMachine;
use crate::path::task::Task;
use crate::run::alternatives::{Alternative, Reruns};
use crate::run::context::{BlockStep, PathContext};
use crate::run::joins::joins;

/// A guard of an exit that depends on input.
struct Decision {
    condition: Term,
    taken: bool,
    /// The index of the guarded exit.
    position: usize,
}

/// Adds the guards at the end of the block to the path condition, and enqueues the alternatives.
pub(super) fn decide(
    context: &mut PathContext<'_, '_>,
    step: &mut BlockStep<'_>,
    machine: &GuestMachine<'_>,
    reruns: &mut Reruns,
    stepped: &Stepped,
) {
    let place = step.place;
    let Some(block) = machine.known(place) else { return };
    if block.exits.len() == 1 {
        return;
    }
    let (mut decisions, mut closed) = (Vec::new(), Vec::new());
    for (position, out) in block.exits.iter().enumerate() {
        let taken = out.exit == stepped.exit;
        match out.guard.map(|guard| &block.values[guard as usize]) {
            Some(Concolic { term: Some(condition), .. }) => {
                decisions.push(Decision { condition: *condition, taken, position });
            }
            Some(_) if !taken => closed.push(out.exit),
            _ => {}
        }
        if taken {
            // Exits after one with a constant guard that holds are closed.
            if out.guard.is_some_and(|guard| block.values[guard as usize].term.is_none()) {
                closed.extend(block.exits[position + 1..].iter().map(|other| other.exit));
            }
            break;
        }
    }
    for exit in closed {
        if let Some(direction) = context.knowledge.coverage.direction(place, exit)
            && let Some(known) = context.knowledge.coverage.record_of(direction)
        {
            known.constant += 1;
        }
    }
    for decision in decisions {
        // An assumption about the environment decides it, which the ledger lists.
        if context.inputs.is_premised(decision.condition) {
            continue;
        }
        let (holds, alternative_condition) = context.inputs.sides(decision.condition, decision.taken);
        context.add_due_assumptions(step.task);
        // If the path condition ends with this decision, the query that began the path has just made it.
        if !step.task.is_in_prefix() && step.task.path_condition.last() != Some(holds) {
            enqueue_other_exit(context, step, machine, reruns, &decision, alternative_condition);
        }
        context.commit(step.task, holds);
        if step.task.is_merged() {
            context.inputs.fix_registers(step.task, holds);
        }
        specialise(context, step.task, machine, place, (decision.condition, decision.taken));
    }
}

/// Enqueues the alternative of a decision.
fn enqueue_other_exit(
    context: &mut PathContext<'_, '_>,
    step: &mut BlockStep<'_>,
    machine: &GuestMachine<'_>,
    reruns: &mut Reruns,
    decision: &Decision,
    alternative_condition: Term,
) {
    let place = step.place;
    let Some((at, exit)) = other_exit(context, step, machine, decision) else {
        // The next exit depends on input again: the block is run again to find it.
        return reruns.enqueue(context, step, alternative_condition, Alternative::Other);
    };
    let direction = context.knowledge.coverage.direction_of_exit(place, exit, at.place.address);
    if changes_calls(machine, place) {
        // The oracles' state reflects the exit that was taken: a call or return must not affect the alternative.
        return reruns.enqueue(context, step, alternative_condition, Alternative::Exit(direction));
    }
    let assumes_condition_on_resume = context.frontier.has_room() || step.task.is_merged();
    let (mut resume, task) = (Resume::Replay, &mut *step.task);
    let start = if assumes_condition_on_resume {
        let mut other = task.fork();
        resume = behind(machine, place, exit);
        other.at = at;
        other.pass_decision();
        specialise(context, &mut other, machine, place, (decision.condition, !decision.taken));
        other.path = task.path.then(place, exit);
        if let Some(block) = machine.known(place) {
            other.instructions += block.instruction_starts.len().max(1) as u64;
            let (kind, behind) = (block.block.exits[exit].kind, block.block.end);
            other.arrive(joins(kind, place, at.place));
            let taken = TakenExit { kind, target: at.place.address, term: None, behind };
            other.oracles.leave(&taken, &mut other.state);
        }
        Start::State(Box::new(other))
    } else {
        Start::Entry(Box::new(task.replay_plan(alternative_condition)))
    };
    let address = direction.map_or(place.address, |direction| direction.branch.0);
    let (prefix, known) = (task.path_condition.clone(), task.model.clone());
    context.frontier.push(Pending {
        start,
        condition: alternative_condition,
        assumes_condition_on_resume,
        resume,
        direction,
        guard: None,
        address,
        prefix,
        known,
        reads: task.progress.count(),
        progress: task.target_progress,
    });
}

/// Replaces the registers that the block selects by a decided condition by the side that is taken.
fn specialise(
    context: &mut PathContext<'_, '_>,
    task: &mut Task,
    machine: &GuestMachine<'_>,
    place: Place,
    (condition, holds): (Term, bool),
) {
    // Only a predicated return, or a predicated jump to a computed address, changes the stack pointer as well.
    let is_computed = |exit: &Exit| matches!(exit.target, Target::Computed { .. });
    let block = machine.known(place).filter(|block| block.block.exits.iter().any(is_computed));
    for step in block.iter().flat_map(|block| &block.steps) {
        if let Step::Put(register) = step {
            task.state.specialise(&mut context.inputs.terms, register, condition, holds);
        }
    }
}

/// Whether a block ends with a call or return.
fn changes_calls(machine: &GuestMachine<'_>, place: Place) -> bool {
    let calls = |exit: &Exit| matches!(exit.kind, ExitKind::Call | ExitKind::Return);
    machine.known(place).is_some_and(|block| block.block.exits.iter().any(calls))
}

/// How a path continues after an exit whose target does not depend on input.
fn behind(machine: &GuestMachine<'_>, place: Place, exit: usize) -> Resume {
    let exit = machine.known(place).map(|block| block.block.exits[exit]);
    match exit {
        Some(exit) if matches!(exit.target, Target::Computed { .. }) => Resume::Behind { exit },
        _ => Resume::Here,
    }
}

/// The target and exit of the block if a decision is negated; `None` if they depend on input as well.
fn other_exit(
    context: &mut PathContext<'_, '_>,
    step: &mut BlockStep<'_>,
    machine: &GuestMachine<'_>,
    decision: &Decision,
) -> Option<(At, usize)> {
    let block = machine.known(step.place)?;
    let mut position = decision.position;
    if decision.taken {
        loop {
            position += 1;
            match block.exits[position].guard.map(|guard| &block.values[guard as usize]) {
                None => break,
                Some(value) if value.term.is_some() => return None,
                Some(value) if value.bits.narrow() != 0 => break,
                Some(_) => {}
            }
        }
    }
    let out = block.exits[position];
    match out.target {
        ReadyTarget::Place(target) => Some((At::new(target), out.exit)),
        ReadyTarget::Computed(slot, _) => {
            let value = &block.values[slot as usize];
            if value.term.is_some() {
                return None;
            }
            let (exit, address) = (block.block.exits[out.exit], value.bits.narrow());
            Some((At::new(context.inputs.place_of(machine, step.task, &exit, address)), out.exit))
        }
    }
}

//! Indirect jumps whose target depends on input: queries enumerate the targets, each excluding those already found.

use std::collections::{BTreeMap, BTreeSet};

use everypath_ir::{Exit, ExitKind};
use everypath_machine::{At, Event, Stepped, lies_in};
use everypath_record::{Address, Direction};
use everypath_term::Term;

use crate::frontier::pending::{Pending, Resume, Start};
use crate::path::inputs::{GuestMachine, SymbolicInputs};
use crate::path::task::Task;
use crate::plan::Criterion;
use crate::run::context::{BlockStep, PathContext};
use crate::verdict::ledger::AssumptionKind;

/// Maximum number of alternative return targets on one path: an overwritten return address may be any address, and few
/// of them are code that was meant to run.
const RETURN_TARGETS: u32 = 16;

/// The targets that paths took at indirect jumps whose target depends on input.
pub(crate) struct IndirectTargets {
    /// By jump instruction.
    targets: BTreeMap<Address, BTreeSet<u64>>,
    /// Maximum number of alternative targets on one path.
    bound: u32,
}

/// The target term of an indirect jump that depends on input, and its value on this path.
pub(super) fn jumped(events: &[Event]) -> Option<(Term, u64)> {
    events.iter().find_map(|event| match event {
        Event::Jumped { target, value } => Some((*target, *value)),
        _ => None,
    })
}

impl IndirectTargets {
    pub(crate) fn new(bound: u32) -> IndirectTargets {
        IndirectTargets { targets: BTreeMap::new(), bound }
    }

    /// Concretises the indirect jump at the end of a block, whose target depends on input, and enqueues the other
    /// targets.
    pub(super) fn jump(
        &mut self,
        context: &mut PathContext<'_, '_>,
        step: &mut BlockStep<'_>,
        (target, value): (Term, u64),
        stepped: &Stepped,
        exit: &Exit,
    ) {
        let (task, place) = (&mut *step.task, step.place);
        let Some(branch) = context.knowledge.coverage.branch(place) else { return };
        context.add_due_assumptions(task);
        let same = context.inputs.is_number(target, value);
        if !task.is_in_prefix() && task.path_condition.last() != Some(same) {
            if self.targets.is_empty() {
                context.knowledge.deepen_map(context.stop);
            }
            let mut other = task.fork();
            other.path = task.path.then(place, stepped.exit);
            other.instructions += stepped.instructions;
            other.pass_decision();
            let mut alternative_condition = context.inputs.terms.not(same);
            let proposed = context.knowledge.analysis().proposed(branch.0).into_iter();
            for proposed in proposed.filter(|target| *target != value).take(self.bound as usize) {
                let leads = context.inputs.is_number(target, proposed);
                let resume = Resume::Proposed { target: proposed, exit: *exit };
                enqueue_target(context, task, other.fork(), leads, resume, branch);
                let terms = &mut context.inputs.terms;
                let elsewhere = terms.not(leads);
                alternative_condition = terms.and(alternative_condition, elsewhere);
            }
            let code = task.state.ranges(context.inputs.guest.code_space(), |allowed| allowed.execute);
            if task.oracles.has("no-instruction")
                && let Some(inside) = lies_in(&mut context.inputs.terms, target, 1, &code)
            {
                alternative_condition = context.inputs.terms.and(alternative_condition, inside);
            }
            let resume = Resume::Computed { target, exit: *exit, fresh: true };
            enqueue_target(context, task, other, alternative_condition, resume, branch);
        }
        context.commit(step.task, same);
        self.targets.entry(branch).or_default().insert(value);
    }

    /// Continues at the target's value under the task's model, and enqueues the query for yet another target.
    pub(super) fn go_to_computed(
        &mut self,
        context: &mut PathContext<'_, '_>,
        machine: &GuestMachine<'_>,
        task: &mut Task,
        (target, exit): (Term, &Exit),
        branch: Address,
    ) -> Option<Direction> {
        let inputs = &mut *context.inputs;
        let value = inputs.evaluation.word(&inputs.terms, target).unwrap_or(0);
        let same = inputs.is_number(target, value);
        let alternative_condition = inputs.terms.not(same);
        task.used.targets += 1;
        let most = if exit.kind == ExitKind::Return { RETURN_TARGETS } else { u32::MAX };
        if task.used.targets < self.bound.min(most) {
            let resume = Resume::Computed { target, exit: *exit, fresh: true };
            let other = task.fork();
            enqueue_target(context, task, other, alternative_condition, resume, branch);
        } else {
            let what = "an indirect jump on input reached the bound on alternative targets";
            context.knowledge.ledger.note(AssumptionKind::Bound, branch.0, what, true);
        }
        task.assume(&context.inputs.terms, same);
        self.go_to(context, machine, task, (value, exit), branch)
    }

    /// Continues at a target of an indirect exit.
    pub(super) fn go_to(
        &mut self,
        context: &mut PathContext<'_, '_>,
        machine: &GuestMachine<'_>,
        task: &mut Task,
        (value, exit): (u64, &Exit),
        branch: Address,
    ) -> Option<Direction> {
        let place = context.inputs.place_of(machine, task, exit, value);
        task.at = At::new(place);
        let is_proposed = context.knowledge.analysis().proposed(branch.0).contains(&value);
        if exit.kind == ExitKind::Return && !is_proposed {
            task.derail();
        }
        context.knowledge.record_exit(branch.0, exit, place);
        self.targets.entry(branch).or_default().insert(value);
        let direction = Direction { branch, target: Address(place.address) };
        context.knowledge.coverage.is_branch(branch, exit.kind).then_some(direction)
    }

    /// Unless every path is wanted, restricts the query of an indirect jump to targets that no path has taken. Returns
    /// whether it added conditions for that.
    pub(crate) fn elsewhere(
        &self,
        criterion: Criterion,
        pending: &mut Pending,
        inputs: &mut SymbolicInputs<'_>,
        conditions: &mut Vec<Term>,
    ) -> bool {
        let Resume::Computed { target, fresh: fresh @ true, .. } = &mut pending.resume else { return false };
        if criterion == Criterion::Path {
            return false;
        }
        *fresh = false;
        for value in self.targets.get(&Address(pending.address)).into_iter().flatten() {
            let same = inputs.is_number(*target, *value);
            conditions.push(inputs.terms.not(same));
        }
        true
    }
}

/// Enqueues another target of an indirect jump.
fn enqueue_target(
    context: &mut PathContext<'_, '_>,
    task: &Task,
    other: Task,
    condition: Term,
    resume: Resume,
    branch: Address,
) {
    let coverage = &mut context.knowledge.coverage;
    let direction = match &resume {
        Resume::Proposed { target, exit } if coverage.is_branch(branch, exit.kind) => {
            Some(Direction { branch, target: Address(*target) })
        }
        _ => None,
    };
    if let Some(direction) = direction {
        coverage.discover(direction);
    }
    context.frontier.push(Pending {
        start: Start::State(Box::new(other)),
        condition,
        assumes_condition_on_resume: true,
        resume,
        direction,
        guard: None,
        address: branch.0,
        prefix: task.path_condition.clone(),
        known: task.model.clone(),
        reads: task.progress.count(),
        progress: task.target_progress,
    });
}

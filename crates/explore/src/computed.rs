//! Indirect jumps whose target depends on input: queries enumerate the targets, each excluding those already found.

use everypath_ir::{Exit, ExitKind, Place, Target};
use everypath_machine::{At, Event, Stepped, lies_in};
use everypath_record::{Address, Direction};
use everypath_term::Term;

use crate::explorer::Explorer;
use crate::ledger::Kind;
use crate::pending::{Pending, Resume};
use crate::plan::Criterion;
use crate::task::Task;

/// Maximum number of alternative return targets on one path: an overwritten return address may be any address, and few
/// of them are code that was meant to run.
const RETURN_TARGETS: u32 = 16;

impl Explorer<'_> {
    /// The condition that a term equals a number.
    pub(crate) fn is_number(&mut self, term: Term, value: u64) -> Term {
        let width = self.terms.width(term);
        let value = self.terms.constant_u64(value, width);
        self.terms.eq(term, value)
    }

    /// The place of an indirect target address.
    pub(crate) fn place_of(&mut self, task: &mut Task, exit: &Exit, address: u64) -> Place {
        let mut domain = task.domain(&self.world, &mut self.inputs, &mut self.terms, &mut self.events);
        self.machine.computed_place(&mut domain, exit, address)
    }

    /// Concretises an indirect jump whose target depends on input, and enqueues the other targets.
    pub(crate) fn jump(&mut self, task: &mut Task, place: Place, stepped: &Stepped, exit: &Exit) {
        let target = self.events.iter().find_map(|event| match event {
            Event::Jumped { target, value } => Some((*target, *value)),
            _ => None,
        });
        let (Some((target, value)), Some(branch)) = (target, self.coverage.branch(place)) else { return };
        self.add_due_assumptions(task);
        let same = self.is_number(target, value);
        if task.is_new() && task.path_condition.last() != Some(same) {
            if self.targets.is_empty() {
                self.deepen_map();
            }
            let mut other = task.fork();
            other.path = task.path.then(place, stepped.exit);
            other.instructions += stepped.instructions;
            other.decisions += 1;
            let mut question = self.terms.not(same);
            for proposed in self.proposed(branch.0, value) {
                let leads = self.is_number(target, proposed);
                let resume = Resume::Proposed { target: proposed, exit: *exit };
                self.note_jump(task, other.fork(), leads, resume, branch);
                let elsewhere = self.terms.not(leads);
                question = self.terms.and(question, elsewhere);
            }
            let code = task.state.ranges(self.guest.code_space(), |allowed| allowed.execute);
            if task.oracles.has("no-instruction")
                && let Some(inside) = lies_in(&mut self.terms, target, 1, &code)
            {
                question = self.terms.and(question, inside);
            }
            let resume = Resume::Computed { target, exit: *exit, fresh: true };
            self.note_jump(task, other, question, resume, branch);
        }
        self.commit_decision(task, same);
        self.targets.entry(branch).or_default().insert(value);
    }

    /// Other targets that the static analysis proposes; each is queried by itself.
    fn proposed(&self, branch: u64, taken: u64) -> Vec<u64> {
        let proposed = self.map.as_ref().map(|map| map.proposed(branch)).unwrap_or_default();
        let others = proposed.into_iter().filter(|target| *target != taken);
        others.take(self.plan.targets as usize).collect()
    }

    /// Enqueues another target of an indirect jump.
    fn note_jump(&mut self, task: &Task, other: Task, question: Term, resume: Resume, branch: Address) {
        let direction = match &resume {
            Resume::Proposed { target, exit } if self.coverage.is_branch(branch, exit.kind) => {
                Some(Direction { branch, target: Address(*target) })
            }
            _ => None,
        };
        if let Some(direction) = direction {
            self.coverage.discover(direction);
        }
        self.note(Pending {
            task: other,
            question,
            at_once: true,
            resume,
            direction,
            address: branch.0,
            prefix: task.path_condition.clone(),
            known: task.model.clone(),
        });
    }

    /// Continues at the target's value under the task's model, and enqueues the query for yet another target.
    pub(crate) fn go_to_computed(
        &mut self,
        task: &mut Task,
        target: Term,
        exit: &Exit,
        branch: Address,
    ) -> Option<Direction> {
        let value = self.evaluation.word(&self.terms, target).unwrap_or(0);
        let same = self.is_number(target, value);
        let question = self.terms.not(same);
        task.targets += 1;
        let most = if exit.kind == ExitKind::Return { RETURN_TARGETS } else { u32::MAX };
        if task.targets < self.plan.targets.min(most) {
            let resume = Resume::Computed { target, exit: *exit, fresh: true };
            let other = task.fork();
            self.note_jump(task, other, question, resume, branch);
        } else {
            let what = "a jump that input computes has as many targets as the plan allows";
            self.ledger.note(Kind::Bound, branch.0, what, true);
        }
        self.assume(task, same);
        self.go_to(task, value, exit, branch)
    }

    /// Continues at a target of an indirect exit.
    pub(crate) fn go_to(
        &mut self,
        task: &mut Task,
        value: u64,
        exit: &Exit,
        branch: Address,
    ) -> Option<Direction> {
        let place = self.place_of(task, exit, value);
        task.at = At::new(place);
        let is_proposed = self.map.as_ref().is_some_and(|map| map.proposed(branch.0).contains(&value));
        if exit.kind == ExitKind::Return && !is_proposed {
            task.derailed.get_or_insert(task.instructions);
        }
        self.took(branch.0, exit, place);
        self.targets.entry(branch).or_default().insert(value);
        let direction = Direction { branch, target: Address(place.address) };
        self.coverage.is_branch(branch, exit.kind).then_some(direction)
    }

    /// Unless every path is wanted, restricts the query of an indirect jump to targets that no path has taken. Returns
    /// whether it added conditions for that.
    pub(crate) fn elsewhere(&mut self, pending: &mut Pending, conditions: &mut Vec<Term>) -> bool {
        let Resume::Computed { target, fresh: fresh @ true, .. } = &mut pending.resume else { return false };
        if self.plan.criterion == Criterion::Path {
            return false;
        }
        *fresh = false;
        let target = *target;
        let known: Vec<u64> =
            self.targets.get(&Address(pending.address)).into_iter().flatten().copied().collect();
        for value in known {
            let same = self.is_number(target, value);
            conditions.push(self.terms.not(same));
        }
        true
    }

    /// Records an indirect exit that was taken. A new target of a jump or call is passed to the graph later.
    pub(crate) fn took(&mut self, branch: u64, exit: &Exit, to: Place) {
        if !matches!(exit.target, Target::Computed { .. }) {
            return;
        }
        self.coverage.took_indirect(Address(branch), exit.kind);
        let is_new = self.jumps.took(branch, exit.kind, to.address);
        if is_new && exit.kind != ExitKind::Return && self.map.is_some() {
            self.found.push((branch, exit.kind, to));
        }
    }
}

//! Branches at the end of a basic block: the path takes one exit, and the alternative joins the frontier.

use everypath_ir::{Exit, ExitKind, Place, Target};
use everypath_machine::{At, Concolic, ReadyTarget, Stepped};
use everypath_oracle::TakenExit;
use everypath_term::Term;

use crate::events::Alternative;
use crate::explorer::Explorer;
use crate::pending::{Pending, Resume};
use crate::task::Task;

/// A guard of an exit that depends on input.
struct Decision {
    condition: Term,
    taken: bool,
    /// The index of the guarded exit.
    position: usize,
}

impl Explorer<'_> {
    /// Adds the guards at the end of the block to the path condition, and enqueues the alternatives.
    pub(crate) fn decide(
        &mut self,
        task: &mut Task,
        place: Place,
        stepped: &Stepped,
        before: &mut Option<Task>,
    ) {
        let Some(block) = self.machine.known(place) else { return };
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
            if let Some(direction) = self.coverage.direction(place, exit)
                && let Some(known) = self.coverage.known(direction)
            {
                known.constant += 1;
            }
        }
        for decision in decisions {
            // An assumption about the environment decides it, which the ledger lists.
            if self.is_premised(decision.condition) {
                continue;
            }
            let (holds, question) = self.sides(decision.condition, decision.taken);
            self.add_due_assumptions(task);
            // If the path condition ends with this decision, the query that began the path has just made it.
            if task.is_new() && task.path_condition.last() != Some(holds) {
                self.note_flip(task, place, &decision, question, before);
            }
            self.commit_decision(task, holds);
        }
    }

    /// Enqueues the alternative of a decision.
    fn note_flip(
        &mut self,
        task: &mut Task,
        place: Place,
        decision: &Decision,
        question: Term,
        before: &mut Option<Task>,
    ) {
        let Some((at, exit)) = self.other_exit(task, place, decision) else {
            // The next exit depends on input again: the block is run again to find it.
            return self.enqueue_rerun(task, before, question, place, Alternative::Other);
        };
        let direction = self.coverage.taken(place, exit, at.place.address);
        if self.changes_calls(place) {
            // The oracles' state reflects the exit that was taken: a call or return must not affect the alternative.
            return self.enqueue_rerun(task, before, question, place, Alternative::Exit(direction));
        }
        let at_once = self.is_roomy();
        let mut resume = Resume::Replay;
        let other = if at_once {
            let mut other = task.fork();
            resume = self.behind(place, exit);
            other.at = at;
            other.decisions += 1;
            other.path = task.path.then(place, exit);
            if let Some(block) = self.machine.known(place) {
                other.instructions += block.instruction_starts.len().max(1) as u64;
                let (kind, behind) = (block.block.exits[exit].kind, block.block.end);
                let taken = TakenExit { kind, target: at.place.address, term: None, behind };
                other.oracles.leave(&taken, &mut other.state);
            }
            other
        } else {
            task.lead(self.root.fork(), question)
        };
        let address = direction.map_or(place.address, |direction| direction.branch.0);
        let (prefix, known) = (task.path_condition.clone(), task.model.clone());
        self.note(Pending { task: other, question, at_once, resume, direction, address, prefix, known });
    }

    /// Whether a block ends with a call or return.
    fn changes_calls(&self, place: Place) -> bool {
        let calls = |exit: &Exit| matches!(exit.kind, ExitKind::Call | ExitKind::Return);
        self.machine.known(place).is_some_and(|block| block.block.exits.iter().any(calls))
    }

    /// How a path continues behind an exit whose target does not depend on input.
    fn behind(&self, place: Place, exit: usize) -> Resume {
        let exit = self.machine.known(place).map(|block| block.block.exits[exit]);
        match exit {
            Some(exit) if matches!(exit.target, Target::Computed { .. }) => Resume::Behind { exit },
            _ => Resume::Here,
        }
    }

    /// The target and exit of the block if a decision is negated; `None` if they depend on input as well.
    fn other_exit(&mut self, task: &mut Task, place: Place, decision: &Decision) -> Option<(At, usize)> {
        let block = self.machine.known(place)?;
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
                Some((At::new(self.place_of(task, &exit, address)), out.exit))
            }
        }
    }
}

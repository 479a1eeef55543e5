//! The decisions at the end of a block: the path goes one way, and the other is noted.

use everypath_ir::{Exit, ExitKind, Place, Target};
use everypath_machine::{At, Concolic, Stepped, WayTarget};
use everypath_oracle::Way;
use everypath_term::Term;

use crate::digest::Redo;
use crate::explorer::Explorer;
use crate::pending::{Pending, Resume};
use crate::task::Task;

/// A decision on input at the end of a block.
struct Decision {
    condition: Term,
    taken: bool,
    /// The way that the decision is about.
    way: usize,
}

impl Explorer<'_> {
    /// Works through the decisions at the end of the block.
    pub(crate) fn decide(
        &mut self,
        task: &mut Task,
        place: Place,
        stepped: &Stepped,
        before: &mut Option<Task>,
    ) {
        let Some(block) = self.machine.known(place) else { return };
        if block.ways.len() == 1 {
            return;
        }
        let (mut decisions, mut closed) = (Vec::new(), Vec::new());
        for (way, out) in block.ways.iter().enumerate() {
            let taken = out.exit == stepped.exit;
            match out.guard.map(|guard| &block.values[guard as usize]) {
                Some(Concolic { term: Some(condition), .. }) => {
                    decisions.push(Decision { condition: *condition, taken, way });
                }
                Some(_) if !taken => closed.push(out.exit),
                _ => {}
            }
            if taken {
                // What comes after an exit that is always taken is closed.
                if out.guard.is_some_and(|guard| block.values[guard as usize].term.is_none()) {
                    closed.extend(block.ways[way + 1..].iter().map(|other| other.exit));
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
            // The premises of the path decide it; the ledger has them.
            if self.is_premised(decision.condition) {
                continue;
            }
            let (holds, question) = self.sides(decision.condition, decision.taken);
            self.catch_up(task);
            // A path condition that ends with this decision leaves nothing to ask: the query has just made it.
            if task.is_new() && task.trail.last() != Some(holds) {
                self.note_flip(task, place, &decision, question, before);
            }
            self.settle(task, holds);
        }
    }

    /// Notes the other side of a decision.
    fn note_flip(
        &mut self,
        task: &mut Task,
        place: Place,
        decision: &Decision,
        question: Term,
        before: &mut Option<Task>,
    ) {
        let Some((at, exit)) = self.other_way(task, place, decision) else {
            // What comes next is again decided by input: the block is run again to see.
            return self.note_redo(task, before, question, place, Redo::Other);
        };
        let direction = self.coverage.taken(place, exit, at.place.address);
        if self.changes_calls(place) {
            // Oracles have seen the block being left by the exit it took; a call or return must not leave its mark on the other
            // side.
            return self.note_redo(task, before, question, place, Redo::Exit(direction));
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
                other.instructions += block.marks.len().max(1) as u64;
                let (kind, behind) = (block.block.exits[exit].kind, block.block.end);
                let way = Way { kind, target: at.place.address, term: None, behind };
                other.watchers.leave(&way, &mut other.state);
            }
            other
        } else {
            task.lead(self.root.fork(), question)
        };
        let address = direction.map_or(place.address, |direction| direction.branch.0);
        let (prefix, known) = (task.trail.clone(), task.model.clone());
        self.note(Pending { task: other, question, at_once, resume, direction, address, prefix, known });
    }

    /// Whether an exit of a block calls or returns.
    fn changes_calls(&self, place: Place) -> bool {
        let calls = |exit: &Exit| matches!(exit.kind, ExitKind::Call | ExitKind::Return);
        self.machine.known(place).is_some_and(|block| block.block.exits.iter().any(calls))
    }

    /// How a path goes on behind an exit whose target does not depend on input.
    fn behind(&self, place: Place, exit: usize) -> Resume {
        let exit = self.machine.known(place).map(|block| block.block.exits[exit]);
        match exit {
            Some(exit) if matches!(exit.target, Target::Computed { .. }) => Resume::Behind { exit },
            _ => Resume::Here,
        }
    }

    /// Where the block leads to if a decision goes the other way, and by which exit; `None` if that is not yet known.
    fn other_way(&mut self, task: &mut Task, place: Place, decision: &Decision) -> Option<(At, usize)> {
        let block = self.machine.known(place)?;
        let mut way = decision.way;
        if decision.taken {
            loop {
                way += 1;
                match block.ways[way].guard.map(|guard| &block.values[guard as usize]) {
                    None => break,
                    Some(value) if value.term.is_some() => return None,
                    Some(value) if value.bits.narrow() != 0 => break,
                    Some(_) => {}
                }
            }
        }
        let out = block.ways[way];
        match out.target {
            WayTarget::Place(target) => Some((At::new(target), out.exit)),
            WayTarget::Computed(slot, _) => {
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

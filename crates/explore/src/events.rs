//! Concretisation inside a basic block: each value that the run fixes joins the path condition, and other values are
//! alternatives. Input pointers are initialised lazily (Khurshid, Pasareanu and Visser 2003).

use everypath_ir::Place;
use everypath_machine::{Event, lies_in};
use everypath_record::Direction;
use everypath_term::Term;

use crate::explorer::Explorer;
use crate::ledger::Kind;
use crate::pending::{Pending, Resume};
use crate::suspicion::Suspicion;
use crate::task::Task;

/// The alternative with which a block is run again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alternative {
    /// Another address of a memory access.
    Alias,
    /// An input pointer points to another object: its kind and number.
    Object(usize, usize),
    /// The block is left by another exit, which takes this direction if its target is known.
    Exit(Option<Direction>),
    /// Any other alternative.
    Other,
}

impl Explorer<'_> {
    /// Processes the events inside the block that depend on input.
    pub(crate) fn process_events(
        &mut self,
        task: &mut Task,
        place: Place,
        before: &mut Option<Task>,
        suspicions: &[Suspicion],
    ) {
        let events = std::mem::take(&mut self.events);
        let mut suspicions = suspicions.iter().peekable();
        for event in &events {
            // A violation suspected at a step is queried before the step's own concretisation.
            if let Event::Accessed { step, .. } | Event::Guarded { step, .. } = event {
                while let Some(suspicion) = suspicions.next_if(|suspicion| suspicion.step <= *step as usize) {
                    self.suspect(task, suspicion);
                }
            }
            match *event {
                Event::Unwritten { byte, value } => self.fix_unwritten(task, byte, value),
                Event::Accessed { window: true, .. } | Event::Decided { .. } | Event::Jumped { .. } => {}
                Event::Accessed { space, address, value, size, write, .. } => {
                    self.resolve_pointers(task, before, address, place);
                    if task.ranges.fixed(&self.terms, address).is_some() {
                        continue;
                    }
                    let same = self.is_number(address, value);
                    if task.aliases < self.plan.aliases {
                        // Forbidden addresses are left to the oracles: each of them ends the path.
                        let other = self.terms.not(same);
                        let ranges = task
                            .state
                            .ranges(space, |allowed| if write { allowed.write } else { allowed.read });
                        let allowed = lies_in(&mut self.terms, address, size, &ranges);
                        let watched = task.oracles.has("unmapped") && task.oracles.has("read-only");
                        let question = match allowed.filter(|_| watched) {
                            Some(allowed) => self.terms.and(allowed, other),
                            None => other,
                        };
                        self.enqueue_rerun(task, before, question, place, Alternative::Alias);
                    } else {
                        let what = "an address that input computes was taken to be the one it is";
                        self.ledger.note(Kind::Bound, place.address, what, true);
                    }
                    self.commit_decision(task, same);
                }
                Event::Guarded { condition, taken, .. } => {
                    let (holds, question) = self.sides(condition, taken);
                    self.enqueue_rerun(task, before, question, place, Alternative::Other);
                    self.commit_decision(task, holds);
                }
                Event::Executed { byte, value } => {
                    // The static analysis holds only for the code as the file has it.
                    self.map = None;
                    let same = self.is_number(byte, u64::from(value));
                    let question = self.terms.not(same);
                    self.enqueue_rerun(task, before, question, place, Alternative::Other);
                    self.commit_decision(task, same);
                }
                Event::Fixed { argument, .. } => {
                    self.evaluation.set_model(task.model.clone());
                    let value = self.evaluation.value(&self.terms, argument);
                    let value = self.terms.constant(&value);
                    let same = self.terms.eq(argument, value);
                    let what = "what a user operation got from input was taken to be what it is";
                    self.ledger.note(Kind::Concretised, place.address, what, true);
                    self.assume(task, same);
                }
            }
        }
        for suspicion in suspicions {
            self.suspect(task, suspicion);
        }
        self.events = events;
    }

    /// Pins an uninitialised byte to its assumed value, unless uninitialised memory is input.
    fn fix_unwritten(&mut self, task: &mut Task, byte: Term, value: u8) {
        let same = self.is_number(byte, u64::from(value));
        if self.is_changed(byte) {
            // No value range is derived from it: an address that depends on it must not count as fixed.
            task.path_condition.push(same);
            return;
        }
        if self.unwritten_is_input {
            return;
        }
        self.unwritten_assumptions.insert(same);
        self.assume(task, same);
    }

    /// Lazy initialisation of the input pointers that an address depends on: null, an object that the path has used, or
    /// a fresh one. Fresh objects are interchangeable, so one represents all.
    fn resolve_pointers(&mut self, task: &mut Task, before: &mut Option<Task>, address: Term, place: Place) {
        for number in 0..self.pointers.len() {
            let (pointer, term) = (&self.pointers[number].0, self.pointers[number].1);
            let touches = self.terms.inputs(address).intersects(self.terms.inputs(term));
            if !touches || task.ranges.fixed(&self.terms, term).is_some() {
                continue;
            }
            self.evaluation.set_model(task.model.clone());
            let now = self.evaluation.word(&self.terms, term).unwrap_or(0);
            let (object, targets) = (pointer.object, pointer.targets.clone());
            let chosen = targets.iter().position(|target| *target == now);
            let is_used = |which: usize| task.objects[object] >> which & 1 == 1;
            let fresh = match chosen {
                Some(chosen) if !is_used(chosen) => Some(chosen),
                _ => (0..targets.len()).find(|which| !is_used(*which)),
            };
            let mut others: Vec<(u64, Option<usize>)> = Vec::new();
            if pointer.null && now != 0 {
                others.push((0, None));
            }
            for (which, target) in targets.iter().enumerate() {
                if Some(which) != chosen && (is_used(which) || Some(which) == fresh) {
                    others.push((*target, Some(which)));
                }
            }
            if fresh.is_none() {
                let what = "there are only as many objects as the configuration says";
                self.ledger.note(Kind::Bound, place.address, what, true);
            }
            for (target, which) in others {
                let question = self.is_number(term, target);
                let redo = which.map_or(Alternative::Other, |which| Alternative::Object(object, which));
                self.enqueue_rerun(task, before, question, place, redo);
            }
            if let Some(chosen) = chosen {
                task.objects[object] |= 1 << chosen;
            }
            let same = self.is_number(term, now);
            self.commit_decision(task, same);
        }
    }

    /// Enqueues a second run of the block with another value, if a query is satisfiable.
    pub(crate) fn enqueue_rerun(
        &mut self,
        task: &mut Task,
        before: &mut Option<Task>,
        question: Term,
        place: Place,
        redo: Alternative,
    ) {
        self.add_due_assumptions(task);
        // If the path condition ends with the negation, the query is unsatisfiable.
        let opposite = self.terms.not(question);
        if !task.is_new() || task.path_condition.last() == Some(opposite) {
            return;
        }
        let again = match before {
            Some(before) => before.fork(),
            None => {
                // No fork exists yet: replay from the entry. From now on the path is forked before this block.
                self.fork_before.insert(place);
                self.root.fork()
            }
        };
        let mut again = task.lead(again, question);
        let mut direction = None;
        match redo {
            Alternative::Alias => again.aliases += 1,
            Alternative::Object(object, which) => again.objects[object] |= 1 << which,
            Alternative::Exit(taken) => direction = taken,
            Alternative::Other => {}
        }
        let pending = Pending {
            question,
            at_once: false,
            resume: Resume::Replay,
            direction,
            address: direction.map_or(place.address, |direction| direction.branch.0),
            prefix: task.path_condition.clone(),
            known: task.model.clone(),
            task: again,
        };
        self.note(pending);
    }
}

//! What happened inside a block that depends on input: each becomes a question, and an assumption of the path.

use everypath_ir::Place;
use everypath_machine::{Event, lies_in};
use everypath_record::Direction;
use everypath_term::Term;

use crate::explorer::Explorer;
use crate::ledger::Kind;
use crate::pending::{Pending, Resume};
use crate::suspicion::Suspicion;
use crate::task::Task;

/// What is different when a block is run again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Redo {
    /// An address.
    Alias,
    /// A pointer points to this object of this kind.
    Object(usize, usize),
    /// The block is left by another exit, which takes this direction if its target is known.
    Exit(Option<Direction>),
    /// Something else.
    Other,
}

impl Explorer<'_> {
    /// Works through what happened inside the block.
    pub(crate) fn digest(
        &mut self,
        task: &mut Task,
        place: Place,
        before: &mut Option<Task>,
        suspicions: &[Suspicion],
    ) {
        let events = std::mem::take(&mut self.events);
        let mut suspicions = suspicions.iter().peekable();
        for event in &events {
            // What is suspected of a step is asked before what the step takes for granted.
            if let Event::Accessed { step, .. } | Event::Guarded { step, .. } = event
                && let Some(step) = self.machine.known(place).and_then(|block| block.step_of(*step))
            {
                while let Some(suspicion) = suspicions.next_if(|suspicion| suspicion.step <= step) {
                    self.suspect(task, suspicion);
                }
            }
            match *event {
                Event::Unwritten { byte, value } => self.pin(task, byte, value),
                Event::Accessed { window: true, .. } | Event::Decided { .. } | Event::Jumped { .. } => {}
                Event::Accessed { space, address, value, size, write, .. } => {
                    self.point(task, before, address, place);
                    if task.windows.fixed(&self.terms, address).is_some() {
                        continue;
                    }
                    let same = self.is_number(address, value);
                    if task.aliases < self.plan.aliases {
                        // Addresses where nothing may be accessed are the oracles' business: they all end the path.
                        let other = self.terms.not(same);
                        let ranges = task
                            .state
                            .ranges(space, |allowed| if write { allowed.write } else { allowed.read });
                        let allowed = lies_in(&mut self.terms, address, size, &ranges);
                        let watched = task.watchers.has("unmapped") && task.watchers.has("read-only");
                        let question = match allowed.filter(|_| watched) {
                            Some(allowed) => self.terms.and(allowed, other),
                            None => other,
                        };
                        self.note_redo(task, before, question, place, Redo::Alias);
                    } else {
                        let what = "an address that input computes was taken to be the one it is";
                        self.ledger.note(Kind::Bound, place.address, what, true);
                    }
                    self.settle(task, same);
                }
                Event::Guarded { condition, taken, .. } => {
                    let (holds, question) = self.sides(condition, taken);
                    self.note_redo(task, before, question, place, Redo::Other);
                    self.settle(task, holds);
                }
                Event::Executed { byte, value } => {
                    // What is known without a run is known of the code as the file has it.
                    self.map = None;
                    let same = self.is_number(byte, u64::from(value));
                    let question = self.terms.not(same);
                    self.note_redo(task, before, question, place, Redo::Other);
                    self.settle(task, same);
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

    /// Takes a byte that nothing has written to be what it is, unless such bytes are input.
    fn pin(&mut self, task: &mut Task, byte: Term, value: u8) {
        let same = self.is_number(byte, u64::from(value));
        if self.is_changed(byte) {
            // No range is taken from it: an address that depends on it must not count as a known one.
            task.trail.push(same);
            return;
        }
        if self.unwritten_is_input {
            return;
        }
        self.pins.insert(same);
        self.assume(task, same);
    }

    /// Decides what pointers among the input point to, if an address depends on them: null, an object that the path has
    /// used, or one that it has not. Unused ones are all alike, so one stands for all.
    fn point(&mut self, task: &mut Task, before: &mut Option<Task>, address: Term, place: Place) {
        for number in 0..self.pointers.len() {
            let (pointer, term) = (&self.pointers[number].0, self.pointers[number].1);
            let touches = self.terms.inputs(address).intersects(self.terms.inputs(term));
            if !touches || task.windows.fixed(&self.terms, term).is_some() {
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
                let redo = which.map_or(Redo::Other, |which| Redo::Object(object, which));
                self.note_redo(task, before, question, place, redo);
            }
            if let Some(chosen) = chosen {
                task.objects[object] |= 1 << chosen;
            }
            let same = self.is_number(term, now);
            self.settle(task, same);
        }
    }

    /// Notes that the block could be run again with another value, if a question has a model.
    pub(crate) fn note_redo(
        &mut self,
        task: &mut Task,
        before: &mut Option<Task>,
        question: Term,
        place: Place,
        redo: Redo,
    ) {
        self.catch_up(task);
        // A path condition that ends with the opposite leaves nothing to ask.
        let opposite = self.terms.not(question);
        if !task.is_new() || task.trail.last() == Some(opposite) {
            return;
        }
        let again = match before {
            Some(before) => before.fork(),
            None => {
                // The first time nobody knew: from the start. From now on a fork is made before this block.
                self.touchy.insert(place);
                self.root.fork()
            }
        };
        let mut again = task.lead(again, question);
        let mut direction = None;
        match redo {
            Redo::Alias => again.aliases += 1,
            Redo::Object(object, which) => again.objects[object] |= 1 << which,
            Redo::Exit(taken) => direction = taken,
            Redo::Other => {}
        }
        let pending = Pending {
            question,
            at_once: false,
            resume: Resume::Replay,
            direction,
            address: direction.map_or(place.address, |direction| direction.branch.0),
            prefix: task.trail.clone(),
            known: task.model.clone(),
            task: again,
        };
        self.note(pending);
    }
}

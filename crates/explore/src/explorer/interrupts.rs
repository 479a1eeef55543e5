//! When interrupts are taken: one that the program has pended at once, and one that a device may pend where the program
//! repeats itself. Nothing but an interrupt brings such a path any further.

use everypath_ir::{Location, Place};
use everypath_machine::End;

use crate::explorer::Explorer;
use crate::frontier::pending::Resume;
use crate::map::handlers::WriteExtent;
use crate::path::subsumption::{Repetition, RepetitionKind, state_of};
use crate::path::task::Task;
use crate::run::interrupts::interrupts_by_devices;
use crate::verdict::ledger::AssumptionKind;

/// How a path continues at the head of a loop, or where an interrupt is due.
pub(super) enum Continuation {
    /// In the handler of an interrupt.
    Interrupted,
    /// It ends.
    Ends(End),
}

impl Explorer<'_> {
    /// Takes the interrupt that is due here: one that the path was enqueued with or that its replay takes, or one that the
    /// program has pended.
    pub(super) fn take_due_interrupt(&mut self, task: &mut Task) -> Option<Continuation> {
        if let Some(number) = task.due_interrupt() {
            return Some(self.take_interrupt(task, number));
        }
        if !task.progress.lines().has_pending() {
            return None;
        }
        let controller = self.inputs.world.controller()?;
        match controller.takeable(task.progress.lines(), &mut task.state, task.at.place) {
            Some(takeable) => {
                let number = takeable.pending?;
                Some(self.take_interrupt(task, number))
            }
            None => {
                let what = "whether a pending interrupt is masked depends on input, and was not followed";
                Some(self.abandon(task, what))
            }
        }
    }

    /// Lets a path that repeats itself be interrupted, or end. Other interrupts that may happen here join the frontier.
    pub(super) fn interrupt_repetition(&mut self, task: &mut Task, repetition: &Repetition) -> Continuation {
        let taken = task.fruitless_interrupts();
        let place = task.at.place;
        let ends = Continuation::Ends(End::Repeats { place });
        if repetition.kind == RepetitionKind::Waits {
            self.knowledge.note_wait(place.address);
        }
        if repetition.kind == RepetitionKind::Returns {
            return ends;
        }
        let numbers = interrupts_by_devices(task, &self.inputs, &self.knowledge.handlers, place);
        let Some(mut numbers) = numbers else {
            return self.abandon(task, "whether an interrupt is masked depends on input, and none was tried");
        };
        if numbers.is_empty() {
            return ends;
        }
        let left = state_of(task);
        task.ancestors.leave(place, left);
        let own = self.continues_with(task, &repetition.awaited, &numbers);
        numbers.retain(|number| Some(*number) != own);
        for number in numbers {
            self.enqueue_interrupt(task, number, taken);
        }
        match own {
            Some(number) => self.take_interrupt(task, number),
            None => ends,
        }
    }

    /// The interrupt with which a path continues: of those whose handlers may write what it waits for, the one that it has
    /// taken longest ago. A handler that writes at unknown addresses is only chosen if no other one does.
    fn continues_with(&mut self, task: &mut Task, awaited: &[Location], numbers: &[u64]) -> Option<u64> {
        let place = task.at.place;
        let (controller, handlers) = (self.inputs.world.controller()?, &self.knowledge.handlers);
        let extent = |number: &u64| {
            let handler = controller.handler(self.inputs.guest, &mut task.state, *number)?;
            handlers.may_write(handler, awaited).map(|extent| (extent, *number))
        };
        let found: Vec<(WriteExtent, u64)> = numbers.iter().filter_map(extent).collect();
        let nearest = found.iter().map(|(extent, _)| *extent).min()?;
        if !self.interrupts.count_wait(place.address, task.interrupts().len()) {
            self.note_bound(place, "the bound on the number of interrupts on a path was reached");
            return None;
        }
        let last = |number: &u64| task.interrupts().iter().rposition(|taken| taken.number == *number);
        let nearest = found.iter().filter(|(extent, _)| *extent == nearest);
        nearest.map(|(_, number)| *number).min_by_key(last)
    }

    /// Enqueues a path that takes an interrupt here, forked from one that has taken so many since it has shown something
    /// new.
    fn enqueue_interrupt(&mut self, task: &mut Task, number: u64, taken: usize) {
        let place = task.at.place;
        if !self.interrupts.count_try(place.address, number, taken) || !self.frontier.has_room() {
            self.note_bound(
                place,
                "the bound on the number of tries of an interrupt at one place was reached",
            );
            return;
        }
        let fork = task.fork().with_interrupt(number);
        self.enqueue_continuation(fork, Resume::Interrupt);
    }

    fn take_interrupt(&mut self, task: &mut Task, number: u64) -> Continuation {
        self.note_assumed(task, number);
        match self.runner.interrupt(task, &mut self.inputs, number) {
            Ok(true) => Continuation::Interrupted,
            Ok(false) => {
                self.abandon(task, "the entry of an interrupt depends on input, and was not followed")
            }
            Err(end) => Continuation::Ends(end),
        }
    }

    /// Records that an interrupt is taken of which it is not known what enables it. No path is lost by that.
    fn note_assumed(&mut self, task: &mut Task, number: u64) {
        let Some(controller) = self.inputs.world.controller().filter(|one| one.is_assumed(number)) else {
            return;
        };
        let handler = controller.handler(self.inputs.guest, &mut task.state, number).unwrap_or_default();
        let what = format!(
            "interrupt {number} was taken: it was assumed to be enabled wherever interrupts are, because it is not known which \
             register of the chip enables it"
        );
        self.knowledge.ledger.note(AssumptionKind::Interrupt, handler, what, false);
    }

    /// Ends a path where it cannot be followed.
    fn abandon(&mut self, task: &Task, what: &'static str) -> Continuation {
        let place = task.at.place;
        self.knowledge.ledger.note(AssumptionKind::Interrupt, place.address, what, true);
        Continuation::Ends(End::Repeats { place })
    }

    fn note_bound(&mut self, place: Place, what: &'static str) {
        self.knowledge.ledger.note(AssumptionKind::Bound, place.address, what, true);
    }
}

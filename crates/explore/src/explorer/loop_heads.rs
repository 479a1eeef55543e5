//! Paths at the heads of loops: one that repeats itself ends or is interrupted, and one that polls and counts, or that has
//! shown nothing new for long, is postponed.

use everypath_machine::End;

use crate::explorer::Explorer;
use crate::explorer::interrupts::Continuation;
use crate::frontier::pending::Resume;
use crate::path::subsumption::{AtHead, RepetitionKind, visit_head};
use crate::path::task::Task;
use crate::run::runner::PathRun;
use crate::verdict::ledger::AssumptionKind;

impl Explorer<'_> {
    /// Ends, interrupts or postpones a path at the head of a loop; `None` if it continues. `first` is the number of its
    /// first pending branch.
    pub(super) fn meet_head(&mut self, run: &mut PathRun, first: u64) -> Option<Continuation> {
        if run.task.has_new_direction_ahead() {
            return None;
        }
        let place = run.task.at.place;
        let at_head = visit_head(&mut self.inputs, &mut run.task);
        let is_endless = self.try_nontermination_proof(run, &at_head);
        if is_endless && !matches!(at_head, AtHead::Repeats(_)) {
            // Other inputs of this path may leave the loop later.
            let what = "a path was ended in a loop that it never leaves with its input";
            self.knowledge.ledger.note(AssumptionKind::Bound, place.address, what, true);
            return Some(Continuation::Ends(End::Repeats { place }));
        }
        let (continuation, polls) = match at_head {
            AtHead::Repeats(repetition) => {
                let polls = repetition.kind == RepetitionKind::Polls;
                (self.interrupt_repetition(&mut run.task, &repetition), polls)
            }
            AtHead::PollsAndCounts if run.task.is_patient() && self.frontier.can_postpone() => {
                self.enqueue_continuation(run.task.fork(), Resume::Postponed);
                (Continuation::Ends(End::Postponed { place }), true)
            }
            AtHead::Progresses if run.has_lost_patience() && self.frontier.can_postpone() => {
                self.enqueue_continuation(run.task.fork().with_more_patience(), Resume::Postponed);
                (Continuation::Ends(End::Postponed { place }), false)
            }
            AtHead::PollsAndCounts | AtHead::Progresses => return None,
        };
        if polls && matches!(continuation, Continuation::Ends(_)) {
            self.polls.ended_in(place.address, first);
        }
        Some(continuation)
    }

    /// Enqueues a path to be continued where it is. A replay from the entry does not reach it, so it needs its state.
    pub(super) fn enqueue_continuation(&mut self, task: Task, resume: Resume) {
        let pending = self.continuation(task, resume);
        self.frontier.push(pending);
    }

    /// The next postponed path, when the search is about to end because everything is covered: a fault, or code without
    /// a branch, may follow. It is not postponed any more.
    pub(super) fn next_postponed(&mut self) -> Option<Task> {
        while let Some(pending) = self.frontier.pop_postponed() {
            if let Some((task, _)) = self.ask(pending) {
                return Some(task.without_patience());
            }
        }
        None
    }
}

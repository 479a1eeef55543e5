//! One path of a search: its run from block to block, and its record.

use everypath_environment::GuestError;
use everypath_machine::{Bound, End};
use everypath_record::Direction;

use crate::cancellation::Cancellation;
use crate::explorer::Explorer;
use crate::explorer::followed::{Finished, Followed};
use crate::explorer::interrupts::Continuation;
use crate::merge::Learnt;
use crate::observer::Observer;
use crate::path::task::{Join, Task};
use crate::probe::{ProbeContext, Probes};
use crate::record::recorder::{ExpectedPath, FINDINGS, Recording, is_broken_off};
use crate::run::context::PathContext;
use crate::run::runner::{PathPoint, PathRun, PathRunner};
use crate::verdict::ledger::AssumptionKind;
use crate::verdict::setup::suspect_setup;

/// Number of blocks between two calls of the observer.
const ASK_EVERY: u64 = 1 << 14;
/// Maximum number of instructions that are replayed to turn a path into a test when the time is over.
const LATE_REPLAY: u64 = 2_000_000;

impl<'g> Explorer<'g> {
    /// Runs a path to its end, or to where it waits for others. It begins after the branch that takes `direction`.
    pub(super) fn follow(
        &mut self,
        task: Task,
        direction: Option<Direction>,
        observer: &mut dyn Observer,
    ) -> Followed {
        let mut run = PathRun {
            last_new: PathPoint::here(&task),
            task,
            violations: Vec::new(),
            adds: Vec::new(),
            new_instructions: false,
        };
        if let Some(direction) = direction {
            let coverage = &mut self.knowledge.coverage;
            coverage.discover(direction);
            run.adds.extend(coverage.record_taken(direction));
            coverage.called(direction);
        }
        let (mut cancelled, mut blocks) = (false, 0);
        let first = self.frontier.enqueued();
        let end = loop {
            if let Some(end) = self.arrive(&mut run.task) {
                break end;
            }
            if let Some(end) = self.runner.ends(&run.task, &mut self.knowledge.ledger) {
                break end;
            }
            if let Some(join) = run.task.take_join()
                && !run.task.is_in_prefix()
            {
                if self.merging.is_some() {
                    return Followed::Paused(run);
                }
                if join == Join::LoopHead && !self.plan.keeps_all() {
                    match self.meet_head(&mut run, first) {
                        Some(Continuation::Interrupted) => continue,
                        Some(Continuation::Ends(end)) => break end,
                        None => {}
                    }
                }
            }
            // Behind the head of a loop, so that a program that raises an interrupt before it comes back is met there.
            match self.take_due_interrupt(&mut run.task) {
                Some(Continuation::Interrupted) => continue,
                Some(Continuation::Ends(end)) => break end,
                None => {}
            }
            blocks += 1;
            self.collect(Some(&run.task));
            let place = run.task.at.place;
            if self.cancellation.is_set() || blocks % ASK_EVERY == 0 && !self.consult(place.address, observer)
            {
                cancelled = true;
                break End::Exhausted { place, bound: Bound::Instructions };
            }
            let before = run.task.is_merged().then(|| run.task.path_condition.clone());
            let (runner, mut context) = self.path_context();
            let end = runner.step(&mut run, &mut context);
            if let Some(before) = before {
                let learnt = self.learn_cursors(&run.task, &before);
                if self.is_proving() {
                    if self.must_discard(learnt) {
                        return Followed::Discarded(run);
                    }
                } else if learnt != Learnt::Nothing {
                    return Followed::MergedCursor(run, learnt);
                }
            }
            if let Some(end) = end {
                // The program may end in a loop that leads back to a target.
                self.pass_points(&mut run.task);
                break end;
            }
        };
        self.runner.finish(&mut run, &end, cancelled, &mut self.knowledge.ledger);
        Followed::Ended(Finished { run, end, cancelled })
    }

    /// The path runner, and the parts that a running path changes.
    pub(super) fn path_context(&mut self) -> (&mut PathRunner<'g>, PathContext<'_, 'g>) {
        let context = PathContext {
            inputs: &mut self.inputs,
            knowledge: &mut self.knowledge,
            frontier: &mut self.frontier,
            probes: &mut self.probes,
            recorder: &self.recorder,
            stop: self.cancellation.flag(),
        };
        (&mut self.runner, context)
    }

    /// Records a path that was run to its end.
    pub(super) fn finish(&mut self, finished: Finished) {
        let Finished { mut run, end, cancelled } = finished;
        if self.schedule.paths() == 0
            && let Some((address, what)) = suspect_setup((&run.task, &end), &mut self.root, &self.inputs)
        {
            self.knowledge.ledger.note(AssumptionKind::Setup, address, what.clone(), true);
            self.knowledge.premises.setup = Some(what);
        }
        self.schedule.ran();
        self.knowledge.finish_path(&mut run.task, &end, cancelled, &mut self.root);
        self.extend_dictionary(&run.task);
        if !run.adds.is_empty() {
            self.interrupts.renew();
        }
        if !cancelled {
            self.record(run, end);
        } else if !self.plan.keeps_all()
            && !run.task.is_merged()
            && !run.task.is_in_prefix()
            && run.last_new.instructions <= LATE_REPLAY
        {
            // What a fault is has not been confirmed, and the directions are worth a test.
            run.violations.clear();
            self.record(run, end);
        }
        if !self.is_proving() {
            self.knowledge.check_proofs();
            self.knowledge.extend_map();
            self.knowledge.extend_entries(&mut self.root, self.cancellation.flag());
        }
    }

    /// Turns a path that adds coverage or findings into a test, and records it if its replay takes the same path.
    fn record(&mut self, run: PathRun, end: End) {
        let PathRun { task, last_new, violations, adds, new_instructions } = run;
        let new = self.recorder.new_violations(violations);
        let wanted = self.plan.keeps_all() || !adds.is_empty() || new_instructions || !new.is_empty();
        if !wanted {
            return;
        }
        if task.is_merged() {
            let input = self.inputs.test_input(&task.model, &task.progress.reads, task.interrupts());
            return self.record_reached(&task, input, &adds, new);
        }
        self.keep_seed(&task.model);
        let (until, end) = if is_broken_off(&end) && new.is_empty() && !self.plan.keeps_all() {
            // What follows only makes the test longer.
            let end = End::Exhausted { place: last_new.place, bound: Bound::Shown };
            (last_new, end)
        } else {
            (PathPoint::here(&task), end)
        };
        let input = self.inputs.test_input(&task.model, &until.reads, &task.interrupts()[..until.interrupts]);
        let PathPoint { path: number, instructions, .. } = until;
        let expected = ExpectedPath { number, instructions, end, violations: new };
        let recording = self.recorder.record(input, expected);
        self.note_recording(&recording, task.at.place.address);
    }

    /// Notes what became of a path that was to be recorded, which ended or paused at this address.
    pub(super) fn note_recording(&mut self, recording: &Result<Recording, GuestError>, address: u64) {
        let ledger = &mut self.knowledge.ledger;
        match recording {
            Ok(Recording::Kept) => {}
            Ok(Recording::Shortened(address)) => {
                let what = format!(
                    "only the first {FINDINGS} faults of this path are reported; later ones are probably consequences"
                );
                ledger.note(AssumptionKind::Bound, *address, what, false);
            }
            Ok(Recording::Diverged) => {
                ledger.note(AssumptionKind::Divergence, address, "a test does not replay", true);
            }
            Err(_) => {
                ledger.note(
                    AssumptionKind::Divergence,
                    address,
                    "the guest does not start with a test",
                    true,
                );
            }
        }
    }

    /// Queries the solver about the violations that oracles suspect on the path that has ended.
    pub(super) fn ask_probes(&mut self) {
        let (probes, mut context, cancellation) = self.probe_context();
        probes.ask(&mut context, cancellation);
    }

    /// Queries the solver about the violations that the addresses on their paths excluded.
    pub(super) fn ask_probes_elsewhere(&mut self) {
        let (probes, mut context, cancellation) = self.probe_context();
        probes.ask_elsewhere(&mut context, cancellation);
    }

    /// The probes, and the parts that they change.
    fn probe_context(&mut self) -> (&mut Probes, ProbeContext<'_, 'g>, &Cancellation) {
        let context = ProbeContext {
            inputs: &mut self.inputs,
            queries: &mut self.queries,
            recorder: &mut self.recorder,
            ledger: &mut self.knowledge.ledger,
            blockers: &mut self.knowledge.ends.blockers,
        };
        (&mut self.probes, context, &self.cancellation)
    }
}

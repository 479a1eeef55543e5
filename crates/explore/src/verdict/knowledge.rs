//! The knowledge from which verdicts follow: coverage, the static map, abnormal ends, and the assumption ledger.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use everypath_environment::{Guest, WaypointPlace};
use everypath_ir::{AddressSet, Exit, ExitKind, Place, Target};
use everypath_machine::{Bound, End, Missing};
use everypath_record::{Address, Direction, IndirectExitRecord};
use everypath_solve::QueryLimits;

use crate::map::exclusion::{Exclusions, exclusions};
use crate::map::handlers::Handlers;
use crate::map::static_map::ProgramMap;
use crate::path::task::Task;
use crate::plan::Criterion;
use crate::verdict::blockers::BlockedCode;
use crate::verdict::coverage::{Coverage, ExecutedCode, JudgedCode};
use crate::verdict::evidence::evidence;
use crate::verdict::guards::Guards;
use crate::verdict::indirect_exits::IndirectTargetLog;
use crate::verdict::interrupts::judge_handlers;
use crate::verdict::ledger::{AssumptionKind, Ledger};
use crate::verdict::notes::Notes;
use crate::verdict::path_ends::PathEnds;
use crate::verdict::premises::Premises;
use crate::verdict::proofs::Proofs;
use crate::verdict::static_analysis::StaticAnalysis;

/// The facts of an exploration from which the verdicts on the directions of a guest follow.
pub(crate) struct Knowledge<'g> {
    guest: &'g Guest,
    criterion: Criterion,
    pub(crate) coverage: Coverage,
    pub(crate) ledger: Ledger,
    /// Assumptions about the environment.
    pub(crate) premises: Premises,
    /// The ends of paths that leave code unexplored.
    pub(crate) ends: PathEnds,
    /// The outcomes that paths had at guards inside instructions.
    pub(crate) guards: Guards,
    /// The targets that paths took at indirect exits.
    indirect_targets: IndirectTargetLog,
    /// Control-flow graph and value sets.
    analysis: StaticAnalysis<'g>,
    /// The interrupt handlers.
    pub(crate) handlers: Handlers,
    /// Whether a path waits for memory that a peripheral may write.
    memory_may_change: bool,
    /// The results of abstractions of all paths.
    proofs: Proofs,
    /// Directions that value sets excluded when the verdicts were last checked, for progress reports.
    excluded_so_far: BTreeSet<Direction>,
}

/// The facts about the paths of the search, suspended while an abstraction is explored.
pub(crate) struct SuspendedSearch {
    notes: Notes,
    guards: Guards,
    indirect_targets: IndirectTargetLog,
    executed: ExecutedCode,
}

impl<'g> Knowledge<'g> {
    pub(crate) fn new(guest: &'g Guest, criterion: Criterion, premises: Premises) -> Knowledge<'g> {
        let mut coverage = Coverage::default();
        if premises.is_process {
            let segments = guest.image().segments().iter();
            coverage.judge_only(JudgedCode(segments.map(|one| (one.address(), one.last())).collect()));
        }
        Knowledge {
            guest,
            criterion,
            analysis: StaticAnalysis::new(guest, criterion, premises.is_process),
            coverage,
            ledger: Ledger::default(),
            premises,
            ends: PathEnds::default(),
            guards: Guards::default(),
            indirect_targets: IndirectTargetLog::default(),
            memory_may_change: false,
            handlers: Handlers::default(),
            proofs: Proofs::default(),
            excluded_so_far: BTreeSet::new(),
        }
    }

    /// The notes of all paths so far.
    pub(crate) fn notes(&self) -> Notes {
        Notes { ledger: self.ledger.clone(), blockers: self.ends.blockers.clone() }
    }

    /// Returns to earlier notes. What runs from the entry have shown since is kept.
    pub(crate) fn return_to(&mut self, notes: Notes) {
        self.ledger.return_to(notes.ledger);
        self.ends.blockers.return_to(notes.blockers);
    }

    /// Suspends what is known about paths, to explore an abstraction with these notes.
    pub(crate) fn suspend(&mut self, notes: Notes) -> SuspendedSearch {
        SuspendedSearch {
            notes: Notes {
                ledger: std::mem::replace(&mut self.ledger, notes.ledger),
                blockers: std::mem::replace(&mut self.ends.blockers, notes.blockers),
            },
            guards: std::mem::take(&mut self.guards),
            indirect_targets: self.indirect_targets.clone(),
            executed: self.coverage.executed().clone(),
        }
    }

    /// Resumes the suspended search. What runs from the entry have shown meanwhile is kept.
    pub(crate) fn resume(&mut self, suspended: SuspendedSearch) {
        let SuspendedSearch { notes, guards, indirect_targets, executed } = suspended;
        self.return_to(notes);
        (self.guards, self.indirect_targets) = (guards, indirect_targets);
        self.coverage.set_executed(executed);
    }

    /// Whether an abstraction has shown that a direction is infeasible.
    pub(crate) fn is_proved(&self, direction: Direction) -> bool {
        self.proofs.has(direction)
    }

    /// Whether a direction counts as infeasible so far: an abstraction has shown it, or value sets excluded it when the
    /// verdicts were last checked.
    pub(crate) fn is_excluded_so_far(&self, direction: Direction) -> bool {
        self.is_proved(direction) || !self.memory_may_change && self.excluded_so_far.contains(&direction)
    }

    /// Checks what abstractions have shown against the paths of the search: if one takes a direction that was shown
    /// infeasible, no such proof is believed any more.
    pub(crate) fn check_proofs(&mut self) {
        let Some(refuted) = self.proofs.drop_if_refuted(&self.coverage) else { return };
        debug_assert!(false, "{refuted} was shown infeasible, and a path takes it");
        let what =
            "a path takes a direction that an abstraction had excluded; its other results are not used";
        self.ledger.note(AssumptionKind::Divergence, refuted.branch.0, what, true);
    }

    /// Whether an abstraction of all paths takes no targets of indirect exits but those that paths have taken.
    fn are_indirect_exits_proved(&self) -> bool {
        !self.memory_may_change && self.proofs.has_only(&self.indirect_targets)
    }

    /// Whether every direction is covered, or shown infeasible by an abstraction. Value sets, which take longer, are not
    /// asked.
    pub(crate) fn is_proved_to_the_end(&self) -> bool {
        let mut directions = self.coverage.directions().iter();
        self.are_indirect_exits_proved()
            && self.coverage.untaken_conditional_indirect().next().is_none()
            && directions.all(|(direction, known)| known.taken > 0 || self.is_proved(*direction))
    }

    /// Records that every path of an abstraction was explored: what none takes is infeasible.
    pub(crate) fn prove_untaken(&mut self) {
        if !self.ledger.is_lossless() {
            return;
        }
        let targets = self.ends.blockers.is_empty().then(|| self.indirect_targets.clone());
        let blocked = self.blocked_code();
        let untaken = self.coverage.directions().iter().filter(|(_, known)| known.is_untaken());
        let untaken: Vec<(Direction, String)> = untaken
            .filter(|(direction, _)| blocked.by(direction.branch.0).is_none())
            .map(|(direction, known)| (*direction, evidence("every path of an abstraction", known)))
            .collect();
        self.proofs.add(untaken, targets);
    }

    pub(crate) fn criterion(&self) -> Criterion {
        self.criterion
    }

    /// Recovers the control-flow graph, if it is wanted, and the interrupt handlers, and adds their branch directions to
    /// the coverage. Memory that handlers and peripherals write becomes changing in the state at the entry.
    pub(crate) fn recover_map(
        &mut self,
        root: &mut Task,
        volatile: AddressSet,
        wanted: bool,
        stop: &Arc<AtomicBool>,
    ) {
        let place = match self.premises.is_process {
            true => self.guest.program_start().unwrap_or(root.at.place),
            false => root.at.place,
        };
        self.premises.vector_bases.start(&mut root.state);
        let wanted = (volatile, wanted);
        self.analysis.recover(place, wanted, &mut root.state, stop, &mut self.coverage);
        let handlers = Handlers::recover(self.guest, place, self.analysis.map());
        self.premises.add_writes(handlers.writes());
        self.premises.mark(&mut root.state);
        self.analysis.add_volatile(self.premises.volatile());
        if handlers.write_anywhere() || self.premises.runs_handlers && handlers.invalidate_value_sets() {
            self.analysis.distrust();
        }
        if self.premises.runs_handlers {
            judge_handlers(
                self.guest,
                &handlers,
                self.premises.interrupts(),
                (&mut self.coverage, &mut self.ledger),
            );
        }
        self.handlers = handlers;
        self.coverage.want_calls(self.analysis.calls());
    }

    /// Memory that interrupt handlers write, if their interrupts are taken.
    pub(crate) fn shared_memory(&self) -> AddressSet {
        self.premises.shared_memory().collect()
    }

    /// Drops the static analysis: it holds only for the code as the file has it.
    pub(crate) fn forget_map(&mut self) {
        self.analysis.forget();
    }

    /// Completes the static analysis with value sets. The first time that may take a while.
    pub(crate) fn deepen_map(&mut self, stop: &AtomicBool) {
        self.analysis.deepen(stop, &mut self.coverage);
    }

    /// Records the exit by which a path left a block: the target of an indirect one, and a callback from code outside of the file. A
    /// new target of a jump or call is passed to the graph when the path has ended.
    pub(crate) fn record_exit(&mut self, branch: u64, exit: &Exit, to: Place) {
        if !self.coverage.is_judged(branch) {
            if exit.kind != ExitKind::Return && self.coverage.is_judged(to.address) {
                self.analysis.note_callback(to);
            }
            return;
        }
        if matches!(exit.target, Target::Computed { .. }) {
            self.coverage.record_indirect(Address(branch), exit.kind);
            self.indirect_targets.took(branch, exit.kind, to);
            // The return of a handler may begin a task, whose code is not in the graph.
            let is_handler_return = |(first, last)| (first..=last).contains(&branch);
            if exit.kind == ExitKind::Return
                && self.guest.handler_returns().is_some_and(is_handler_return)
                && !self.coverage.has_executed(to.address)
            {
                self.indirect_targets.learn(branch, ExitKind::Jump, to);
            }
        }
    }

    /// Records what a path that has ended or paused has read, and whether it has changed what handlers depend on.
    pub(crate) fn observe_state(&mut self, task: &mut Task, root: &mut Task) {
        self.premises.take_reads(&task.progress.reads);
        if self.premises.vector_bases.are_newly_moved(&mut task.state, &mut root.state) {
            self.note_moved_vectors(root.at.place.address);
        }
    }

    /// Records that the program moves its vector table, or writes a vector.
    pub(crate) fn note_moved_vectors(&mut self, address: u64) {
        let what = format!(
            "{}, and the program moves its interrupt vector table, so that its handlers are unknown",
            self.premises.interrupts()
        );
        self.ledger.note(AssumptionKind::Interrupt, address, what, true);
        self.premises.vector_bases.note();
        self.analysis.distrust();
    }

    /// Records a path that has ended: its end, and what it has read and changed.
    pub(crate) fn finish_path(&mut self, task: &mut Task, end: &End, cancelled: bool, root: &mut Task) {
        self.ends.note(task, end, cancelled, self.guest);
        self.observe_state(task, root);
        if let End::Exited { address, .. } = end {
            self.premises.take_exit(*address);
        }
        match end {
            End::Unmodelled { address, missing } => {
                self.ledger.note(
                    AssumptionKind::NoModel,
                    *address,
                    self.guest.explain_missing(*missing),
                    true,
                );
                // It may install interrupt handlers, of which value sets know nothing.
                if let Missing::Operation(_) = missing {
                    self.analysis.distrust();
                }
            }
            End::Exhausted { place, bound: Bound::Memory } => {
                let what = "a path reached the bound on guest memory";
                self.ledger.note(AssumptionKind::Bound, place.address, what, true);
            }
            End::Exited { .. }
            | End::Faulted { .. }
            | End::Exhausted { .. }
            | End::Repeats { .. }
            | End::Postponed { .. } => {}
        }
    }

    /// Adds functions of the program that libraries have called to the graph.
    pub(crate) fn extend_entries(&mut self, root: &mut Task, stop: &Arc<AtomicBool>) {
        let (targets, coverage) = (&self.indirect_targets, &mut self.coverage);
        self.analysis.extend_entries(&mut root.state, stop, targets, coverage);
    }

    /// Adds newly taken indirect targets to the graph, and the directions discovered by that to the coverage.
    pub(crate) fn extend_map(&mut self) {
        let found = self.indirect_targets.take_new();
        let Some(map) = self.analysis.map() else { return };
        if let Some((branch, ..)) =
            found.iter().find(|(branch, kind, to)| map.is_refuted_by(*branch, *kind, *to))
        {
            let what =
                "the static analysis missed a target that a path took; nothing is concluded from it any more";
            self.ledger.note(AssumptionKind::Divergence, *branch, what, true);
            self.analysis.forget();
        } else if !found.is_empty() {
            self.analysis.learn(&found, &mut self.coverage);
        }
    }

    /// Whether everything that the criterion asks for is covered, as far as it is discovered.
    pub(crate) fn covers_all(&self) -> bool {
        match self.criterion {
            Criterion::Instruction | Criterion::Branch => self.coverage.all_taken(),
            Criterion::Call => self.coverage.all_called(),
            Criterion::Path | Criterion::Target => false,
        }
    }

    /// Whether each interrupt handler that the program can notice was run: what it calls may hold further branches, and its
    /// instructions count, too.
    fn has_run_handlers(&self) -> bool {
        !self.premises.runs_handlers || self.handlers.entries().all(|entry| self.coverage.has_executed(entry))
    }

    /// Whether the criterion was reached. `is_exhausted` tells whether every alternative was explored, and none was lost.
    pub(crate) fn is_reached(&self, is_exhausted: bool) -> bool {
        match self.criterion {
            // An unresolved indirect jump may lead to undiscovered branches.
            Criterion::Path | Criterion::Target => is_exhausted,
            _ => {
                let is_exhausted = is_exhausted && self.ends.blockers.is_empty();
                self.has_run_handlers()
                    && self.covers_all()
                    && (is_exhausted || self.are_indirect_exits_resolved())
            }
        }
    }

    /// Whether the static analysis resolves every indirect exit that a path took. If code may have been missed, it must
    /// resolve all others as well.
    fn are_indirect_exits_resolved(&self) -> bool {
        if self.are_indirect_exits_proved() {
            return true;
        }
        // A library may call any function of the program.
        let Some(map) = self.analysis.map().filter(|_| !self.premises.is_process) else { return false };
        self.indirect_targets.are_resolved(map, &self.coverage)
            && !self.ends.hide_code(self.guest, Some(map))
            && (!self.ends.may_have_missed_code()
                || map.is_whole(self.guest) && self.indirect_targets.rest_is_resolved(map))
    }

    /// Whether every direction is covered or excluded by value sets, so that no further path can change a verdict.
    pub(crate) fn is_judged(&mut self, limits: &QueryLimits, stop: &AtomicBool) -> bool {
        if self.criterion != Criterion::Branch || !self.has_run_handlers() {
            return false;
        }
        self.deepen_map(stop);
        if !self.are_indirect_exits_resolved()
            || self.coverage.untaken_conditional_indirect().next().is_some()
        {
            return false;
        }
        let excluded = self.excluded(limits);
        self.excluded_so_far = excluded.keys().copied().collect();
        let mut directions = self.coverage.directions().iter();
        directions.all(|(direction, known)| known.taken > 0 || excluded.contains_key(direction))
    }

    /// Records that a path waits, at this address, for memory to change. Value sets and abstractions know only what the program
    /// itself writes, so that they exclude nothing then.
    pub(crate) fn note_wait(&mut self, address: u64) {
        self.memory_may_change |= self.premises.note_wait(address, &mut self.ledger);
    }

    /// Directions that value sets exclude, with the evidence.
    pub(crate) fn excluded(&self, limits: &QueryLimits) -> BTreeMap<Direction, String> {
        if self.memory_may_change {
            return BTreeMap::new();
        }
        // What a path refutes proves nothing.
        let map = self.analysis.map().filter(|map| !self.indirect_targets.contradict(map));
        let found = map.and_then(|map| exclusions(map, self.guest, limits));
        // No path may take a direction that values exclude.
        let is_refuted =
            |found: &Exclusions| found.directions.keys().any(|one| self.coverage.is_covered(*one));
        if found.as_ref().is_some_and(|found| self.waits_for_others(found) || is_refuted(found)) {
            return BTreeMap::new();
        }
        let mut all = found.map(|found| found.directions).unwrap_or_default();
        self.drop_behind_traps(&mut all);
        all.extend(self.proofs.iter().map(|(direction, evidence)| (direction, evidence.clone())));
        all
    }

    /// Drops exclusions of directions behind traps that paths ran into: value sets take a trap to end the program.
    fn drop_behind_traps(&self, excluded: &mut BTreeMap<Direction, String>) {
        let Some(map) = self.analysis.map() else { return };
        for trap in self.ends.traps() {
            let Some(blocks) = map.reachable_from(self.guest, trap) else { return excluded.clear() };
            let behind: BTreeSet<u64> =
                blocks.into_iter().flat_map(|block| map.instructions_of(block)).collect();
            excluded.retain(|direction, _| !behind.contains(&direction.branch.0));
        }
    }

    /// The static analysis.
    pub(crate) fn analysis(&self) -> &StaticAnalysis<'g> {
        &self.analysis
    }

    /// Why a place cannot be refuted: control never arrives at its instruction, although it may be executed, because it is a part of
    /// another one; no branch ends there; or an exception or interrupt that is not simulated may run it.
    pub(crate) fn why_not_refutable(&self, place: WaypointPlace) -> Option<String> {
        let (address, map) = (place.address(), self.analysis.map()?);
        if let Some(outer) = map.outer_instruction(self.guest, address) {
            return Some(format!(
                "{address:#x} is inside the instruction at {outer:#x}, or in its delay slot, so that control never arrives there; name {outer:#x}"
            ));
        }
        if let WaypointPlace::Direction { branch, .. } = place
            && map.ends_no_block(branch)
        {
            return Some(format!(
                "no branch ends at {branch:#x}; name the direction as `everypath test` lists it (behind a delay slot, by the slot)"
            ));
        }
        let may_run = self.premises.runs_handlers && self.handlers.may_run(address);
        may_run.then(|| {
            format!("an interrupt or exception vector leads to {address:#x}, and not every interrupt and exception is simulated")
        })
    }

    /// Whether interrupt handlers may run code and change memory, which the control-flow graph from the entry does not show.
    pub(crate) fn has_handlers(&self) -> bool {
        self.premises.runs_handlers && self.handlers.entries().next().is_some()
    }

    /// Whether no path has shown that the static analysis does not hold.
    pub(crate) fn trusts_map(&self) -> bool {
        !self.memory_may_change && self.analysis.map().is_some_and(ProgramMap::is_trusted)
    }

    /// Whether the loop around a place may be what the program is there for: the main loop of firmware has no exit.
    pub(crate) fn may_loop_on_purpose(&self, place: Place) -> bool {
        let is_firmware = self.premises.runs_handlers && !self.premises.is_process;
        is_firmware && self.analysis.map().is_some_and(|map| !map.may_leave_loop(place))
    }

    /// Whether something besides the program may change memory that it reads: an interrupt handler, or code that is not known.
    pub(crate) fn may_memory_change(&self) -> bool {
        self.memory_may_change || self.has_handlers()
    }

    /// Whether every execution is a path of the control-flow graph with matched calls and returns.
    pub(crate) fn is_graph_exact(&self) -> bool {
        !self.may_memory_change()
            && self.analysis.map().is_some_and(|map| map.is_exact_and_matched(self.guest))
    }

    /// The directions that value sets exclude, if nothing but the program changes its memory, and no path ran into a trap.
    pub(crate) fn exclusions(&self, limits: &QueryLimits) -> Option<(&ProgramMap, Exclusions)> {
        let map = self.analysis.map().filter(|_| !self.may_memory_change())?;
        let found = exclusions(map, self.guest, limits)?;
        let has_traps = self.ends.traps().next().is_some();
        (!has_traps && !self.waits_for_others(&found)).then_some((map, found))
    }

    /// Whether the value sets show a spin loop that only something besides the program can end. No path need have come there.
    fn waits_for_others(&self, found: &Exclusions) -> bool {
        found.waits_for_ever && self.premises.may_end_waits()
    }

    /// The code after paths that ended abnormally.
    pub(crate) fn blocked_code(&self) -> BlockedCode<'_> {
        BlockedCode::new(&self.ends.blockers, self.analysis.map(), self.guest)
    }

    /// Whether every direction of the program is listed, if every indirect exit is resolved; `complete` tells whether every
    /// path was explored. A search that stopped before it covered what it knows, or of which a path ended abnormally, has to rely on
    /// the static analysis.
    pub(crate) fn lists_all_code(&self, complete: bool) -> bool {
        let is_all = complete && self.ends.blockers.is_empty()
            || self.has_executed_all_code()
            || self.are_indirect_exits_proved()
            || self.analysis.map().is_some_and(|map| map.is_whole(self.guest));
        is_all && !self.ends.hide_code(self.guest, self.analysis.map())
    }

    /// Whether every known direction is covered, and no code after them can have been missed.
    fn has_executed_all_code(&self) -> bool {
        self.covers_all() && !self.ends.may_have_missed_code()
    }

    /// Judges whether each indirect exit is resolved; `complete` tells whether every path was explored.
    pub(crate) fn judge_indirect_exits(&mut self, complete: bool) -> Vec<IndirectExitRecord> {
        for (branch, kind) in self.coverage.untaken_conditional_indirect() {
            self.indirect_targets.list(branch.0, kind);
        }
        if let Some(map) = self.analysis.map().filter(|_| !complete) {
            // The graph has no directions of returns.
            for (branch, target) in self.indirect_targets.proposed_returns(map) {
                if self.coverage.is_branch(branch, ExitKind::Return) {
                    self.coverage.discover(Direction { branch, target });
                }
            }
        }
        // Missed code may contain indirect exits that no path took.
        let has_missed_code = match complete {
            true => !self.ends.blockers.is_empty(),
            false => !self.has_executed_all_code(),
        };
        if let Some(map) = self.analysis.map().filter(|_| has_missed_code) {
            for (branch, kind) in map.indirect_exits() {
                self.indirect_targets.list(branch, kind);
            }
        }
        let blocked = BlockedCode::new(&self.ends.blockers, self.analysis.map(), self.guest);
        let is_blocked = |branch: u64| blocked.by(branch).is_some();
        let every = match (complete, self.are_indirect_exits_proved()) {
            (true, _) => Some("every path was explored"),
            (false, true) => Some("every path of an abstraction was explored"),
            (false, false) => None,
        };
        self.indirect_targets.judge(every, self.analysis.map(), is_blocked)
    }
}

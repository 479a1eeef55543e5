//! Concolic execution of one path (DART: Godefroid, Klarlund and Sen 2005), a basic block at a time.

use std::collections::HashSet;

use everypath_environment::Guest;
use everypath_ir::{ExitKind, Place};
use everypath_machine::{At, Bound, End, Event, NoWatch, RunLimits, Stepped};
use everypath_oracle::ended;
use everypath_record::{Address, Direction};
use everypath_term::Term;

use crate::frontier::pending::Resume;
use crate::map::branches::BlockBranches;
use crate::map::handlers::Handlers;
use crate::path::ends::{is_idle, unwritten_code};
use crate::path::inputs::{GuestMachine, SymbolicInputs};
use crate::path::oracles::{BlockFactsCache, Violation};
use crate::path::path_hash::PathHash;
use crate::path::task::Task;
use crate::plan::Bounds;
use crate::run::alternatives::Reruns;
use crate::run::concretise::concretise;
use crate::run::context::{BlockStep, PathContext, note_lost_prefix};
use crate::run::decide::decide;
use crate::run::indirect::{IndirectTargets, jumped};
use crate::run::interrupts::interrupts_by_devices;
use crate::run::joins::joins;
use crate::run::observe::{OracleReports, observe};
use crate::verdict::coverage::Coverage;
use crate::verdict::knowledge::Knowledge;
use crate::verdict::latches::RanBlock;
use crate::verdict::ledger::{AssumptionKind, Ledger};

/// Maximum number of instructions after control flow went astray: it may run any code then, meant to run or not.
const ASTRAY: u64 = 1_000;

/// A point of a path, up to which a test can follow it.
pub(crate) struct PathPoint {
    pub(crate) place: Place,
    pub(crate) instructions: u64,
    pub(crate) path: PathHash,
    /// Number of decisions on input up to there.
    pub(crate) decisions: usize,
    /// Number of reads of each cell up to there.
    pub(crate) reads: Vec<u32>,
    /// Number of interrupts taken up to there.
    pub(crate) interrupts: usize,
}

impl PathPoint {
    /// Where a path is.
    pub(crate) fn here(task: &Task) -> PathPoint {
        PathPoint {
            place: task.at.place,
            instructions: task.instructions,
            path: task.path,
            decisions: task.decisions(),
            reads: task.progress.reads.clone(),
            interrupts: task.interrupts().len(),
        }
    }
}

/// A path while it runs.
pub(crate) struct PathRun {
    pub(crate) task: Task,
    /// Where it has last shown something new, or where this run of it began.
    pub(crate) last_new: PathPoint,
    /// Violations that oracles reported on the path.
    pub(crate) violations: Vec<Violation>,
    /// Directions that the path is the first to take.
    pub(crate) adds: Vec<Direction>,
    /// Whether an instruction was executed for the first time.
    pub(crate) new_instructions: bool,
}

impl PathRun {
    /// Whether the path has shown nothing new for so long that others are to come first.
    pub(crate) fn has_lost_patience(&self) -> bool {
        let (task, last) = (&self.task, &self.last_new);
        let choices = (task.decisions() - last.decisions) + (task.interrupts().len() - last.interrupts);
        task.has_lost_patience(choices)
    }
}

/// Runs paths on the concolic machine.
pub(crate) struct PathRunner<'g> {
    guest: &'g Guest,
    machine: GuestMachine<'g>,
    limits: RunLimits,
    bounds: Bounds,
    /// The events of the current block.
    events: Vec<Event>,
    facts: BlockFactsCache,
    reruns: Reruns,
    pub(crate) targets: IndirectTargets,
    executed: u64,
    /// Whether paths that repeat themselves are interrupted.
    interrupts_repetition: bool,
}

impl<'g> PathRunner<'g> {
    /// Creates a runner, with `interrupts_repetition` if paths that repeat themselves are interrupted. Blocks end before the
    /// addresses `ends`.
    pub(crate) fn new(
        guest: &'g Guest,
        limits: RunLimits,
        bounds: &Bounds,
        interrupts_repetition: bool,
        ends: &HashSet<u64>,
    ) -> PathRunner<'g> {
        let mut machine = GuestMachine::new(guest);
        machine.stop_before(&limits.stops.union(ends).copied().collect());
        PathRunner {
            guest,
            machine,
            limits,
            bounds: bounds.clone(),
            events: Vec::new(),
            facts: BlockFactsCache::new(guest),
            reruns: Reruns::default(),
            targets: IndirectTargets::new(bounds.targets),
            executed: 0,
            interrupts_repetition,
        }
    }

    /// Changes the maximum number of instructions on a path.
    pub(crate) fn bound_instructions(&mut self, bound: u64) {
        self.bounds.path_instructions = bound;
    }

    /// The events of the last block that depend on input.
    pub(crate) fn events(&self) -> &[Event] {
        &self.events
    }

    /// Counts instructions that were executed elsewhere for the search.
    pub(crate) fn count_executed(&mut self, instructions: u64) {
        self.executed += instructions;
    }

    /// Number of instructions executed on explored paths; trial runs and replays are not counted.
    pub(crate) fn executed(&self) -> u64 {
        self.executed
    }

    /// Continues a task after its pending branch, whose condition holds now. Returns the direction that it takes.
    pub(crate) fn resume(
        &mut self,
        context: &mut PathContext<'_, '_>,
        task: &mut Task,
        resume: Resume,
        condition: Term,
        (address, direction): (u64, Option<Direction>),
    ) -> Option<Direction> {
        match resume {
            Resume::Here | Resume::Interrupt | Resume::Postponed => direction,
            // The replay takes the direction when it reaches the branch.
            Resume::Replay => None,
            Resume::Behind { exit } => {
                context.knowledge.record_exit(address, &exit, task.at.place);
                direction
            }
            Resume::Computed { target, exit, .. } => {
                task.assumed(condition);
                let branch = Address(address);
                self.targets.go_to_computed(context, &self.machine, task, (target, &exit), branch)
            }
            Resume::Proposed { target, exit } => {
                let branch = Address(address);
                self.targets.go_to(context, &self.machine, task, (target, &exit), branch)
            }
        }
    }

    /// The end of a path that is where it stops, or that has used up a bound.
    pub(crate) fn ends(&self, task: &Task, ledger: &mut Ledger) -> Option<End> {
        let place = task.at.place;
        if self.limits.stops_at(place) {
            return Some(End::Exited { address: place.address, status: 0 });
        }
        let (bound, what) = self.exceeded(task)?;
        ledger.note(AssumptionKind::Bound, place.address, what, true);
        Some(End::Exhausted { place, bound })
    }

    fn exceeded(&self, task: &Task) -> Option<(Bound, &'static str)> {
        if task.instructions >= self.bounds.path_instructions {
            Some((Bound::Instructions, "a path reached the bound on instructions"))
        } else if task.derailed_for().is_some_and(|instructions| instructions >= ASTRAY) {
            Some((Bound::Astray, "a path was abandoned after its control flow went astray"))
        } else if task.decisions() > self.bounds.path_decisions as usize {
            Some((Bound::Decisions, "a path reached the bound on decisions on input"))
        } else {
            None
        }
    }

    /// Whether a device may interrupt the path at a place, and paths are interrupted where they repeat themselves.
    fn may_be_interrupted(&self, task: &mut Task, context: &PathContext<'_, '_>, place: Place) -> bool {
        let (inputs, handlers) = (&*context.inputs, &context.knowledge.handlers);
        self.interrupts_repetition
            && interrupts_by_devices(task, inputs, handlers, place).is_none_or(|numbers| !numbers.is_empty())
    }

    /// Takes an interrupt. Returns false if its entry depends on input, so that the path cannot continue.
    pub(crate) fn interrupt(
        &mut self,
        task: &mut Task,
        inputs: &mut SymbolicInputs<'_>,
        number: u64,
    ) -> Result<bool, End> {
        let Some(controller) = inputs.world.controller().cloned() else { return Ok(false) };
        task.oracles.interrupt(task.at.place.address, &mut task.state);
        let entry = controller.begin(task.progress.lines_mut(), &mut task.state, task.at.place, number);
        task.begin_interrupt(number);
        self.events.clear();
        let mut domain = task.domain(&inputs.world, &mut inputs.table, &mut inputs.terms, &mut self.events);
        let stepped = self.machine.step(&mut domain, At::new(entry), u64::MAX, &mut NoWatch);
        let stepped = stepped.map_err(|ended| ended.end)?;
        task.at = stepped.to;
        Ok(self.events.is_empty())
    }

    /// Runs the next block of a path. Returns the end of the path, if it ends there.
    pub(crate) fn step(&mut self, run: &mut PathRun, context: &mut PathContext<'_, '_>) -> Option<End> {
        let place = run.task.at.place;
        let before = (self.reruns.fork_before(place) || run.task.is_merged()).then(|| run.task.fork());
        if let Some(end) = unwritten_code(self.guest, &run.task.state, place) {
            return Some(end);
        }
        let stepped = self.execute(&mut run.task, context.inputs);
        self.note_premises(place, &run.task, context);
        let stated = self.observe(&mut run.task, place, &stepped, context.inputs);
        let before_derailing = run.task.derailed_for().is_none();
        if stated.astray {
            run.task.derail();
        }
        let prefix = run.task.path_condition.clone();
        let end = match stepped {
            Err(end) => {
                if let Some(block) = self.machine.known(place) {
                    context.knowledge.coverage.record_partial_block(block, &end);
                }
                let mut step = BlockStep { task: &mut run.task, place, before };
                self.concretise(context, &mut step, &stated);
                Some(end)
            }
            Ok(stepped) => self.leave(run, context, before, &stepped, &stated),
        };
        // A block that is only replayed was asked about before.
        if end.is_some() || !run.task.is_in_prefix() {
            context.suspect_unwritten(&run.task, &prefix, &stated.suspicions);
        }
        run.violations.extend(stated.violations.into_iter().filter(|_| before_derailing));
        end
    }

    /// Records a block that was run to its end, and continues at its exit.
    fn leave(
        &mut self,
        run: &mut PathRun,
        context: &mut PathContext<'_, '_>,
        before: Option<Task>,
        stepped: &Stepped,
        stated: &OracleReports,
    ) -> Option<End> {
        let PathRun { task, adds, new_instructions, last_new, .. } = run;
        let known = adds.len();
        let (place, to) = (task.at.place, stepped.to.place);
        let Some(block) = self.machine.known(place) else {
            unreachable!("a block that was run is known");
        };
        let exit = block.block.exits[stepped.exit];
        let idle = is_idle(self.guest, task.progress.is_process(), (place, to), block)
            && !self.may_be_interrupted(task, context, to);
        task.last = block.instruction_starts.last().map_or(task.last, |(_, address)| *address);
        let Knowledge { coverage, premises, ledger, .. } = &mut *context.knowledge;
        let is_first = !coverage.has_block(place, &block.block);
        if is_first {
            premises.float_modes.enter(self.guest, &block.block);
            premises.vector_bases.enter(&block.block);
        }
        premises.float_modes.note((place, task.last), &mut task.state, &mut context.inputs.terms, ledger);
        let are_vectors_moved = premises.vector_bases.are_moved_by(place, &mut task.state);
        let is_new = is_first && self.enter(task, place, context.inputs, coverage);
        *new_instructions |= is_new;
        let mut step = BlockStep { task, place, before };
        self.concretise(context, &mut step, stated);
        decide(context, &mut step, &self.machine, &mut self.reruns, stepped);
        if let Some(exit) = &stated.exit {
            step.task.oracles.leave(exit, &mut step.task.state);
        }
        if let Some(jumped) = jumped(&self.events) {
            self.targets.jump(context, &mut step, jumped, stepped, &exit);
        }
        let task = step.task;
        if are_vectors_moved {
            context.knowledge.note_moved_vectors(task.last);
        }
        if exit.kind == ExitKind::Call {
            let call = Direction { branch: Address(task.last), target: Address(to.address) };
            context.knowledge.coverage.called(call);
        }
        context.knowledge.record_exit(task.last, &exit, to);
        task.instructions += stepped.instructions;
        self.executed += stepped.instructions;
        task.path = task.path.then(place, stepped.exit);
        context.knowledge.coverage.record_exit(place, stepped.exit, to.address, adds);
        task.arrive(joins(exit.kind, place, to));
        task.at = stepped.to;
        if is_new || adds.len() > known {
            task.note_something_new();
            *last_new = PathPoint::here(task);
        }
        idle.then_some(End::Exited { address: place.address, status: 0 })
    }

    /// Records the end of a path.
    pub(crate) fn finish(&self, run: &mut PathRun, end: &End, cancelled: bool, ledger: &mut Ledger) {
        let PathRun { task, violations, .. } = run;
        if !cancelled && task.is_in_prefix() {
            note_lost_prefix(ledger, task);
        }
        // A bad return to where no code is has already been reported.
        if let Some((oracle, address)) = ended(end, task.last)
            && task.derailed_for().is_none()
            && !violations.iter().any(|violation| violation.address == address)
        {
            violations.push(Violation { oracle, address, what: self.guest.explain(end) });
        }
    }

    /// Runs the next block of a recorded path, without its alternatives. Adds the directions that no earlier block took.
    pub(crate) fn replay_block(
        &mut self,
        task: &mut Task,
        inputs: &mut SymbolicInputs<'_>,
        coverage: &mut Coverage,
        adds: &mut Vec<Direction>,
    ) -> Result<(), End> {
        let place = task.at.place;
        let stepped = self.execute(task, inputs)?;
        let known = self.machine.known(place);
        if known.is_some_and(|block| !coverage.has_block(place, &block.block)) {
            self.enter(task, place, inputs, coverage);
        }
        coverage.record_exit(place, stepped.exit, stepped.to.place.address, adds);
        task.instructions += stepped.instructions;
        task.at = stepped.to;
        Ok(())
    }

    /// Runs the next block of a task by itself, so that nothing of it joins the search. Returns the conditions on the state under which
    /// the task passes the block as it does, and `None` if it ends there, an interrupt may happen before it, or no condition on the
    /// state tells what it does.
    pub(crate) fn step_alone(
        &mut self,
        task: &mut Task,
        inputs: &mut SymbolicInputs<'_>,
        handlers: &Handlers,
    ) -> Option<Vec<Term>> {
        let place = task.at.place;
        let is_interrupted = task.progress.lines().has_pending()
            || interrupts_by_devices(task, inputs, handlers, place).is_none_or(|numbers| !numbers.is_empty());
        if is_interrupted
            || self.limits.stops_at(place)
            || unwritten_code(self.guest, &task.state, place).is_some()
        {
            return None;
        }
        let stepped = self.execute(task, inputs).ok()?;
        let mut conditions = Vec::new();
        for event in &self.events {
            conditions.extend(match *event {
                Event::Decided { .. } | Event::Accessed { window: true, .. } => None,
                Event::Accessed { address: term, value, .. }
                | Event::Located { address: term, value, .. }
                | Event::Jumped { target: term, value } => Some(inputs.is_number(term, value)),
                Event::Guarded { condition, taken, .. } => Some(inputs.sides(condition, taken).0),
                Event::Unwritten { .. }
                | Event::Reused { .. }
                | Event::Executed { .. }
                | Event::Switched { .. }
                | Event::Chosen { .. }
                | Event::Answered { .. }
                | Event::Fixed { .. } => return None,
            });
        }
        let block = self.machine.known(place)?;
        if is_idle(self.guest, task.progress.is_process(), (place, stepped.to.place), block) {
            return None;
        }
        for out in &block.exits {
            let taken = out.exit == stepped.exit;
            let condition = out.guard.and_then(|guard| block.values[guard as usize].term);
            conditions.extend(condition.map(|condition| inputs.sides(condition, taken).0));
            if taken {
                break;
            }
        }
        task.instructions += stepped.instructions;
        task.at = stepped.to;
        self.executed += stepped.instructions;
        Some(conditions)
    }

    fn execute(&mut self, task: &mut Task, inputs: &mut SymbolicInputs<'_>) -> Result<Stepped, End> {
        self.events.clear();
        let at = task.at;
        let mut domain = task.domain(&inputs.world, &mut inputs.table, &mut inputs.terms, &mut self.events);
        self.machine.step(&mut domain, at, u64::MAX, &mut NoWatch).map_err(|ended| ended.end)
    }

    /// Computes the branch directions of a block on its first execution. Returns true if an instruction is new.
    fn enter(
        &mut self,
        task: &mut Task,
        place: Place,
        inputs: &mut SymbolicInputs<'_>,
        coverage: &mut Coverage,
    ) -> bool {
        let mut domain = task.domain(&inputs.world, &mut inputs.table, &mut inputs.terms, &mut self.events);
        let branches = BlockBranches::of_executed(&mut self.machine, &mut domain, place);
        let known = self.machine.known(place).zip(branches);
        known.is_some_and(|(ready, branches)| coverage.record_block(place, ready, branches))
    }

    /// Records in the ledger the assumptions on which the current block depends.
    fn note_premises(&self, place: Place, path: &Task, context: &mut PathContext<'_, '_>) {
        if !context.inputs.has_premises() {
            return;
        }
        let Some(block) = self.machine.known(place) else { return };
        let knowledge = &mut *context.knowledge;
        let ran = RanBlock { block, events: &self.events, path };
        knowledge.premises.note_block(&ran, context.inputs, &mut knowledge.ledger);
    }

    /// Lets the oracles observe the block that was run.
    fn observe(
        &mut self,
        task: &mut Task,
        place: Place,
        stepped: &Result<Stepped, End>,
        inputs: &mut SymbolicInputs<'_>,
    ) -> OracleReports {
        match self.machine.known(place).filter(|_| !task.oracles.is_empty()) {
            Some(block) => {
                let facts = self.facts.of(place, block);
                observe(inputs, task, (block, &facts), &self.events, stepped)
            }
            None => OracleReports::default(),
        }
    }

    /// Adds what the block fixed to the path condition, and enqueues the alternatives.
    fn concretise(
        &mut self,
        context: &mut PathContext<'_, '_>,
        step: &mut BlockStep<'_>,
        stated: &OracleReports,
    ) {
        let found = (self.events.as_slice(), stated.suspicions.as_slice());
        concretise(context, step, &mut self.reruns, found, self.bounds.aliases);
    }
}

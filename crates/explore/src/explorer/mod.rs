//! Generational search (Godefroid, Levin and Molnar 2008): choose a pending branch, query the solver, run the new path,
//! record it. The search only connects the parts.

mod conclude;
mod follow;
mod followed;
mod hangs;
mod interrupt_counts;
mod interrupts;
mod loop_heads;
mod merge;
mod novelty;
mod polls;
mod proof;
mod prove;
mod reach;
mod state_search;
mod steer;
mod trial_inputs;
mod trials;

use std::collections::HashMap;
use std::time::Instant;

use everypath_environment::{Configuration, Guest, GuestError};
use everypath_record::Direction;
use everypath_solve::{Answer, Query, Solver, UnknownReason};
use everypath_term::Model;

use crate::cancellation::Cancellation;
use crate::entry::Entry;
use crate::exploration::Exploration;
use crate::explorer::followed::Followed;
use crate::explorer::interrupt_counts::InterruptCounts;
use crate::explorer::polls::Polls;
use crate::explorer::proof::Proof;
use crate::explorer::state_search::StateSearch;
use crate::explorer::trial_inputs::TrialInputs;
use crate::extensions::Extensions;
use crate::frontier::Frontier;
use crate::frontier::memory::Memory;
use crate::frontier::pending::{Pending, Resume};
use crate::hang::attempts::ProofAttempts;
use crate::merge::Merging;
use crate::observer::{Announcer, Observer, ProgressReport};
use crate::path::inputs::SymbolicInputs;
use crate::path::roots::{Roots, TermHolder};
use crate::path::task::Task;
use crate::plan::Plan;
use crate::probe::Probes;
use crate::queries::Queries;
use crate::reach::directed::DirectedSearch;
use crate::reach::witness::Witness;
use crate::record::recorder::Recorder;
use crate::run::runner::PathRunner;
use crate::schedule::Schedule;
use crate::strategy::{Candidate, SearchView, Strategy};
use crate::verdict::knowledge::Knowledge;
use crate::verdict::ledger::AssumptionKind;
use crate::verdict::premises::Premises;

/// The progress of the search, as its strategy sees it.
struct View<'k> {
    knowledge: &'k Knowledge<'k>,
    queries: &'k Queries,
    directed: Option<&'k DirectedSearch>,
    executed: u64,
}

impl SearchView for View<'_> {
    fn is_covered(&self, direction: Direction) -> bool {
        self.knowledge.coverage.is_covered(direction) || self.knowledge.is_proved(direction)
    }

    fn effort(&self) -> u64 {
        self.executed + self.queries.work()
    }

    fn open(&self) -> Vec<Direction> {
        let directions = self.knowledge.coverage.directions().keys().copied();
        directions.filter(|direction| !self.is_covered(*direction)).collect()
    }

    fn distances(&self, to: Direction) -> HashMap<u64, u32> {
        self.knowledge.analysis().distances(to)
    }

    fn open_targets(&self) -> Vec<usize> {
        self.directed.map(|directed| directed.open().collect()).unwrap_or_default()
    }

    fn target_distance(&self, candidate: &Candidate, target: usize) -> Option<u32> {
        self.directed?.distance_of(candidate, target)
    }
}

/// An exploration of a guest.
pub struct Explorer<'g> {
    plan: Plan,
    /// The path at the entry, which the first run and every replay from the entry fork.
    root: Task,
    inputs: SymbolicInputs<'g>,
    runner: PathRunner<'g>,
    frontier: Frontier,
    knowledge: Knowledge<'g>,
    probes: Probes,
    recorder: Recorder<'g>,
    queries: Queries,
    cancellation: Cancellation,
    schedule: Schedule,
    interrupts: InterruptCounts,
    polls: Polls,
    hangs: ProofAttempts,
    trial_inputs: TrialInputs,
    state_search: StateSearch,
    /// The paths that wait to be merged, if the plan wants that.
    merging: Option<Merging>,
    /// The proofs by abstraction, if the plan wants them.
    proof: Option<Proof>,
    /// The targets, if the search is directed.
    directed: Option<DirectedSearch>,
    /// Runs the tests of targets as `everypath replay` does.
    witness: Option<Witness<'g>>,
    /// Number of live terms above which unreachable terms are garbage-collected.
    collect_above: usize,
    /// Creates the plan's strategy from a seed.
    make_strategy: fn(u64) -> Box<dyn Strategy>,
    /// How an observer has steered the search: an address and a message each. The ledger gets them at the end, because a
    /// proof by abstraction suspends the ledger.
    steered: Vec<(u64, String)>,
}

impl<'g> Explorer<'g> {
    /// Creates an exploration.
    ///
    /// # Errors
    /// If the configuration does not fit the guest, or the plan names a strategy that does not exist.
    pub fn new(
        guest: &'g Guest,
        configuration: &Configuration,
        plan: Plan,
        solver: Box<dyn Solver>,
    ) -> Result<Explorer<'g>, GuestError> {
        Self::with_extensions(guest, configuration, plan, solver, &Extensions::default())
    }

    /// Creates an exploration whose plan may also name the oracles and the strategies of `extensions`.
    ///
    /// # Errors
    /// As of [`Explorer::new`], or if two oracles or two strategies have one name.
    pub fn with_extensions(
        guest: &'g Guest,
        configuration: &Configuration,
        plan: Plan,
        solver: Box<dyn Solver>,
        extensions: &Extensions,
    ) -> Result<Explorer<'g>, GuestError> {
        let started = Instant::now();
        extensions.check_names()?;
        let make_strategy = extensions.strategy(&plan.strategy)?.make;
        let directed = DirectedSearch::of_plan(guest, &plan)?;
        let ends = directed.as_ref().map(DirectedSearch::addresses).unwrap_or_default();
        let Entry { inputs, assumed, root, replayer, limits } =
            Entry::prepare(guest, configuration, &plan.oracles, extensions, &ends)?;
        // Merged paths, and all paths, are followed without interrupts.
        let interrupts_repetition = !plan.keeps_all() && !plan.merge;
        let premises = Premises::new(guest, configuration, &inputs.initial, assumed, interrupts_repetition)?;
        let memory = Memory::new(plan.bounds.memory);
        let cells = inputs.world.cells().enumerate().filter(|(number, _)| !inputs.world.is_scripted(*number));
        let symbolic_cells = cells.map(|(_, name)| name.to_owned()).collect();
        let witness = directed.is_some().then(|| Witness::new(guest, configuration)).transpose()?;
        let frontier = Frontier::new(make_strategy(plan.seed), memory, directed.is_some());
        Ok(Explorer {
            merging: None,
            proof: None,
            directed,
            witness,
            make_strategy,
            steered: Vec::new(),
            root,
            inputs,
            runner: PathRunner::new(guest, limits, &plan.bounds, interrupts_repetition, &ends),
            collect_above: frontier.memory.terms(),
            frontier,
            knowledge: Knowledge::new(guest, plan.criterion, premises),
            probes: Probes::new(plan.oracles.clone(), plan.bounds.path_instructions),
            recorder: Recorder::new(guest, replayer),
            queries: Queries::new(solver, plan.bounds.query_limits()),
            cancellation: Cancellation::new(started, plan.bounds.seconds),
            schedule: Schedule::new(plan.bounds.patience, plan.bounds.paths),
            interrupts: InterruptCounts::default(),
            polls: Polls::default(),
            hangs: ProofAttempts::default(),
            trial_inputs: TrialInputs::default(),
            state_search: StateSearch::new(plan.seed, symbolic_cells),
            plan,
        })
    }

    /// Explores until the criterion is reached, the frontier is empty, or a bound is hit.
    pub fn run(mut self, observer: &mut dyn Observer) -> Exploration {
        self.cancellation.watch(observer.stop_flag());
        self.cancellation.set_alarm();
        let mut stopped = None;
        let mut announcer = Announcer::default();
        let stop = self.cancellation.flag();
        self.knowledge.recover_map(&mut self.root, self.inputs.world.places(), self.plan.graph, stop);
        self.inputs.table.share(self.knowledge.shared_memory());
        self.begin_merging();
        self.begin_directed();
        self.expect_proofs();
        let mut next = Some((self.root.fork(), None));
        while let Some((task, direction)) = next.take() {
            let mut cancelled = false;
            let address = match self.follow(task, direction, observer) {
                Followed::Ended(finished) => {
                    cancelled = finished.cancelled;
                    let address = finished.run.task.at.place.address;
                    self.finish(finished);
                    address
                }
                Followed::Paused(run) => self.pause(run),
                Followed::MergedCursor(run, learnt) => {
                    let (address, again) = self.undo_merge(run, learnt);
                    if let Some(task) = again {
                        next = Some((task, None));
                        continue;
                    }
                    address
                }
                Followed::Discarded(run) => self.discard_abstract_path(&run),
            };
            self.ask_probes();
            self.recorder.mark_progress(self.schedule.paths(), self.runner.executed());
            announcer.tell(&self.recorder, observer);
            if cancelled || self.cancellation.is_set() || !self.consult(address, observer) {
                stopped = Some(self.cancellation.reason());
                break;
            }
            self.collect(None);
            match self.choose() {
                Ok(chosen) => next = chosen,
                Err(reason) => stopped = Some(reason),
            }
        }
        self.end_proof();
        self.cancellation.drop_alarm();
        let exploration = self.conclude(stopped.into_iter().collect());
        Announcer::tell_uncovered(&exploration, observer);
        exploration
    }

    /// Chooses pending branches until the solver finds one satisfiable: the next path and its first direction. Returns
    /// none if the search is done, and the reason if a bound ends it.
    fn choose(&mut self) -> Result<Option<(Task, Option<Direction>)>, String> {
        loop {
            if self.cancellation.is_set() {
                return Err(self.cancellation.reason());
            }
            if self.frontier.memory.is_exhausted() {
                if !self.is_proving() {
                    return Err(self.frontier.memory.reason());
                }
                self.end_proof();
            }
            if self.is_directed_search_over() {
                return Ok(None);
            }
            self.limit_proof();
            if let Some(task) = self.next_seed() {
                return Ok(Some((task, None)));
            }
            if !self.is_proving() && self.knowledge.is_proved_to_the_end() {
                return Ok(self.next_guard());
            }
            let mut covers_all = self.knowledge.covers_all();
            if !covers_all && self.is_proof_due() {
                return Ok(self.begin_proof().map(|task| (task, None)));
            }
            if covers_all {
                // Coverage must hold for all code that the static analysis finds.
                if self.knowledge.analysis().is_deep() || self.schedule.take_due_deepening() {
                    self.knowledge.deepen_map(self.cancellation.flag());
                    if self.knowledge.is_reached(self.is_exhausted()) && self.needs_no_more_paths() {
                        return Ok(self.next_guard());
                    }
                }
                covers_all = self.knowledge.covers_all();
                self.schedule.covered();
            } else {
                self.schedule.uncovered();
            }
            self.schedule.check_bounds(covers_all)?;
            if !covers_all && let Some(task) = self.next_trial_path() {
                return Ok(Some((task, None)));
            }
            if self.schedule.take_due_judging() {
                if self.directed.is_some() {
                    self.refute_statically();
                    continue;
                }
                let limits = self.queries.limits(self.cancellation.flag());
                if self.knowledge.is_judged(&limits, self.cancellation.flag()) && self.needs_no_more_paths() {
                    return Ok(self.next_guard());
                }
            }
            let Some(pending) = self.pop_pending() else {
                if self.resume_pruned() {
                    continue;
                }
                if !self.is_proving() {
                    return Ok(self.resume_waiting().map(|task| (task, None)));
                }
                if let Some(task) = self.continue_proof() {
                    return Ok(Some((task, None)));
                }
                continue;
            };
            let Some(pending) = self.prune(pending) else { continue };
            if let Some(next) = self.ask(pending) {
                return Ok(Some(next));
            }
        }
    }

    /// Removes the pending branch with which the search continues: one of a function that comes first, one after a polling loop, or
    /// the choice of the strategy.
    fn pop_pending(&mut self) -> Option<Pending> {
        let view = View {
            knowledge: &self.knowledge,
            queries: &self.queries,
            directed: self.directed.as_ref(),
            executed: self.runner.executed(),
        };
        let frontier = &mut self.frontier;
        if let Some(pending) = frontier.pop_first(&view) {
            return Some(pending);
        }
        let behind_poll =
            self.polls.take(view.effort()).and_then(|first| frontier.pop_last_instruction(first));
        behind_poll.or_else(|| frontier.pop(&view))
    }

    /// Whether the search ends when its criterion is reached.
    fn needs_no_more_paths(&mut self) -> bool {
        let effort = self.effort();
        !self.plan.hangs || self.schedule.advance_search_for_hangs(effort)
    }

    /// A path that may show a fault though every direction is judged: one that was postponed, or one with an outcome of a guard
    /// inside an instruction that no path had. A conditional trap is no branch, so that every direction may be judged before a
    /// path has met it.
    fn next_guard(&mut self) -> Option<(Task, Option<Direction>)> {
        if !self.cancellation.is_set()
            && self.schedule.check_bounds(true).is_ok()
            && let Some(task) = self.next_postponed()
        {
            return Some((task, None));
        }
        while !self.cancellation.is_set()
            && self.schedule.check_bounds(true).is_ok()
            && let Some(pending) = self.frontier.pop_new_guard(&self.knowledge.guards)
        {
            let next = self.ask(pending);
            if next.is_some() {
                return next;
            }
        }
        self.ask_probes_elsewhere();
        None
    }

    /// The work so far, in executed instructions.
    fn effort(&self) -> u64 {
        self.runner.executed() + self.queries.work()
    }

    /// Whether every alternative was explored, and none was lost.
    fn is_exhausted(&self) -> bool {
        self.has_nothing_pending() && self.knowledge.ledger.is_lossless()
    }

    /// Whether no branch is pending, no path waits to be merged, and none is pruned.
    fn has_nothing_pending(&self) -> bool {
        self.frontier.is_empty()
            && self.merging.as_ref().is_none_or(Merging::is_empty)
            && !self.directed.as_ref().is_some_and(DirectedSearch::has_pruned)
    }

    /// Queries the solver for a pending branch; if it is satisfiable, returns the path and its first direction.
    fn ask(&mut self, mut pending: Pending) -> Option<(Task, Option<Direction>)> {
        let mut conditions = pending.prefix.conditions();
        conditions.push(pending.condition);
        let criterion = self.knowledge.criterion();
        let elsewhere =
            self.runner.targets.elsewhere(criterion, &mut pending, &mut self.inputs, &mut conditions);
        let all = cfg!(debug_assertions).then(|| conditions.clone());
        self.inputs.entry_assumptions.drop_unrelated(&self.inputs.terms, &mut conditions);
        let query = Query { conditions: &conditions, known: Some(&pending.known) };
        let can_drop = self.is_proving() && pending.can_drop_condition();
        // A direction that is covered or doubted has nothing to lose.
        let is_cheap = can_drop
            && pending
                .direction
                .and_then(|direction| self.knowledge.coverage.record_of(direction))
                .is_none_or(|record| record.taken > 0 || record.doubts > 0);
        let (terms, stop) = (&mut self.inputs.terms, self.cancellation.flag());
        let answer = match is_cheap {
            true => self.queries.ask_cheaply(terms, query, stop),
            false => self.queries.ask(terms, query, stop),
        };
        if answer == Answer::Unknown(UnknownReason::Stopped) {
            // The query was cancelled, so the branch stays pending.
            if let Resume::Computed { fresh, .. } = &mut pending.resume {
                *fresh |= elsewhere;
            }
            self.frontier.push(pending);
            return None;
        }
        if can_drop && matches!(answer, Answer::Unknown(UnknownReason::Conflicts | UnknownReason::Time)) {
            // Without the condition, the abstract state includes more than the paths that take the branch.
            return Some(self.take_branch(pending, None));
        }
        if let Answer::Unknown(reason) = &answer {
            let ledger = &mut self.knowledge.ledger;
            let what = format!("a solver query for this branch was not answered: {reason}");
            ledger.note(AssumptionKind::Unanswered, pending.address, what, true);
        }
        if elsewhere && !matches!(answer, Answer::Sat(_)) {
            // No new target is known; the branch stays pending, to be queried for any other target.
            self.frontier.push(pending);
            return None;
        }
        let known = pending.direction.and_then(|direction| self.knowledge.coverage.record_of(direction));
        match (answer, known) {
            (Answer::Unsat(mut core), Some(known)) => {
                known.unsat += 1;
                if self.plan.certificates && known.taken == 0 {
                    core.sort_unstable();
                    known.cores.insert(core);
                }
                None
            }
            (Answer::Unknown(reason), Some(known)) => {
                known.unknown.insert(reason.to_string());
                None
            }
            (Answer::Unsat(_) | Answer::Unknown(_), None) => None,
            (Answer::Sat(model), _) => {
                if let Some(all) = all {
                    let SymbolicInputs { evaluation, terms, .. } = &mut self.inputs;
                    evaluation.set_model(model.clone());
                    let is_met = all.iter().all(|condition| evaluation.holds(terms, *condition));
                    assert!(is_met, "a model of the query is one of the path condition");
                }
                Some(self.take_branch(pending, Some(model)))
            }
        }
    }

    /// Takes a pending branch: the path, and its first direction. Without a model of the branch condition, the condition is
    /// dropped: the path becomes an over-approximation.
    fn take_branch(&mut self, pending: Pending, model: Option<Model>) -> (Task, Option<Direction>) {
        let Pending { start, condition, assumes_condition_on_resume, resume, direction, address, .. } =
            pending;
        let mut task = start.into_task(&mut self.root);
        if !matches!(resume, Resume::Postponed) {
            // It is another path, which may show something new soon.
            task.renew_patience();
        }
        let is_dropped = model.is_none();
        // The side that is taken may hold other values under the same model, too.
        let model = model.unwrap_or_else(|| task.model.clone());
        self.inputs.take_model(&mut task, model);
        if is_dropped {
            self.inputs.make_abstract(&mut task);
        } else if assumes_condition_on_resume {
            task.assume(&self.inputs.terms, condition);
            if task.is_merged() {
                self.inputs.fix_registers(&mut task, condition);
            }
        }
        let (runner, mut context) = self.path_context();
        let direction = runner.resume(&mut context, &mut task, resume, condition, (address, direction));
        (task, direction)
    }

    /// Garbage-collects terms that neither the current path nor another part references, if there are many.
    fn collect(&mut self, current: Option<&Task>) {
        if self.frontier.memory.take_pressure() {
            self.recorder.forget_checkpoints();
            self.state_search.forget_states();
            self.collect_above = self.collect_above.min(self.inputs.terms.live() / 4 * 3);
        }
        if self.inputs.terms.live() < self.collect_above {
            return;
        }
        let mut holders: Vec<&dyn TermHolder> =
            vec![&self.frontier, &self.root, &self.knowledge.coverage, &self.probes, &self.inputs];
        holders.extend(self.merging.as_ref().map(|merging| merging as &dyn TermHolder));
        holders.extend(self.proof.as_ref().map(|proof| proof as &dyn TermHolder));
        holders.extend(self.directed.as_ref().map(|directed| directed as &dyn TermHolder));
        holders.extend(current.map(|task| task as &dyn TermHolder));
        let roots = Roots::of(holders).into_terms();
        // Values of blocks may still name collected terms; they are recomputed before they are used.
        let collected = self.inputs.terms.collect(roots, []);
        self.collect_above = self.frontier.memory.terms().max(2 * collected.live);
    }

    /// A progress report.
    fn now(&self, address: u64) -> ProgressReport {
        let (covered, directions) = self.knowledge.coverage.tally();
        ProgressReport {
            covered,
            directions,
            instructions: self.knowledge.coverage.instructions(),
            tests: self.recorder.tests().len(),
            findings: self.recorder.findings().len(),
            paths: self.schedule.paths(),
            pending: self.frontier.len() + self.merging.as_ref().map_or(0, Merging::len),
            queries: self.queries.asked(),
            executed: self.runner.executed(),
            address,
            solver: self.queries.statistics(),
        }
    }
}

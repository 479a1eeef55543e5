//! Generational search (Godefroid, Levin and Molnar 2008): choose a pending branch, query the solver, run the new path.

use std::collections::BTreeSet;

use everypath_environment::Guest;
use everypath_machine::{Bound, End};
use everypath_record::{Address, Direction};
use everypath_solve::{Answer, Query, QueryLimits, Statistics, UnknownReason};

use crate::exploration::Exploration;
use crate::explorer::Explorer;
use crate::flow::Finished;
use crate::handlers::Handlers;
use crate::ledger::Kind;
use crate::map::Map;
use crate::memory::LOOK_EVERY;
use crate::observer::{Observer, Told};
use crate::pending::{Pending, Resume};
use crate::plan::Criterion;
use crate::roots::{Roots, TermHolder};
use crate::task::Task;

/// Number of paths after which the search first checks whether every uncovered direction is infeasible; it checks again
/// each time the number doubles, because excluding directions by value sets is slow.
pub(crate) const FIRST_JUDGED: u64 = 32;

impl Explorer<'_> {
    /// Explores until the criterion is reached, the frontier is empty, or a bound is hit.
    pub fn run(mut self, observer: &mut dyn Observer) -> Exploration {
        self.cancellation.watch(observer.stop_flag());
        let alarm = self.cancellation.alarm();
        let mut stopped: Vec<String> = Vec::new();
        let mut told = Told::default();
        self.recover_map();
        let mut next = Some((self.root.fork(), None));
        while let Some((task, direction)) = next.take() {
            let finished = self.follow(task, direction, observer);
            let address = finished.task.at.place.address;
            let interrupted = finished.interrupted;
            if self.paths == 0 {
                self.suspect_setup(&finished);
            }
            self.finish(finished);
            self.ask_suspicions();
            told.tell(&self, observer);
            if interrupted || self.cancellation.is_set() || !observer.goes_on(&|| self.now(address)) {
                stopped.push(self.cancellation.reason());
                break;
            }
            self.collect(None);
            while next.is_none() {
                if self.cancellation.is_set() {
                    stopped.push(self.cancellation.reason());
                    break;
                }
                if self.memory.is_exhausted {
                    stopped.push(self.memory.reason());
                    break;
                }
                if self.covers_all() {
                    // Coverage must hold for all code that the static analysis finds.
                    self.deepen_map();
                    if self.is_reached() {
                        break;
                    }
                    let since = *self.covered_since.get_or_insert(self.paths);
                    if self.covers_all() && self.paths - since >= self.plan.patience {
                        stopped.push(format!(
                            "{} more paths showed nothing new after every known direction was covered, but not every \
                             indirect jump is resolved",
                            self.plan.patience
                        ));
                        break;
                    }
                } else {
                    self.covered_since = None;
                }
                if self.paths >= self.plan.paths {
                    stopped.push(format!("the bound of {} paths was reached", self.plan.paths));
                    break;
                }
                if self.paths >= self.judge_at {
                    self.judge_at = 2 * self.paths;
                    if self.is_judged() {
                        break;
                    }
                }
                let coverage = &self.coverage;
                let is_covered = |direction| coverage.is_covered(direction);
                let Some(pending) = self.frontier.pop(&is_covered, &mut self.root) else { break };
                next = self.ask(pending);
            }
            if !stopped.is_empty() {
                break;
            }
        }
        drop(alarm);
        let exploration = self.conclude(stopped);
        Told::tell_uncovered(&exploration, observer);
        exploration
    }

    /// Whether everything that the criterion asks for is covered, as far as it is discovered.
    fn covers_all(&self) -> bool {
        match self.plan.criterion {
            Criterion::Instruction | Criterion::Branch => self.coverage.all_taken(),
            Criterion::Call => self.calls.is_empty(),
            Criterion::Path => false,
        }
    }

    /// Whether the criterion was reached.
    pub(crate) fn is_reached(&self) -> bool {
        match self.plan.criterion {
            // An unresolved indirect jump may lead to undiscovered branches.
            Criterion::Path => self.is_exhausted(),
            _ => {
                let is_exhausted = self.is_exhausted() && self.blockers.is_empty();
                self.covers_all() && (is_exhausted || self.jumps_are_resolved())
            }
        }
    }

    /// Whether every alternative was explored, and none was lost.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.frontier.is_empty() && self.ledger.is_lossless()
    }

    /// Whether the static analysis resolves every indirect exit that a path took. If a path ended abnormally, it must
    /// resolve all others as well.
    fn jumps_are_resolved(&self) -> bool {
        let Some(map) = &self.map else { return false };
        self.jumps.are_resolved(map, &self.coverage)
            && (self.blockers.is_empty() || map.is_whole() && self.jumps.rest_is_resolved(map))
    }

    /// Whether every direction is covered or excluded by value sets, so that no further path can change a verdict.
    pub(crate) fn is_judged(&mut self) -> bool {
        if self.plan.criterion != Criterion::Branch {
            return false;
        }
        self.deepen_map();
        if !self.jumps_are_resolved() || self.coverage.never_indirect().next().is_some() {
            return false;
        }
        let limits = self.query_limits();
        let Some(map) = &self.map else { return false };
        let excluded = map.excluded(self.guest, &limits);
        let mut directions = self.coverage.directions().iter();
        directions.all(|(direction, known)| known.taken > 0 || excluded.contains_key(direction))
    }

    /// Records in the ledger how many models of the solver's layers were refuted, if any.
    pub(crate) fn tell_refuted(&mut self, solver: &[Statistics]) {
        let refuted =
            solver.iter().filter(|layer| layer.name == "check").map(|layer| layer.answered).sum::<u64>();
        if refuted > 0 {
            let what = format!(
                "{refuted} models of the solver's layers were wrong, which is a fault of everypath; the bare backend was asked instead"
            );
            self.ledger.note(Kind::Divergence, self.root.at.place.address, what, false);
        }
    }

    /// Enqueues a pending branch.
    pub(crate) fn note(&mut self, pending: Pending) {
        if self.frontier.push(pending).is_multiple_of(LOOK_EVERY) {
            self.keep_within_memory();
        }
    }

    /// Queries the solver for a pending branch; if it is satisfiable, returns the path and its first direction.
    fn ask(&mut self, mut pending: Pending) -> Option<(Task, Option<Direction>)> {
        let mut conditions = pending.prefix.conditions();
        conditions.push(pending.question);
        let elsewhere = self.elsewhere(&mut pending, &mut conditions);
        let known = pending.known.clone();
        let query = Query { conditions: &conditions, known: Some(&known) };
        self.counts.asked += 1;
        let limits = self.query_limits();
        let answer = self.solver.check(&mut self.terms, query, &limits);
        if answer == Answer::Unknown(UnknownReason::Stopped) {
            // The query was cancelled, so the branch stays pending.
            if let Resume::Computed { fresh, .. } = &mut pending.resume {
                *fresh |= elsewhere;
            }
            self.note(pending);
            return None;
        }
        if elsewhere && !matches!(answer, Answer::Sat(_)) {
            // No new target is known; the branch stays pending, to be queried for any other target.
            match answer {
                Answer::Unknown(reason) => {
                    self.counts.unknown += 1;
                    self.ledger.note(Kind::Unanswered, pending.address, reason.to_string(), true);
                }
                _ => self.counts.none += 1,
            }
            self.note(pending);
            return None;
        }
        let Pending { mut task, question, at_once, resume, mut direction, address, .. } = pending;
        let mut noted = direction.and_then(|direction| self.coverage.known(direction));
        match answer {
            Answer::Unsat(mut core) => {
                self.counts.none += 1;
                if let Some(known) = &mut noted {
                    known.none += 1;
                    if self.plan.certificates && known.taken == 0 {
                        core.sort_unstable();
                        known.cores.insert(core);
                    }
                }
                None
            }
            Answer::Unknown(reason) => {
                self.counts.unknown += 1;
                if let Some(known) = &mut noted {
                    known.unknown.insert(reason.to_string());
                }
                self.ledger.note(Kind::Unanswered, address, reason.to_string(), true);
                None
            }
            Answer::Sat(model) => {
                self.counts.models += 1;
                self.evaluation.set_model(model.clone());
                task.model = model;
                task.state.reevaluate(&self.terms, &mut self.evaluation);
                if at_once {
                    self.assume(&mut task, question);
                }
                match resume {
                    Resume::Here => {}
                    // The replay takes the direction when it reaches the branch.
                    Resume::Replay => direction = None,
                    Resume::Behind { exit } => {
                        let place = task.at.place;
                        self.took(address, &exit, place);
                    }
                    Resume::Computed { target, exit, .. } => {
                        task.assumed(question);
                        direction = self.go_to_computed(&mut task, target, &exit, Address(address));
                    }
                    Resume::Proposed { target, exit } => {
                        direction = self.go_to(&mut task, target, &exit, Address(address));
                    }
                }
                Some((task, direction))
            }
        }
    }

    /// Records a path that was run to its end.
    fn finish(&mut self, mut finished: Finished) {
        self.paths += 1;
        if !finished.interrupted {
            let text = || self.guest.explain(&finished.end);
            self.blockers.note(&finished.end, finished.task.last, text);
        }
        self.premises.take_reads(&finished.task.progress.reads);
        self.note_moved_vectors(&mut finished.task.state);
        match &finished.end {
            End::Unmodelled { address, missing } => {
                self.ledger.note(Kind::NoModel, *address, self.guest.explain_missing(*missing), true);
            }
            End::Exhausted { place, bound: Bound::Memory } => {
                let what = "a path uses as much memory of the guest as the plan allows";
                self.ledger.note(Kind::Bound, place.address, what, true);
            }
            End::Exited { .. } | End::Faulted { .. } | End::Exhausted { .. } | End::Infeasible => {}
        }
        self.record(finished);
        self.extend_map();
    }

    /// Recovers the control-flow graph and the interrupt handlers, and adds their branch directions to the coverage.
    fn recover_map(&mut self) {
        let (place, volatile) = (self.root.at.place, self.world.places());
        if self.plan.graph {
            self.map =
                Map::recover(self.guest, place, volatile, &mut self.root.state, self.cancellation.flag());
        }
        for direction in self.map.iter_mut().flat_map(|map| map.directions(self.guest)) {
            self.coverage.discover(direction);
        }
        let handlers = Handlers::recover(self.guest, place, self.map.as_ref());
        self.premises.add_writes(handlers.writes());
        for (space, first, last) in self.premises.changing() {
            self.root.state.mark_changing(space, first, last);
        }
        if let Some(map) = &mut self.map {
            map.add_volatile(self.premises.changing());
            if handlers.write_anywhere() {
                map.distrust();
            }
        }
        if self.premises.runs_handlers {
            handlers.judge(&mut self.coverage, &mut self.ledger);
        }
        if self.plan.criterion == Criterion::Call {
            self.calls.extend(self.map.iter().flat_map(Map::calls));
        }
    }

    /// Adds newly taken indirect targets to the graph, and the directions discovered by that to the coverage.
    fn extend_map(&mut self) {
        let found = std::mem::take(&mut self.found);
        if !found.is_empty() {
            self.change_map(|map, guest| map.learn(guest, &found));
        }
    }

    /// Completes the static analysis with value sets. The first time that may take a while.
    pub(crate) fn deepen_map(&mut self) {
        // It is called before each query once everything is covered, and listing directions walks the whole graph.
        if self.map.as_ref().is_none_or(Map::is_deep) {
            return;
        }
        let stop = self.cancellation.flag().clone();
        self.change_map(|map, guest| map.deepen(guest, &stop));
    }

    /// Changes the graph, and adds the directions and calls discovered by that to what must be covered.
    fn change_map(&mut self, change: impl FnOnce(&mut Map, &Guest)) {
        let Some(map) = self.map.as_mut() else { return };
        let calls = |map: &Map| match self.plan.criterion {
            Criterion::Call => map.calls().into_iter().collect(),
            _ => BTreeSet::new(),
        };
        let before = calls(map);
        change(map, self.guest);
        for direction in map.directions(self.guest) {
            self.coverage.discover(direction);
        }
        self.calls.extend(calls(map).difference(&before));
    }

    /// The resource limits of one solver query, with the cancellation flag.
    pub(crate) fn query_limits(&self) -> QueryLimits {
        QueryLimits { stop: Some(self.cancellation.flag().clone()), ..self.plan.limits() }
    }

    /// Garbage-collects terms that neither the current path nor a pending branch references.
    pub(crate) fn collect(&mut self, current: Option<&Task>) {
        if self.terms.live() < self.collect_above {
            return;
        }
        let mut holders: Vec<&dyn TermHolder> = vec![&self.frontier, &self.root, &self.coverage];
        holders.extend(self.probes.iter().map(|probe| probe as &dyn TermHolder));
        holders.extend(current.map(|task| task as &dyn TermHolder));
        let mut roots = Roots::of(holders);
        roots.extend(self.unwritten_assumptions.iter().copied());
        roots.extend(self.pointers.iter().map(|(_, term)| *term));
        // Values of blocks may still name collected terms; they are recomputed before they are used.
        let collected = self.terms.collect(roots.into_terms(), []);
        self.collect_above = self.memory.terms().max(2 * collected.live);
    }
}

//! The search: which way is asked about next, and what follows from the answer.

use std::collections::BTreeSet;

use everypath_environment::Guest;
use everypath_machine::{Bound, End};
use everypath_record::{Address, Direction};
use everypath_solve::{Answer, Query, Reason, Statistics};

use crate::exploration::Exploration;
use crate::explorer::Explorer;
use crate::flow::Finished;
use crate::handlers::Handlers;
use crate::ledger::Kind;
use crate::map::Map;
use crate::memory::{LOOK_EVERY, Roots};
use crate::pending::{Pending, Resume, Waiting};
use crate::plan::Criterion;
use crate::strategy::Candidate;
use crate::task::Task;
use crate::watch::Observer;

/// After so many paths it is looked for the first time whether every direction that is not covered is infeasible, and again
/// each time there are twice as many: what values exclude takes long to find out, and no path changes much of it.
pub(crate) const FIRST_JUDGED: u64 = 32;

impl Explorer<'_> {
    /// Explores until the criterion is reached, nothing is left, or a bound is hit.
    pub fn run(mut self, observer: &mut dyn Observer) -> Exploration {
        self.stop = observer.stop_flag();
        let alarm = self.set_alarm();
        let mut stopped: Vec<String> = Vec::new();
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
            if interrupted || self.is_stopped() || !observer.goes_on(&|| self.now(address)) {
                stopped.push(self.stop_reason());
                break;
            }
            self.collect(None);
            while next.is_none() {
                if self.is_stopped() {
                    stopped.push(self.stop_reason());
                    break;
                }
                if self.memory.is_exhausted {
                    stopped.push(self.memory.reason());
                    break;
                }
                if self.covers_all() {
                    // It must hold of all code that there is, as far as can be said.
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
                let Some(chosen) = self.strategy.next(&|direction| coverage.is_covered(direction)) else {
                    break;
                };
                let Some(waiting) = self.frontier.remove(&chosen.number) else { continue };
                self.held -= usize::from(waiting.task().is_some());
                let pending = waiting.into_pending(&mut self.root);
                next = self.ask(pending);
            }
            if !stopped.is_empty() {
                break;
            }
        }
        drop(alarm);
        self.conclude(stopped)
    }

    /// Whether everything that the criterion knows of is covered.
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
            // An indirect jump whose targets are not all known may lead to branches that nobody has seen.
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

    /// Whether the static analysis knows every target of every indirect exit: of those that were taken, and of those behind
    /// which a path ended abnormally.
    fn jumps_are_resolved(&self) -> bool {
        let Some(map) = &self.map else { return false };
        self.jumps.are_resolved(map, &self.coverage)
            && (self.blockers.is_empty() || map.is_whole() && self.jumps.rest_is_resolved(map))
    }

    /// Whether every direction is covered, or excluded by values: no path can change a verdict then.
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

    /// Notes how many models of the solver's layers were refuted, if any.
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

    /// Whether every noted way was asked about.
    pub(crate) fn frontier_is_empty(&self) -> bool {
        self.frontier.is_empty()
    }

    /// Takes note of a way.
    pub(crate) fn note(&mut self, pending: Pending) {
        let jump = matches!(pending.resume, Resume::Computed { fresh: true, .. });
        let candidate =
            Candidate { number: self.noted, depth: pending.prefix.len(), direction: pending.direction, jump };
        self.noted += 1;
        let waiting = Waiting::new(pending);
        self.held += usize::from(waiting.task().is_some());
        self.frontier.insert(candidate.number, waiting);
        self.strategy.add(candidate);
        if self.noted.is_multiple_of(LOOK_EVERY) {
            self.keep_within_memory();
        }
    }

    /// Asks whether a noted way can be taken; gives the path that takes it, and the direction with which it begins.
    fn ask(&mut self, mut pending: Pending) -> Option<(Task, Option<Direction>)> {
        let mut conditions = pending.prefix.conditions();
        conditions.push(pending.question);
        let elsewhere = self.elsewhere(&mut pending, &mut conditions);
        let known = pending.known.clone();
        let query = Query { conditions: &conditions, known: Some(&known) };
        self.counts.asked += 1;
        let limits = self.query_limits();
        let answer = self.solver.check(&mut self.terms, query, &limits);
        if answer == Answer::Unknown(Reason::Stopped) {
            // It stays as it was, one of those that nobody asked about.
            if let Resume::Computed { fresh, .. } = &mut pending.resume {
                *fresh |= elsewhere;
            }
            self.note(pending);
            return None;
        }
        if elsewhere && !matches!(answer, Answer::Model(_)) {
            // Nowhere new, as far as is known; later it is asked whether it leads anywhere else.
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
            Answer::None(mut core) => {
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
            Answer::Model(model) => {
                self.counts.models += 1;
                self.evaluation.set_model(model.clone());
                task.model = model;
                task.state.reevaluate(&self.terms, &mut self.evaluation);
                if at_once {
                    self.assume(&mut task, question);
                }
                match resume {
                    Resume::Here => {}
                    // The run takes the direction when it gets there.
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

    /// Takes note of a path that was run to its end.
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

    /// Recovers the graph and the interrupt handlers, and judges what they know of.
    fn recover_map(&mut self) {
        let (place, volatile) = (self.root.at.place, self.world.places());
        if self.plan.graph {
            self.map = Map::recover(self.guest, place, volatile, &mut self.root.state, &self.stop);
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

    /// Gives what runs have found to the graph, and judges what it then knows of, too.
    fn extend_map(&mut self) {
        let found = std::mem::take(&mut self.found);
        if !found.is_empty() {
            self.change_map(|map, guest| map.learn(guest, &found));
        }
    }

    /// Lets the static side say all that it can. The first time that may take a while.
    pub(crate) fn deepen_map(&mut self) {
        // It is called before each query once everything is covered, and listing directions walks the whole graph.
        if self.map.as_ref().is_none_or(Map::is_deep) {
            return;
        }
        let stop = self.stop.clone();
        self.change_map(|map, guest| map.deepen(guest, &stop));
    }

    /// Changes the graph, and judges what it then knows of, too.
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

    /// Gives terms back that neither the path at hand nor a noted way needs.
    pub(crate) fn collect(&mut self, current: Option<&Task>) {
        if self.terms.live() < self.collect_above {
            return;
        }
        let mut roots = Roots::default();
        let tasks = self.frontier.values().filter_map(Waiting::task).chain(current).chain([&self.root]);
        for task in tasks {
            roots.extend(task.state.terms());
            roots.extend(task.windows.terms());
            roots.path(&task.trail);
        }
        for probe in &self.probes {
            roots.extend([probe.condition]);
            roots.path(&probe.prefix);
        }
        roots.extend(self.pins.iter().copied());
        roots.extend(self.pointers.iter().map(|(_, term)| *term));
        if let Some(task) = current {
            roots.extend(task.assumptions.iter().map(|(_, condition)| *condition));
            task.replayed.iter().for_each(|prefix| roots.path(prefix));
        }
        for pending in self.frontier.values() {
            roots.extend(pending.assumptions().iter().map(|(_, condition)| *condition));
            roots.extend([pending.question]);
            roots.path(&pending.prefix);
            if let Resume::Computed { target, .. } = pending.resume {
                roots.extend([target]);
            }
        }
        roots.extend(
            self.coverage.directions().values().flat_map(|known| known.cores.iter().flatten().copied()),
        );
        // Values that blocks computed last may name terms that are gone then; they are computed anew before they are used.
        let collected = self.terms.collect(roots.into_terms(), []);
        self.collect_above = self.memory.terms().max(2 * collected.live);
    }
}

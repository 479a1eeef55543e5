//! The search: which way is asked about next, and what follows from the answer.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use everypath_environment::Guest;
use everypath_machine::End;
use everypath_record::{Address, Direction};
use everypath_solve::{Answer, Query};
use everypath_term::Term;

use crate::exploration::Exploration;
use crate::explorer::{COLLECT_ABOVE, Explorer};
use crate::flow::Finished;
use crate::ledger::Kind;
use crate::map::Map;
use crate::pending::{Pending, Resume};
use crate::plan::Criterion;
use crate::strategy::Candidate;
use crate::task::Task;
use crate::watch::Observer;

/// How many noted ways hold a state of their own.
const FORKS: usize = 50_000;

impl Explorer<'_> {
    /// Explores until the criterion is reached, nothing is left, or a bound is hit.
    pub fn run(mut self, observer: &mut dyn Observer) -> Exploration {
        let deadline = self.plan.seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
        let mut stopped: Vec<String> = Vec::new();
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
            if interrupted || !observer.goes_on(&|| self.now(address)) {
                stopped.push("it was interrupted".to_owned());
                break;
            }
            self.collect(None);
            while next.is_none() {
                if self.is_reached() && self.plan.criterion != Criterion::Path {
                    // It must hold of all code that there is, as far as can be said.
                    self.deepen_map();
                    if self.is_reached() {
                        break;
                    }
                }
                if self.paths >= self.plan.paths {
                    stopped.push(format!("the bound of {} paths was reached", self.plan.paths));
                    break;
                }
                if deadline.is_some_and(|deadline| Instant::now() > deadline) {
                    stopped.push(format!("the bound of {} s was reached", self.plan.seconds.unwrap_or(0)));
                    break;
                }
                let coverage = &self.coverage;
                let Some(chosen) = self.strategy.next(&|direction| coverage.is_covered(direction)) else {
                    break;
                };
                let Some(pending) = self.frontier.remove(&chosen.number) else { continue };
                next = self.ask(pending);
            }
            if !stopped.is_empty() {
                break;
            }
        }
        self.conclude(stopped)
    }

    /// Whether the criterion was reached.
    pub(crate) fn is_reached(&self) -> bool {
        match self.plan.criterion {
            Criterion::Instruction | Criterion::Branch => {
                let is_fresh =
                    |pending: &Pending| matches!(pending.resume, Resume::Computed { fresh: true, .. });
                self.coverage.all_taken() && !self.frontier.values().any(is_fresh)
            }
            Criterion::Call => self.calls.is_empty(),
            Criterion::Path => self.frontier.is_empty(),
        }
    }

    /// Whether noted ways may hold the states from which they go on. Beyond that they begin at the start, which takes time
    /// instead of memory.
    pub(crate) fn is_roomy(&self) -> bool {
        self.frontier.len() < FORKS
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
        self.frontier.insert(candidate.number, pending);
        self.strategy.add(candidate);
    }

    /// Asks whether a noted way can be taken; gives the path that takes it, and the direction with which it begins.
    fn ask(&mut self, mut pending: Pending) -> Option<(Task, Option<Direction>)> {
        let mut conditions = pending.prefix.conditions();
        conditions.push(pending.question);
        let elsewhere = self.elsewhere(&mut pending, &mut conditions);
        let known = pending.known.clone();
        let query = Query { conditions: &conditions, known: Some(&known) };
        self.counts.asked += 1;
        let answer = self.solver.check(&mut self.terms, query, &self.plan.limits());
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
                    task.trail.push(question);
                    task.windows.assume(&self.terms, question, true);
                    task.quiet = 0;
                }
                match resume {
                    Resume::Here => {}
                    Resume::Computed { target, exit, .. } => {
                        direction = Some(self.go_to_computed(&mut task, target, &exit, Address(address)));
                    }
                    Resume::Proposed { target, exit } => {
                        direction = Some(self.go_to(&mut task, target, &exit, Address(address)));
                    }
                }
                Some((task, direction))
            }
        }
    }

    /// Takes note of a path that was run to its end.
    fn finish(&mut self, finished: Finished) {
        self.paths += 1;
        self.premises.take_reads(&finished.task.progress.reads);
        if let End::Unmodelled { address, missing } = &finished.end {
            self.ledger.note(Kind::NoModel, *address, self.guest.explain_missing(*missing), true);
        }
        self.record(finished);
        self.extend_map();
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
        self.change_map(Map::deepen);
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
        for direction in map.directions() {
            self.coverage.discover(direction);
        }
        self.calls.extend(calls(map).difference(&before));
    }

    /// Gives terms back that neither the path at hand nor a noted way needs.
    pub(crate) fn collect(&mut self, current: Option<&Task>) {
        if self.terms.live() < self.collect_above {
            return;
        }
        let mut roots: Vec<Term> = Vec::new();
        let tasks = self.frontier.values().map(|pending| &pending.task).chain(current).chain([&self.root]);
        for task in tasks {
            roots.extend(task.state.terms());
            roots.extend(task.windows.terms());
            roots.extend(task.trail.conditions());
            roots.extend(task.later.iter().map(|(_, condition)| *condition));
        }
        for probe in &self.probes {
            roots.push(probe.condition);
            roots.extend(probe.prefix.conditions());
        }
        roots.extend(self.pins.iter().copied());
        roots.extend(self.pointers.iter().map(|(_, term)| *term));
        for pending in self.frontier.values() {
            roots.push(pending.question);
            roots.extend(pending.prefix.conditions());
            if let Resume::Computed { target, .. } = pending.resume {
                roots.push(target);
            }
        }
        roots.extend(self.coverage.directions().values().flat_map(|known| known.cores.iter().flatten()));
        // Values that blocks computed last may name terms that are gone then; they are computed anew before they are used.
        let collected = self.terms.collect(roots, []);
        self.collect_above = COLLECT_ABOVE.max(2 * collected.live);
    }
}

//! Directed search (target-directed testing; Babić et al. 2011): paths pass the points of targets, the condition at the last one is
//! asked of the solver with the path condition, and each answer is a test, the evidence that there is none, or a reason.
//!
//! A condition at an earlier point is a decision of the path, with its alternative in the frontier, because what follows
//! depends on it. That at the last point is only asked: the path continues as if it was not there.

use everypath_environment::{CompiledCondition, WaypointPlace};
use everypath_machine::{Bound, End};
use everypath_solve::{Answer, Query, UnknownReason};
use everypath_term::Model;

use crate::explorer::Explorer;
use crate::frontier::pending::{Pending, Resume, Start};
use crate::path::task::Task;
use crate::reach::condition::{Evaluated, evaluate};
use crate::reach::directed::{Arrival, DirectedSearch};
use crate::verdict::ledger::AssumptionKind;

impl Explorer<'_> {
    /// Prepares a directed search, when the graph is known.
    pub(super) fn begin_directed(&mut self) {
        let Some(directed) = &mut self.directed else { return };
        directed.begin(self.knowledge.has_handlers(), self.knowledge.analysis().map());
    }

    /// Whether every target of a directed search has an answer.
    pub(super) fn is_directed_search_over(&mut self) -> bool {
        let Some(directed) = &mut self.directed else { return false };
        directed.renew(self.knowledge.analysis().map());
        directed.is_done()
    }

    /// Records that a path is where it is, before it runs the next block. Returns its end, if it is not to be followed.
    pub(super) fn arrive(&mut self, task: &mut Task) -> Option<End> {
        self.directed.as_ref()?;
        self.pass_points(task);
        let (place, progress) = (task.at.place, task.target_progress);
        let directed = self.directed.as_mut()?;
        if directed.is_done() {
            return Some(End::Exhausted { place, bound: Bound::Shown });
        }
        if place.part != 0 {
            return None;
        }
        directed.come(place.address, progress);
        if task.is_in_prefix() || !directed.is_hopeless(place.address, progress) {
            return None;
        }
        let pending = self.continuation(task.fork(), Resume::Postponed);
        let refused = self.directed.as_mut()?.prune(pending);
        refused.is_none().then_some(End::Postponed { place })
    }

    /// Passes the points of targets that a path has come to.
    pub(super) fn pass_points(&mut self, task: &mut Task) {
        let (place, last) = (task.at.place, task.last);
        let Some(directed) = self.directed.as_ref().filter(|_| place.part == 0) else { return };
        let first = task.next_target();
        for target in directed.passing(task.target_progress, last, place.address) {
            if target >= first {
                task.note_target(target);
                self.pass_point(task, target);
            }
        }
    }

    /// Passes the next point of a target, where a path is.
    fn pass_point(&mut self, task: &mut Task, target: usize) {
        let Some(directed) = &self.directed else { return };
        let passed = directed.progress.passed(task.target_progress, target);
        let points = &directed.targets[target].points;
        let is_last = passed + 1 == points.len();
        let condition = points[passed].condition.clone();
        if is_last && (!directed.is_open(target) || task.is_in_prefix()) {
            // The path that this one replays has asked before.
            return;
        }
        let evaluated = match &condition {
            Some(condition) => self.evaluate_condition(condition, task),
            None => Evaluated::constant(true),
        };
        if is_last {
            self.ask_target(task, target, evaluated);
        } else {
            self.decide_point(task, target, &evaluated);
        }
    }

    fn evaluate_condition(&mut self, condition: &CompiledCondition, task: &mut Task) -> Evaluated {
        evaluate(condition, &mut self.inputs, task)
    }

    /// Passes a point that is not the last, if its condition holds; with the condition, that is a decision.
    fn decide_point(&mut self, task: &mut Task, target: usize, evaluated: &Evaluated) {
        let Some(directed) = &mut self.directed else { return };
        let advanced = directed.progress.pass(task.target_progress, target);
        let is_clean = evaluated.doubts.is_empty() && evaluated.fixed.is_empty();
        for doubt in &evaluated.doubts {
            directed.note(target, Arrival::Doubtful(format!("{doubt}, at {:#x}", task.at.place.address)));
        }
        let Some(condition) = evaluated.term.filter(|_| is_clean) else {
            if evaluated.term.is_some() && evaluated.doubts.is_empty() {
                let what = "the condition of a point was not decided symbolically";
                directed.note(target, Arrival::Doubtful(format!("{what}, at {:#x}", task.at.place.address)));
            }
            if evaluated.holds {
                task.target_progress = advanced;
            }
            return;
        };
        let (holds, alternative_condition) = self.inputs.sides(condition, evaluated.holds);
        let (own, other) =
            if evaluated.holds { (advanced, task.target_progress) } else { (task.target_progress, advanced) };
        let (_, mut context) = self.path_context();
        context.add_due_assumptions(task);
        if !task.is_in_prefix() && task.path_condition.last() != Some(holds) {
            let mut fork = task.fork();
            fork.pass_decision();
            fork.target_progress = other;
            let mut pending = self.continuation(fork, Resume::Here);
            pending.prefix = task.path_condition.clone();
            (pending.condition, pending.assumes_condition_on_resume) = (alternative_condition, true);
            self.frontier.push(pending);
        }
        let (_, mut context) = self.path_context();
        context.commit(task, holds);
        task.target_progress = own;
    }

    /// A pending branch that continues a path where it is.
    pub(super) fn continuation(&mut self, task: Task, resume: Resume) -> Pending {
        Pending {
            prefix: task.path_condition.clone(),
            known: task.model.clone(),
            reads: task.progress.count(),
            progress: task.target_progress,
            address: task.at.place.address,
            start: Start::State(Box::new(task)),
            condition: self.inputs.terms.truth(true),
            assumes_condition_on_resume: false,
            resume,
            direction: None,
            guard: None,
        }
    }

    /// Asks whether the condition at the last point of a target holds for some input of a path.
    fn ask_target(&mut self, task: &mut Task, target: usize, evaluated: Evaluated) {
        let Some(directed) = &mut self.directed else { return };
        let address = task.at.place.address;
        directed.arrive(target);
        let Evaluated { holds, term, fixed, doubts } = evaluated;
        for doubt in doubts {
            directed.note(target, Arrival::Doubtful(format!("{doubt}, at {address:#x}")));
        }
        let model = if holds {
            task.model.clone()
        } else {
            let Some(condition) = term else { return directed.note(target, Arrival::Constant) };
            let mut conditions = task.path_condition.conditions();
            conditions.extend(fixed);
            conditions.push(condition);
            let query = Query { conditions: &conditions, known: Some(&task.model) };
            match self.queries.ask(&mut self.inputs.terms, query, self.cancellation.flag()) {
                Answer::Sat(model) => model,
                Answer::Unsat(_) => return directed.note(target, Arrival::Unsatisfiable),
                Answer::Unknown(UnknownReason::Stopped) => {
                    let what = "the search ended before the condition was decided".to_owned();
                    return directed.note(target, Arrival::Doubtful(what));
                }
                Answer::Unknown(reason) => {
                    let what = format!(
                        "a solver query for the condition, at {address:#x}, was not answered: {reason}"
                    );
                    return directed.note(target, Arrival::Doubtful(what));
                }
            }
        };
        self.confirm_target(task, target, &model);
    }

    /// Confirms a target by a concrete run of an input; only that is an answer.
    fn confirm_target(&mut self, task: &Task, target: usize, model: &Model) {
        let input = self.inputs.test_input(model, &task.progress.reads, task.interrupts());
        let (Some(directed), Some(witness)) = (&mut self.directed, &mut self.witness) else { return };
        let address = task.at.place.address;
        match witness.test(input, &directed.targets[target], task.instructions) {
            Ok(Some((test, directions))) => {
                self.recorder.keep_target(target, test, directions);
                directed.confirm(target, self.schedule.paths() + 1);
            }
            Ok(None) | Err(_) => {
                let what = "a run did not confirm that an input reaches a target";
                self.knowledge.ledger.note(AssumptionKind::Divergence, address, what, true);
                directed.note(target, Arrival::Doubtful(format!("{what}, at {address:#x}")));
            }
        }
    }

    /// Prunes a pending branch, if no open target can be reached after it; otherwise returns it.
    pub(super) fn prune(&mut self, pending: Pending) -> Option<Pending> {
        let Some(directed) = &mut self.directed else { return Some(pending) };
        match directed.is_pending_hopeless(&pending) {
            true => directed.prune(pending),
            false => Some(pending),
        }
    }

    /// When nothing else is pending: drops the pruned paths, if that no target can be reached from there is a proof, and
    /// enqueues the rest. Returns whether anything was enqueued.
    pub(super) fn resume_pruned(&mut self) -> bool {
        if !self.directed.as_ref().is_some_and(DirectedSearch::has_pruned) {
            return false;
        }
        self.knowledge.deepen_map(self.cancellation.flag());
        let is_exact = self.knowledge.is_graph_exact();
        let Some(directed) = &mut self.directed else { return false };
        directed.renew(self.knowledge.analysis().map());
        let rest = directed.take_pruned(is_exact);
        let is_any = !rest.is_empty();
        rest.into_iter().for_each(|pending| self.frontier.push(pending));
        is_any
    }

    /// Refutes targets that the static analysis excludes.
    pub(super) fn refute_statically(&mut self) {
        self.knowledge.deepen_map(self.cancellation.flag());
        let limits = self.queries.limits(self.cancellation.flag());
        let (entry, paths) = (self.root.at.place.address, self.schedule.paths());
        let is_exact = self.knowledge.is_graph_exact();
        let Some(directed) = &mut self.directed else { return };
        directed.renew(self.knowledge.analysis().map());
        let Some((map, excluded)) = self.knowledge.exclusions(&limits) else { return };
        let (is_whole, caveat) = (map.is_whole(self.inputs.guest), map.trap_caveat());
        for target in directed.open().collect::<Vec<usize>>() {
            let points = &directed.targets[target].points;
            let mut places = points.iter().flat_map(|point| &point.places);
            if places.any(|place| self.knowledge.why_not_refutable(*place).is_some()) {
                continue;
            }
            let is_cut =
                |place: &WaypointPlace| excluded.cut(map, *place) || is_whole && !map.covers(place.address());
            let cut = points.iter().find(|point| point.places.iter().all(is_cut));
            let evidence = if let Some(point) = cut {
                let direction = match *point.places.as_slice() {
                    [WaypointPlace::Direction { branch, target }] => excluded.evidence(branch, target),
                    _ => None,
                };
                let cut = || {
                    format!(
                        "the control-flow graph, whose indirect exits are all resolved, has no path to `{}` but those that values \
                         exclude, each confirmed by a solver{caveat}",
                        point.text
                    )
                };
                direction.map_or_else(cut, str::to_owned)
            } else if is_exact && directed.is_excluded_by_graph(entry, target) {
                format!(
                    "no path of the control-flow graph with matched calls and returns passes the points in this order; its \
                     indirect exits and returns are all resolved{caveat}"
                )
            } else {
                continue;
            };
            directed.refute_statically(target, evidence, paths);
        }
    }

    /// Answers the targets that are still open, when the search has ended: `stopped` lists why it ended early. Returns for each
    /// target why it is open if it is.
    pub(super) fn conclude_targets(&mut self, stopped: &[String]) -> Vec<String> {
        if let Some(directed) = self.directed.as_mut().filter(|_| !self.knowledge.trusts_map()) {
            directed.withdraw_static_answers();
        }
        let Some(directed) = &self.directed else { return Vec::new() };
        let is_pruned_right = !directed.has_dropped() || self.knowledge.is_graph_exact();
        let is_complete =
            stopped.is_empty() && self.is_exhausted() && is_pruned_right && !self.recorder.has_divergences();
        if !is_complete && !directed.is_done() {
            self.refute_statically();
        }
        let Some(directed) = &mut self.directed else { return Vec::new() };
        let blocked = self.knowledge.blocked_code();
        let mut reasons = Vec::new();
        for target in 0..directed.targets.len() {
            let points = &directed.targets[target].points;
            let places = || points.iter().flat_map(|point| &point.places);
            let last = points.last().into_iter().flat_map(|point| &point.places);
            let block = last.filter_map(|place| {
                blocked.reason(match *place {
                    WaypointPlace::Instruction(address) => address,
                    WaypointPlace::Direction { branch, .. } => branch,
                })
            });
            let never = places().find_map(|place| self.knowledge.why_not_refutable(*place));
            let doubt = never.or_else(|| directed.doubt(target).map(str::to_owned)).or_else(|| block.min());
            if is_complete && doubt.is_none() && directed.is_open(target) {
                let evidence = directed.evidence(target);
                directed.refute(target, evidence, self.schedule.paths());
            }
            let incomplete = || {
                let losses = self.knowledge.ledger.losses();
                stopped.first().cloned().or_else(|| losses.first().cloned())
            };
            let reason = doubt.or_else(incomplete);
            reasons.push(reason.unwrap_or_else(|| "not every path was explored".to_owned()));
        }
        reasons
    }
}

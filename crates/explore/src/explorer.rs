//! The exploration: from the first run to the last question.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::{Duration, Instant};

use everypath_environment::{
    Configuration, Guest, GuestError, InitialInputs, Inputs, PointerInput, Unwritten, World,
};
use everypath_ir::{ExitKind, Place};
use everypath_machine::{At, End, Event, Limits, Machine, Windows};
use everypath_record::{Address, Counts, Direction, Finding};
use everypath_solve::{Answer, Query, Solver};
use everypath_term::{Evaluation, Model, Term, Terms};

use crate::coverage::Coverage;
use crate::flow::{Finished, GuestMachine};
use crate::initial::give_input;
use crate::jumps::Jumps;
use crate::ledger::{Kind, Ledger};
use crate::map::Map;
use crate::pending::{Pending, Resume};
use crate::plan::{Criterion, Plan};
use crate::replay::Replayer;
use crate::strategy::{self, Candidate, Strategy};
use crate::suspicion::Probe;
use crate::task::{PathNumber, Task};
use crate::trail::Trail;
use crate::watch::{Now, Observer};
use crate::watchers::{Facts, Watchers, setup};

/// How many terms there may be before those that are not needed are given back for the first time.
const COLLECT_ABOVE: usize = 2_000_000;

/// How many noted ways hold a state of their own.
const FORKS: usize = 50_000;

/// The oracle for which it is noted what was written.
const NEVER_WRITTEN: &str = "never-written";

/// An exploration of a guest.
pub struct Explorer<'g> {
    pub(crate) guest: &'g Guest,
    pub(crate) plan: Plan,
    pub(crate) world: World,
    pub(crate) limits: Limits,
    pub(crate) machine: GuestMachine<'g>,
    pub(crate) terms: Terms,
    pub(crate) inputs: Inputs,
    pub(crate) events: Vec<Event>,
    pub(crate) evaluation: Evaluation,
    pub(crate) coverage: Coverage,
    pub(crate) ledger: Ledger,
    pub(crate) executed: u64,
    /// The start, from which runs begin again.
    pub(crate) root: Task,
    /// Blocks in which input decides before their end: a fork is made before they are run.
    pub(crate) touchy: HashSet<Place>,
    /// Where jumps that input computes have led to, by their instructions.
    pub(crate) targets: BTreeMap<Address, BTreeSet<u64>>,
    pub(crate) replayer: Replayer<'g>,
    pub(crate) recorded: Vec<crate::judge::Recorded>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) divergences: Vec<String>,
    /// What holds input at the start.
    pub(crate) initial: InitialInputs,
    /// The pointers among it, as terms.
    pub(crate) pointers: Vec<(PointerInput, Term)>,
    /// Whether memory that nothing has written is input.
    pub(crate) unwritten_is_input: bool,
    /// The conditions that say what such memory was taken to be.
    pub(crate) pins: HashSet<Term>,
    pub(crate) facts: Facts,
    /// What is known without a run.
    pub(crate) map: Option<Map>,
    /// Calls that the graph has and that no run has made.
    pub(crate) calls: BTreeSet<Direction>,
    /// Where runs went that the graph does not know of yet: by which instruction, of which kind.
    pub(crate) found: Vec<(u64, ExitKind, Place)>,
    /// Where computed exits have led to.
    pub(crate) jumps: Jumps,
    /// What is suspected on the path at hand.
    pub(crate) probes: Vec<Probe>,
    pub(crate) solver: Box<dyn Solver>,
    frontier: BTreeMap<u64, Pending>,
    strategy: Box<dyn Strategy>,
    noted: u64,
    paths: u64,
    pub(crate) counts: Counts,
    collect_above: usize,
}

/// What an exploration came to.
pub struct Exploration {
    /// Whether every path that input can take was looked at.
    pub complete: bool,
    /// Whether the criterion was reached.
    pub reached: bool,
    /// Why not every path was looked at.
    pub incomplete_because: Vec<String>,
    /// How many paths were run to their end.
    pub paths: u64,
    /// How many instructions were run at least once.
    pub instructions: usize,
    /// How many instructions were run.
    pub executed: u64,
    /// Questions and answers.
    pub counts: Counts,
    /// The layers of the solver, and what they answered.
    pub solver: Vec<everypath_solve::Statistics>,
    /// Each branch direction that was discovered.
    pub directions: Vec<everypath_record::Judged>,
    /// Each jump, call and return whose target is computed.
    pub jumps: Vec<everypath_record::Jump>,
    /// The certificates of which the verdicts speak.
    pub certificates: Vec<crate::Certified>,
    /// The tests.
    pub tests: Vec<everypath_record::TestCase>,
    /// Faults of the guest.
    pub findings: Vec<Finding>,
    /// What was assumed.
    pub ledger: Ledger,
    /// Tests that did not do from the start what they were made for.
    pub divergences: Vec<String>,
}

impl<'g> Explorer<'g> {
    /// Prepares an exploration.
    ///
    /// # Errors
    /// If the configuration does not fit the guest, or the plan names a strategy that does not exist.
    pub fn new(
        guest: &'g Guest,
        configuration: &Configuration,
        plan: Plan,
        solver: Box<dyn Solver>,
    ) -> Result<Explorer<'g>, GuestError> {
        let Some(entry) = strategy::ALL.iter().find(|entry| entry.name == plan.strategy) else {
            let names: Vec<&str> = strategy::ALL.iter().map(|entry| entry.name).collect();
            let (name, known) = (&plan.strategy, names.join(", "));
            return Err(GuestError::new(format!("there is no strategy `{name}`; there are: {known}")));
        };
        let world = guest.world(configuration)?;
        let note_written = plan.oracles.iter().any(|name| name == NEVER_WRITTEN);
        let noted = Configuration {
            note_written: note_written || configuration.note_written,
            ..configuration.clone()
        };
        let mut state = guest.state(&noted)?;
        let place = guest.entry(configuration)?;
        let limits = guest.limits(configuration)?;
        let setup = setup(guest, configuration)?;
        let watchers = Watchers::new(&plan.oracles, &setup)?;
        let start = guest.state(&noted)?;
        let replayer = Replayer::new(guest, start, world.clone(), place, limits.clone(), watchers.fork());
        let initial = guest.initial_inputs(configuration)?;
        let (mut terms, mut inputs) = (Terms::new(), Inputs::default());
        let mut trail = Trail::default();
        let (pointers, model) = give_input(&initial, &mut state, &mut terms, &mut inputs, &mut trail);
        let mut evaluation = Evaluation::new(Model::new());
        evaluation.set_model(model.clone());
        state.reevaluate(&terms, &mut evaluation);
        let map = plan.graph.then(|| Map::recover(guest, place, world.places(), &mut state)).flatten();
        let mut coverage = Coverage::default();
        for direction in map.iter().flat_map(Map::directions) {
            coverage.discover(direction);
        }
        let root = Task {
            state,
            at: At::new(place),
            progress: world.progress(),
            quiet: trail.len(),
            trail,
            windows: Windows::default(),
            model,
            instructions: 0,
            last: place.address,
            path: PathNumber::START,
            aliases: 0,
            targets: 0,
            objects: vec![0; configuration.objects.len()],
            watchers,
            later: Vec::new(),
            later_done: 0,
        };
        Ok(Explorer {
            guest,
            strategy: (entry.make)(plan.seed),
            plan,
            world,
            limits,
            machine: Machine::new(guest),
            terms,
            inputs,
            events: Vec::new(),
            evaluation,
            coverage,
            ledger: Ledger::default(),
            executed: 0,
            root,
            touchy: HashSet::new(),
            targets: BTreeMap::new(),
            replayer,
            recorded: Vec::new(),
            findings: Vec::new(),
            divergences: Vec::new(),
            initial,
            pointers,
            unwritten_is_input: configuration.unwritten == Unwritten::Input,
            pins: HashSet::new(),
            facts: Facts::new(guest),
            calls: map.iter().flat_map(Map::calls).collect(),
            map,
            found: Vec::new(),
            jumps: Jumps::default(),
            probes: Vec::new(),
            solver,
            frontier: BTreeMap::new(),
            noted: 0,
            paths: 0,
            counts: Counts::default(),
            collect_above: COLLECT_ABOVE,
        })
    }

    /// Explores until the criterion is reached, nothing is left, or a bound is hit.
    pub fn run(mut self, observer: &mut dyn Observer) -> Exploration {
        let deadline = self.plan.seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
        let mut stopped: Vec<String> = Vec::new();
        let mut next = Some((self.root.fork(), None));
        while let Some((task, direction)) = next.take() {
            let finished = self.follow(task, direction, observer);
            let address = finished.task.at.place.address;
            let interrupted = finished.interrupted;
            self.finish(finished);
            self.ask_suspicions();
            if interrupted || !observer.goes_on(&|| self.now(address)) {
                stopped.push("it was interrupted".to_owned());
                break;
            }
            self.collect(None);
            while next.is_none() {
                if self.is_reached() && self.plan.criterion != Criterion::Path {
                    break;
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

    fn is_reached(&self) -> bool {
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
                        direction = Some(self.go_to_computed(&mut task, target, &exit, address));
                    }
                    Resume::Proposed { target, exit } => {
                        let place = self.place_of(&mut task, &exit, target);
                        task.at = At::new(place);
                        self.took(address, &exit, place);
                        direction = Some(self.note_target(Address(address), target, place));
                    }
                }
                Some((task, direction))
            }
        }
    }

    /// Goes on at the address that a term is under the task's model, and notes that there may be yet another.
    fn go_to_computed(
        &mut self,
        task: &mut Task,
        target: Term,
        exit: &everypath_ir::Exit,
        address: u64,
    ) -> Direction {
        let value = self.evaluation.word(&self.terms, target).unwrap_or(0);
        let width = self.terms.width(target);
        let number = self.terms.constant_u64(value, width);
        let same = self.terms.eq(target, number);
        let question = self.terms.not(same);
        task.targets += 1;
        if task.targets < self.plan.targets {
            self.note(Pending {
                prefix: task.trail.clone(),
                known: task.model.clone(),
                task: task.fork(),
                question,
                at_once: true,
                resume: Resume::Computed { target, exit: *exit, fresh: true },
                direction: None,
                address,
            });
        } else {
            let what = "a jump that input computes has as many targets as the plan allows";
            self.ledger.note(Kind::Bound, address, what, true);
        }
        task.trail.push(same);
        task.windows.assume(&self.terms, same, true);
        let place = self.place_of(task, exit, value);
        task.at = At::new(place);
        self.took(address, exit, place);
        self.note_target(Address(address), value, place)
    }

    /// Where a path is not to be looked for its own sake: asks of a jump that input computes whether it leads to where
    /// nothing led before. Gives whether that was added to the conditions.
    fn elsewhere(&mut self, pending: &mut Pending, conditions: &mut Vec<Term>) -> bool {
        let Resume::Computed { target, fresh: fresh @ true, .. } = &mut pending.resume else { return false };
        if self.plan.criterion == Criterion::Path {
            return false;
        }
        *fresh = false;
        let width = self.terms.width(*target);
        for value in self.targets.get(&Address(pending.address)).into_iter().flatten() {
            let number = self.terms.constant_u64(*value, width);
            let same = self.terms.eq(*target, number);
            conditions.push(self.terms.not(same));
        }
        true
    }

    /// Takes note of a path that was run to its end.
    fn finish(&mut self, finished: Finished) {
        self.paths += 1;
        if let End::Unmodelled { address, missing } = &finished.end {
            self.ledger.note(Kind::NoModel, *address, self.guest.explain_missing(*missing), true);
        }
        self.record(finished);
        self.extend_map();
    }

    /// Gives what runs have found to the graph, and judges what it then knows of, too.
    fn extend_map(&mut self) {
        let found = std::mem::take(&mut self.found);
        let Some(map) = self.map.as_mut().filter(|_| !found.is_empty()) else { return };
        map.learn(self.guest, &found);
        for direction in map.directions() {
            self.coverage.discover(direction);
        }
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

    /// Where the exploration is.
    pub(crate) fn now(&self, address: u64) -> Now {
        let (covered, directions) = self.coverage.tally();
        let mut solver = Vec::new();
        self.solver.statistics(&mut solver);
        Now {
            covered,
            directions,
            instructions: self.coverage.instructions(),
            tests: self.recorded.len(),
            findings: self.findings.len(),
            paths: self.paths,
            pending: self.frontier.len(),
            questions: self.counts.asked,
            executed: self.executed,
            address,
            solver,
        }
    }

    fn conclude(mut self, mut stopped: Vec<String>) -> Exploration {
        let mut solver = Vec::new();
        self.solver.statistics(&mut solver);
        self.counts.backend = solver.last().map_or(0, |last| last.asked);
        let reached = self.is_reached();
        if stopped.is_empty() && !self.frontier.is_empty() {
            stopped.push("the criterion was reached before every path was looked at".to_owned());
        }
        stopped.extend(self.ledger.losses());
        let complete = stopped.is_empty();
        let jumps = self.jumps.judge(complete, self.map.as_ref());
        let (tests, directions, certificates) = self.judge(complete, &stopped);
        Exploration {
            complete,
            reached,
            incomplete_because: stopped,
            paths: self.paths,
            instructions: self.coverage.instructions(),
            executed: self.executed,
            counts: self.counts,
            solver,
            directions,
            jumps,
            certificates,
            tests,
            findings: self.findings,
            ledger: self.ledger,
            divergences: self.divergences,
        }
    }
}

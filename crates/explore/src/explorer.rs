//! The state of an exploration, and its creation from a guest, a configuration and a plan.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use everypath_environment::{
    Configuration, Guest, GuestError, InitialInputs, InputTable, PointerInput, Unwritten, World,
};
use everypath_ir::{ExitKind, Location, Place};
use everypath_machine::{At, Event, Machine, PathRanges, RunLimits};
use everypath_record::{Address, Counts, Direction};
use everypath_solve::Solver;
use everypath_term::{Evaluation, Model, Term, Terms};
use rustc_hash::FxHashSet;

use crate::blockers::Blockers;
use crate::cancellation::Cancellation;
use crate::coverage::Coverage;
use crate::extensions::Extensions;
use crate::flow::GuestMachine;
use crate::frontier::Frontier;
use crate::initial::{give_input, take_as_zero};
use crate::jumps::Jumps;
use crate::ledger::Ledger;
use crate::map::Map;
use crate::memory::Memory;
use crate::oracles::{BlockFactsCache, Oracles, setup};
use crate::path_condition::PathCondition;
use crate::plan::Plan;
use crate::premises::Premises;
use crate::recorder::Recorder;
use crate::replay::Replayer;
use crate::search::FIRST_JUDGED;
use crate::suspicion::Probe;
use crate::task::{PathNumber, Task};

/// Number of live terms above which unreachable terms are garbage-collected for the first time.
pub(crate) const COLLECT_ABOVE: usize = 2_000_000;

/// The oracle for uses of uninitialised memory. It watches every exploration, because the contents assumed for such
/// memory are an assumption of the verdicts; if the plan leaves it out, it reports no findings.
const NEVER_WRITTEN: &str = "never-written";

/// An exploration of a guest.
pub struct Explorer<'g> {
    pub(crate) guest: &'g Guest,
    pub(crate) plan: Plan,
    pub(crate) world: World,
    pub(crate) limits: RunLimits,
    pub(crate) machine: GuestMachine<'g>,
    pub(crate) terms: Terms,
    pub(crate) inputs: InputTable,
    pub(crate) events: Vec<Event>,
    pub(crate) evaluation: Evaluation,
    pub(crate) coverage: Coverage,
    pub(crate) ledger: Ledger,
    pub(crate) executed: u64,
    /// The path at the entry, which the first run and every replay from the entry fork.
    pub(crate) root: Task,
    /// Instructions at which paths ended abnormally, and how; the code behind them was not explored.
    pub(crate) blockers: Blockers,
    /// Basic blocks with a decision on input before their end; the path is forked before they run, for replay.
    pub(crate) fork_before: FxHashSet<Place>,
    /// Targets that paths took at indirect jumps whose target depends on input, by jump instruction.
    pub(crate) targets: BTreeMap<Address, BTreeSet<u64>>,
    pub(crate) recorder: Recorder<'g>,
    /// The registers and memory that hold input at the entry.
    pub(crate) initial: InitialInputs,
    /// The pointers among these inputs, with their terms.
    pub(crate) pointers: Vec<(PointerInput, Term)>,
    /// Whether uninitialised memory is input.
    pub(crate) unwritten_is_input: bool,
    /// The conditions that pin uninitialised bytes to their assumed values.
    pub(crate) unwritten_assumptions: FxHashSet<Term>,
    pub(crate) facts: BlockFactsCache,
    /// The static analysis: control-flow graph and value sets.
    pub(crate) map: Option<Map>,
    /// Calls of the control-flow graph that no path has made, if calls are the criterion.
    pub(crate) calls: BTreeSet<Direction>,
    /// New targets of indirect jumps and calls, not yet passed to the graph: instruction, kind of exit, target.
    pub(crate) found: Vec<(u64, ExitKind, Place)>,
    /// The targets that paths took at indirect exits.
    pub(crate) jumps: Jumps,
    /// Assumptions about the environment.
    pub(crate) premises: Premises,
    /// Violations that oracles suspect on the current path, to be queried when it ends.
    pub(crate) probes: Vec<Probe>,
    pub(crate) solver: Box<dyn Solver>,
    /// The pending branches.
    pub(crate) frontier: Frontier,
    pub(crate) paths: u64,
    /// Number of paths run when everything that the criterion knows became covered; `None` while it is not.
    pub(crate) covered_since: Option<u64>,
    pub(crate) counts: Counts,
    /// Number of live terms above which unreachable terms are garbage-collected.
    pub(crate) collect_above: usize,
    /// The flag and the time limit by which it is cancelled.
    pub(crate) cancellation: Cancellation,
    pub(crate) memory: Memory,
    /// Number of paths after which the search next checks whether every uncovered direction is infeasible.
    pub(crate) judge_at: u64,
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
        let entry = extensions.strategy(&plan.strategy)?;
        guest.check_setup(configuration)?;
        let world = guest.world(configuration)?;
        let noted = Configuration { note_written: true, ..configuration.clone() };
        let mut state = guest.state(&noted)?;
        let place = guest.entry(configuration)?;
        let limits = guest.limits(configuration)?;
        let code = Location { space: guest.code_space(), offset: place.address };
        if state.is_blank(code) {
            let at = place.address;
            return Err(GuestError::new(format!(
                "nothing of the file lies at the entry {at:#x}: `--entry` or `--base` is wrong"
            )));
        }
        if limits.stops.contains(&place.address) {
            let at = place.address;
            return Err(GuestError::new(format!(
                "`stop` names the entry {at:#x}: nothing would be run; name where the program is done"
            )));
        }
        let setup = setup(guest, configuration, &limits);
        let mut names = plan.oracles.clone();
        if !names.iter().any(|name| name == NEVER_WRITTEN) {
            names.push(NEVER_WRITTEN.to_owned());
        }
        let oracles = Oracles::with_extensions(&names, extensions, &setup)?;
        let start = guest.state(&noted)?;
        let replayer = Replayer::new(guest, start, world.clone(), place, limits.clone(), oracles.fork());
        let initial = guest.initial_inputs(configuration)?;
        let (mut terms, mut inputs) = (Terms::new(), InputTable::default());
        let mut path_condition = PathCondition::default();
        let (pointers, model) =
            give_input(&initial, &mut state, &mut terms, &mut inputs, &mut path_condition);
        for (_, location, width) in guest.undeclared_arguments(configuration) {
            take_as_zero(location, width.bytes(), &mut state, &mut terms, &mut inputs, &mut path_condition);
        }
        let mut evaluation = Evaluation::new(Model::new());
        evaluation.set_model(model.clone());
        state.reevaluate(&terms, &mut evaluation);
        let premises = Premises::new(guest, configuration)?;
        let root = Task {
            state,
            at: At::new(place),
            progress: world.progress(),
            path_condition,
            ranges: PathRanges::default(),
            model,
            instructions: 0,
            last: place.address,
            path: PathNumber::START,
            aliases: 0,
            targets: 0,
            objects: vec![0; configuration.objects.len()],
            oracles,
            derailed: None,
            decisions: 0,
            replay_until: 0,
            assumptions: Vec::new(),
            assumptions_done: 0,
            replayed: None,
        };
        let memory = Memory::new(plan.memory);
        let frontier = Frontier::new((entry.make)(plan.seed));
        let cancellation = Cancellation::new(started, plan.seconds);
        Ok(Explorer {
            guest,
            collect_above: memory.terms(),
            memory,
            plan,
            world,
            limits,
            machine: Machine::new(guest),
            terms,
            inputs,
            events: Vec::new(),
            evaluation,
            coverage: Coverage::default(),
            ledger: Ledger::default(),
            executed: 0,
            root,
            blockers: Blockers::default(),
            fork_before: FxHashSet::default(),
            targets: BTreeMap::new(),
            recorder: Recorder::new(guest, replayer),
            initial,
            pointers,
            unwritten_is_input: configuration.unwritten == Unwritten::Input,
            unwritten_assumptions: FxHashSet::default(),
            facts: BlockFactsCache::new(guest),
            calls: BTreeSet::new(),
            map: None,
            found: Vec::new(),
            jumps: Jumps::default(),
            premises,
            probes: Vec::new(),
            solver,
            frontier,
            paths: 0,
            covered_since: None,
            counts: Counts::default(),
            cancellation,
            judge_at: FIRST_JUDGED,
        })
    }
}

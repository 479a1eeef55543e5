//! What an exploration works with, and how it is prepared.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use everypath_environment::{
    Configuration, Guest, GuestError, InitialInputs, Inputs, PointerInput, Unwritten, World,
};
use everypath_ir::{ExitKind, Location, Place};
use everypath_machine::{At, Event, Limits, Machine, Windows};
use everypath_record::{Address, Counts, Direction, Finding};
use everypath_solve::Solver;
use everypath_term::{Evaluation, Model, Term, Terms};
use rustc_hash::FxHashSet;

use crate::blockers::Blockers;
use crate::coverage::Coverage;
use crate::flow::GuestMachine;
use crate::initial::{give_input, take_as_zero};
use crate::jumps::Jumps;
use crate::ledger::Ledger;
use crate::map::Map;
use crate::memory::Memory;
use crate::pending::Waiting;
use crate::plan::Plan;
use crate::premises::Premises;
use crate::replay::Replayer;
use crate::search::FIRST_JUDGED;
use crate::strategy::{self, Strategy};
use crate::suspicion::Probe;
use crate::task::{PathNumber, Task};
use crate::trail::Trail;
use crate::watchers::{Facts, Watchers, setup};

/// How many terms there may be before those that are not needed are given back for the first time.
pub(crate) const COLLECT_ABOVE: usize = 2_000_000;

/// The oracle that sees where memory which nothing has written decides. It watches every exploration, because what memory
/// is taken to hold is an assumption of the verdicts; if the plan leaves it out, it only makes no findings.
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
    /// Places where paths ended abnormally, and how: what lies behind them was not explored.
    pub(crate) blockers: Blockers,
    /// Blocks in which input decides before their end: a fork is made before they are run.
    pub(crate) touchy: FxHashSet<Place>,
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
    pub(crate) pins: FxHashSet<Term>,
    pub(crate) facts: Facts,
    /// What is known without a run.
    pub(crate) map: Option<Map>,
    /// Calls that the graph has and that no run has made, if they are the criterion.
    pub(crate) calls: BTreeSet<Direction>,
    /// Where runs went that the graph does not know of yet: by which instruction, of which kind.
    pub(crate) found: Vec<(u64, ExitKind, Place)>,
    /// Where computed exits have led to.
    pub(crate) jumps: Jumps,
    /// What is assumed of the world.
    pub(crate) premises: Premises,
    /// What is suspected on the path at hand.
    pub(crate) probes: Vec<Probe>,
    pub(crate) solver: Box<dyn Solver>,
    /// The ways that were noted, by their numbers.
    pub(crate) frontier: BTreeMap<u64, Waiting>,
    pub(crate) strategy: Box<dyn Strategy>,
    /// How many were noted so far.
    pub(crate) noted: u64,
    pub(crate) paths: u64,
    /// How many paths had been run when every known direction was covered.
    pub(crate) covered_since: Option<u64>,
    pub(crate) counts: Counts,
    /// How many terms there may be before those that are not needed are given back.
    pub(crate) collect_above: usize,
    /// When it was prepared.
    pub(crate) started: Instant,
    /// Set when it is to end.
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) memory: Memory,
    /// How many pending branches hold a state of their own.
    pub(crate) held: usize,
    /// The number of paths after which it is looked whether every direction that is not covered is infeasible.
    pub(crate) judge_at: u64,
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
        let started = Instant::now();
        let Some(entry) = strategy::ALL.iter().find(|entry| entry.name == plan.strategy) else {
            let names: Vec<&str> = strategy::ALL.iter().map(|entry| entry.name).collect();
            let (name, known) = (&plan.strategy, names.join(", "));
            return Err(GuestError::new(format!("there is no strategy `{name}`; there are: {known}")));
        };
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
        let mut oracles = plan.oracles.clone();
        if !oracles.iter().any(|name| name == NEVER_WRITTEN) {
            oracles.push(NEVER_WRITTEN.to_owned());
        }
        let watchers = Watchers::new(&oracles, &setup)?;
        let start = guest.state(&noted)?;
        let replayer = Replayer::new(guest, start, world.clone(), place, limits.clone(), watchers.fork());
        let initial = guest.initial_inputs(configuration)?;
        let (mut terms, mut inputs) = (Terms::new(), Inputs::default());
        let mut trail = Trail::default();
        let (pointers, model) = give_input(&initial, &mut state, &mut terms, &mut inputs, &mut trail);
        for (_, location, width) in guest.undeclared_arguments(configuration) {
            take_as_zero(location, width.bytes(), &mut state, &mut terms, &mut inputs, &mut trail);
        }
        let mut evaluation = Evaluation::new(Model::new());
        evaluation.set_model(model.clone());
        state.reevaluate(&terms, &mut evaluation);
        let premises = Premises::new(guest, configuration)?;
        let root = Task {
            state,
            at: At::new(place),
            progress: world.progress(),
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
            derailed: None,
            decisions: 0,
            replay_until: 0,
            assumptions: Vec::new(),
            assumptions_done: 0,
            replayed: None,
        };
        Ok(Explorer {
            guest,
            strategy: (entry.make)(plan.seed),
            collect_above: Memory::new(plan.memory).terms(),
            memory: Memory::new(plan.memory),
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
            touchy: FxHashSet::default(),
            targets: BTreeMap::new(),
            replayer,
            recorded: Vec::new(),
            findings: Vec::new(),
            divergences: Vec::new(),
            initial,
            pointers,
            unwritten_is_input: configuration.unwritten == Unwritten::Input,
            pins: FxHashSet::default(),
            facts: Facts::new(guest),
            calls: BTreeSet::new(),
            map: None,
            found: Vec::new(),
            jumps: Jumps::default(),
            premises,
            probes: Vec::new(),
            solver,
            frontier: BTreeMap::new(),
            noted: 0,
            paths: 0,
            covered_since: None,
            counts: Counts::default(),
            started,
            stop: Arc::default(),
            held: 0,
            judge_at: FIRST_JUDGED,
        })
    }
}

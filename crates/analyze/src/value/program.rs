//! The fixpoint of a whole program: functions are run again until what they do to their callers does not change.

use super::function::{Analysis, Local, Summary};
use super::rooted::{Found, Rooted, Unsaid};
use super::start::Start;
use super::state::State;
use super::symbol::Value;
use crate::graph::{BlockId, FunctionId, Graph};
use crate::program::Program;
use everypath_ir::{Location, Place, SpaceId, Width};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is taken for granted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Trust {
    /// Nothing: what is said holds of every program.
    Nothing,
    /// That functions give back the registers that their calling convention says; that a write to an unknown place does not
    /// change where a function keeps what it found at its entry; and that the stack is not where variables at fixed
    /// addresses are.
    Convention,
}

/// What an analysis is bound by.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// What is taken for granted.
    pub trust: Trust,
    /// Memory that changes by itself: space, first and last address.
    pub volatile: Vec<(SpaceId, u64, u64)>,
    /// The stack pointer.
    pub stack_pointer: Option<(Location, Width)>,
    /// Where the program starts, and what is known of that state. It is of use to an analysis that takes nothing for granted.
    pub start: Option<(Place, Arc<Start>)>,
    /// How many blocks may be run for one function at a time, or for a program whose start is known.
    pub steps: u64,
    /// How many times a function is run.
    pub rounds: u32,
}

impl Bounds {
    /// The usual bounds for a program.
    pub fn new(program: &Program<'_>, trust: Trust) -> Self {
        let architecture = program.architecture();
        let name = architecture.description().registers.stack_pointer.as_deref();
        let stack_pointer = name.and_then(|name| architecture.register(name));
        Self { trust, volatile: Vec::new(), stack_pointer, start: None, steps: 50_000, rounds: 16 }
    }
}

/// After so many rounds what a function does is widened.
const WIDENED: u32 = 2;

/// What each function does, by its first block.
#[derive(Default)]
pub(super) struct Summaries {
    by_entry: FxHashMap<BlockId, Summary>,
}

impl Summaries {
    pub(super) fn get(&self, entry: BlockId) -> Option<&Summary> {
        self.by_entry.get(&entry)
    }
}

/// What the places of a program can hold.
pub struct Values {
    states: FxHashMap<BlockId, Vec<(FunctionId, State)>>,
    targets: FxHashMap<(BlockId, u8), Vec<(FunctionId, Value)>>,
    calls: Vec<(FunctionId, BlockId, BlockId, State)>,
    dead: Vec<(BlockId, u8)>,
    bounds: Bounds,
    /// Functions of which nothing is known because a bound was hit.
    given_up: Vec<FunctionId>,
    complete: bool,
    steps: u64,
    /// The states before each block, for each way in which its function is called from the start of the program.
    ways: FxHashMap<BlockId, Vec<State>>,
    /// Whether everything is as seen from the start of the program.
    rooted: bool,
    unsaid: Option<Unsaid>,
}

impl Values {
    /// Analyses a program. `stop` ends it early; what was found until then is of use, but not complete.
    pub fn analyse(
        program: &Program<'_>,
        graph: &Graph,
        bounds: Bounds,
        stop: Option<&AtomicBool>,
    ) -> Values {
        let mut session = program.lifter().session();
        let mut summaries = Summaries::default();
        let mut values = Values {
            states: FxHashMap::default(),
            targets: FxHashMap::default(),
            calls: Vec::new(),
            dead: Vec::new(),
            bounds,
            given_up: Vec::new(),
            complete: true,
            steps: 0,
            ways: FxHashMap::default(),
            rooted: false,
            unsaid: None,
        };
        if let Some((entry, start)) =
            values.bounds.start.clone().filter(|_| values.bounds.trust == Trust::Nothing)
        {
            match Rooted::new(program, graph, &values.bounds, &start).run(entry, stop) {
                Ok(found) => {
                    values.take(found, program);
                    return values;
                }
                Err(unsaid) => values.unsaid = Some(unsaid),
            }
        }
        let order = callees_first(graph);
        // Functions that call each other are run until they are stable before those that call them are.
        let mut positions = vec![0; order.len()];
        for (position, id) in order.iter().enumerate() {
            positions[id.index()] = position;
        }
        let mut queue: BTreeSet<usize> = (0..order.len()).collect();
        let mut rounds = vec![0_u32; order.len()];
        let mut locals: FxHashMap<FunctionId, Local> = FxHashMap::default();
        while let Some(position) = queue.pop_first() {
            let id = order[position];
            if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                values.complete = false;
                break;
            }
            let entry = graph.function(id).entry;
            rounds[id.index()] += 1;
            let mut analysis = Analysis {
                program,
                graph,
                bounds: &values.bounds,
                summaries: &summaries,
                session: &mut session,
                entry,
            };
            let limit = if rounds[id.index()] > values.bounds.rounds { 0 } else { values.bounds.steps };
            let local = analysis.run(limit);
            let mut summary = match &local {
                Some(Local { exit: Some(exit), .. }) => Summary::Returns(Box::new(exit.clone())),
                Some(_) => Summary::NeverReturns,
                None => Summary::Unknown,
            };
            match local {
                Some(local) => {
                    values.steps += local.steps;
                    locals.insert(id, local);
                }
                None => {
                    locals.remove(&id);
                    values.given_up.push(id);
                }
            }
            // Functions that call each other in a circle may go on changing: then what they do is widened.
            if rounds[id.index()] > WIDENED
                && let (Some(Summary::Returns(before)), Summary::Returns(now)) =
                    (summaries.by_entry.get(&entry), &mut summary)
            {
                let mut both = before.clone();
                both.join(now, program.architecture().layout(), Some(&[]));
                *now = both;
            }
            if summaries.by_entry.get(&entry) != Some(&summary) {
                summaries.by_entry.insert(entry, summary);
                for edge in graph.predecessors(entry) {
                    for caller in graph.functions_with(edge.from) {
                        if rounds[caller.index()] <= values.bounds.rounds {
                            queue.insert(positions[caller.index()]);
                        }
                    }
                }
            }
        }
        values.given_up.sort_unstable();
        values.given_up.dedup();
        values.collect(locals);
        values
    }

    /// Takes over what was found from the start of the program.
    fn take(&mut self, found: Found, program: &Program<'_>) {
        let layout = program.architecture().layout();
        self.rooted = true;
        self.steps = found.steps;
        self.targets = found.targets;
        self.dead = found.dead;
        for (block, states) in found.states {
            let known = self.states.entry(block).or_default();
            for (function, state) in &states {
                let Some(function) = function else { continue };
                match known.iter_mut().find(|(owner, _)| owner == function) {
                    Some((_, known)) => {
                        known.join(state, layout, None);
                    }
                    None => known.push((*function, state.clone())),
                }
            }
            self.ways.insert(block, states.into_iter().map(|(_, state)| state).collect());
        }
    }

    /// Whether everything is as seen from the start of the program: then a block of which nothing is said is never run.
    pub fn is_rooted(&self) -> bool {
        self.rooted
    }

    /// Why nothing is said from the start of the program, if that is known.
    pub fn unsaid(&self) -> Option<Unsaid> {
        self.unsaid
    }

    /// All states before a block, if everything is as seen from the start of the program: one for each way in which its
    /// function is called. A run is in one of them.
    pub fn ways(&self, block: BlockId) -> &[State] {
        self.ways.get(&block).map_or(&[], Vec::as_slice)
    }

    fn collect(&mut self, locals: FxHashMap<FunctionId, Local>) {
        let mut locals: Vec<(FunctionId, Local)> = locals.into_iter().collect();
        locals.sort_unstable_by_key(|(id, _)| *id);
        for (id, local) in locals {
            for (block, state) in local.states {
                self.states.entry(block).or_default().push((id, state));
            }
            for (block, exit, target) in local.targets {
                self.targets.entry((block, exit)).or_default().push((id, target));
            }
            self.calls.extend(local.calls.into_iter().map(|(from, to, state)| (id, from, to, state)));
            self.dead.extend(local.dead);
        }
        self.dead.sort_unstable();
        self.dead.dedup();
    }

    /// What is known before a block, for each function that it is a part of.
    pub fn before(&self, block: BlockId) -> &[(FunctionId, State)] {
        self.states.get(&block).map_or(&[], Vec::as_slice)
    }

    /// What is known before the block at a place.
    pub fn at(&self, graph: &Graph, place: Place) -> &[(FunctionId, State)] {
        graph.find(place).map_or(&[], |block| self.before(block))
    }

    /// What the target of a computed exit can be, in the terms of each function that it is a part of.
    pub fn target(&self, block: BlockId, exit: u8) -> &[(FunctionId, Value)] {
        self.targets.get(&(block, exit)).map_or(&[], Vec::as_slice)
    }

    /// The state in which each call is made: in which function, from which block, to which.
    pub fn calls(&self) -> &[(FunctionId, BlockId, BlockId, State)] {
        &self.calls
    }

    /// Exits that no run takes, by the state before their block.
    pub fn dead_exits(&self) -> &[(BlockId, u8)] {
        &self.dead
    }

    /// Functions of which nothing is known because a bound was hit.
    pub fn given_up(&self) -> &[FunctionId] {
        &self.given_up
    }

    /// Whether the analysis came to its end.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// What it was bound by.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// How many blocks were run.
    pub fn steps(&self) -> u64 {
        self.steps
    }
}

/// The functions, those that are called before those that call them, as far as that is possible.
fn callees_first(graph: &Graph) -> Vec<FunctionId> {
    let count = graph.functions().len();
    let callees = |function: usize| -> Vec<usize> {
        let blocks = graph.functions()[function].blocks.iter();
        let edges = blocks.flat_map(|block| graph.successors(*block));
        let calls = edges.filter(|edge| graph.is_entry(edge.to));
        calls.filter_map(|edge| graph.function_of(edge.to)).map(FunctionId::index).collect()
    };
    let mut seen = vec![false; count];
    let mut order = Vec::with_capacity(count);
    for root in 0..count {
        let mut stack = vec![(root, None)];
        while let Some((function, rest)) = stack.pop() {
            let mut rest: Vec<usize> = match rest {
                Some(rest) => rest,
                None if std::mem::replace(&mut seen[function], true) => continue,
                None => callees(function),
            };
            match rest.pop() {
                Some(next) => {
                    stack.push((function, Some(rest)));
                    if !seen[next] {
                        stack.push((next, None));
                    }
                }
                None => order.push(FunctionId(function as u32)),
            }
        }
    }
    order
}

//! What the places of a whole program can hold: what is asked for, what bounds it, and what was found.

use super::fixpoint::Fixpoint;
use super::rooted::{Found, Rooted, Unsaid};
use super::start::Start;
use super::state::State;
use super::symbol::Value;
use crate::graph::{BlockId, FunctionId, Graph};
use crate::program::Program;
use everypath_ir::{Location, Place, SpaceId, Width};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

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
    /// How many times what a function does may turn out to be more than was thought.
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

/// What the places of a program can hold.
pub struct Values {
    states: States,
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
        let mut values = Values {
            states: States::default(),
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
                    values.take(found, program, graph);
                    return values;
                }
                Err(unsaid) => values.unsaid = Some(unsaid),
            }
        }
        let mut fixpoint = Fixpoint::new(program, graph, &values.bounds, stop);
        let is_complete = fixpoint.run();
        let found = fixpoint.found;
        values.complete = is_complete;
        values.steps = found.steps;
        values.given_up = found.given_up;
        values.given_up.sort_unstable();
        values.targets = found.targets;
        values.calls = found.calls;
        values.dead = found.dead;
        values.dead.sort_unstable();
        values.dead.dedup();
        values.states = States::new(graph, found.states);
        values
    }

    /// Takes over what was found from the start of the program.
    fn take(&mut self, found: Found, program: &Program<'_>, graph: &Graph) {
        let layout = program.architecture().layout();
        self.rooted = true;
        self.steps = found.steps;
        self.targets = found.targets;
        self.dead = found.dead;
        let mut known: Vec<(BlockId, FunctionId, State)> = Vec::new();
        for (block, states) in found.states {
            let first = known.len();
            for (function, state) in &states {
                let Some(function) = function else { continue };
                match known[first..].iter_mut().find(|(_, owner, _)| owner == function) {
                    Some((.., known)) => {
                        known.join(state, layout, None);
                    }
                    None => known.push((block, *function, state.clone())),
                }
            }
            self.ways.insert(block, states.into_iter().map(|(_, state)| state).collect());
        }
        self.states = States::new(graph, known);
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

    /// What is known before a block, for each function that it is a part of.
    pub fn before(&self, block: BlockId) -> &[(FunctionId, State)] {
        self.states.before(block)
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

/// The states before blocks, for each function that a block is a part of: those of one block in a row.
#[derive(Default)]
struct States {
    /// Where those of each block begin; one more for the end.
    starts: Vec<u32>,
    list: Vec<(FunctionId, State)>,
}

impl States {
    fn new(graph: &Graph, mut found: Vec<(BlockId, FunctionId, State)>) -> Self {
        found.sort_unstable_by_key(|(block, function, _)| (*block, *function));
        let mut starts = vec![0; graph.len() + 1];
        for (block, ..) in &found {
            starts[block.index() + 1] += 1;
        }
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        Self { starts, list: found.into_iter().map(|(_, function, state)| (function, state)).collect() }
    }

    fn before(&self, block: BlockId) -> &[(FunctionId, State)] {
        match self.starts.get(block.index()..=block.index() + 1) {
            Some([start, end]) => &self.list[*start as usize..*end as usize],
            _ => &[],
        }
    }
}

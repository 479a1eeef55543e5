//! Entry point of the value-set analysis: its results, and the choice between the two analyses.

use super::context_sensitive::{AbortReason, ContextResult, ContextSensitive};
use super::fixpoint::Fixpoint;
use super::options::{AnalysisOptions, Trust};
use super::state::AbstractState;
use super::symbol::Value;
use crate::graph::{BlockId, FunctionId, Graph};
use crate::program::Program;
use rustc_hash::FxHashMap;
use std::sync::atomic::AtomicBool;

/// Result of the value-set analysis.
pub struct ValueSets {
    states: States,
    targets: FxHashMap<(BlockId, u8), Vec<(FunctionId, Value)>>,
    calls: Vec<(FunctionId, BlockId, BlockId, AbstractState)>,
    dead: Vec<(BlockId, u8)>,
    options: AnalysisOptions,
    /// Functions without results because a bound was hit.
    given_up: Vec<FunctionId>,
    complete: bool,
    steps: u64,
    /// The states before each block, one per calling context.
    context_states: FxHashMap<BlockId, Vec<AbstractState>>,
    /// True if the context-sensitive analysis succeeded: all values are absolute.
    is_context_sensitive: bool,
    abort_reason: Option<AbortReason>,
}

impl ValueSets {
    /// Analyses a program. Setting `stop` ends it early; the results so far are usable but incomplete.
    pub fn analyse(
        program: &Program<'_>,
        graph: &Graph,
        options: AnalysisOptions,
        stop: Option<&AtomicBool>,
    ) -> ValueSets {
        let mut values = ValueSets {
            states: States::default(),
            targets: FxHashMap::default(),
            calls: Vec::new(),
            dead: Vec::new(),
            options,
            given_up: Vec::new(),
            complete: true,
            steps: 0,
            context_states: FxHashMap::default(),
            is_context_sensitive: false,
            abort_reason: None,
        };
        if let Some((entry, start)) =
            values.options.start.clone().filter(|_| values.options.trust == Trust::Nothing)
        {
            match ContextSensitive::new(program, graph, &values.options, &start).run(entry, stop) {
                Ok(found) => {
                    values.take(found, program, graph);
                    return values;
                }
                Err(reason) => values.abort_reason = Some(reason),
            }
        }
        let mut fixpoint = Fixpoint::new(program, graph, &values.options, stop);
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

    /// Takes over the results of the context-sensitive analysis.
    fn take(&mut self, found: ContextResult, program: &Program<'_>, graph: &Graph) {
        let layout = program.architecture().layout();
        self.is_context_sensitive = true;
        self.steps = found.steps;
        self.targets = found.targets;
        self.dead = found.dead;
        let mut known: Vec<(BlockId, FunctionId, AbstractState)> = Vec::new();
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
            self.context_states.insert(block, states.into_iter().map(|(_, state)| state).collect());
        }
        self.states = States::new(graph, known);
    }

    /// Returns true if the context-sensitive analysis from the program's start succeeded. A block without a state is
    /// then unreachable.
    pub fn is_context_sensitive(&self) -> bool {
        self.is_context_sensitive
    }

    /// Why the context-sensitive analysis was aborted, if it was tried.
    pub fn abort_reason(&self) -> Option<AbortReason> {
        self.abort_reason
    }

    /// The states before a block from the context-sensitive analysis, one per calling context. Every execution is in
    /// one of them.
    pub fn context_states(&self, block: BlockId) -> &[AbstractState] {
        self.context_states.get(&block).map_or(&[], Vec::as_slice)
    }

    /// The state before a block, for each function that contains it.
    pub fn before(&self, block: BlockId) -> &[(FunctionId, AbstractState)] {
        self.states.before(block)
    }

    /// The value sets of an indirect exit's target, in the symbols of each function that contains it.
    pub fn target(&self, block: BlockId, exit: u8) -> &[(FunctionId, Value)] {
        self.targets.get(&(block, exit)).map_or(&[], Vec::as_slice)
    }

    /// All calls: calling function, calling block, entry block of the callee, and state at the call.
    pub fn calls(&self) -> &[(FunctionId, BlockId, BlockId, AbstractState)] {
        &self.calls
    }

    /// Infeasible exits: no state before their block lets them be taken.
    pub fn dead_exits(&self) -> &[(BlockId, u8)] {
        &self.dead
    }

    /// Functions without results because a bound was hit.
    pub fn given_up(&self) -> &[FunctionId] {
        &self.given_up
    }

    /// Returns true if every function was analysed to its fixpoint. A block may belong to two functions: if one of them was given
    /// up, the states that the other one has are not all.
    pub fn is_complete(&self) -> bool {
        self.complete && self.given_up.is_empty()
    }

    /// The options it ran with.
    pub fn options(&self) -> &AnalysisOptions {
        &self.options
    }

    /// Number of blocks run.
    pub fn steps(&self) -> u64 {
        self.steps
    }
}

/// The states before blocks, one per containing function, grouped by block.
#[derive(Default)]
struct States {
    /// Start index of each block's group, and one final end.
    starts: Vec<u32>,
    list: Vec<(FunctionId, AbstractState)>,
}

impl States {
    fn new(graph: &Graph, mut found: Vec<(BlockId, FunctionId, AbstractState)>) -> Self {
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

    fn before(&self, block: BlockId) -> &[(FunctionId, AbstractState)] {
        match self.starts.get(block.index()..=block.index() + 1) {
            Some([start, end]) => &self.list[*start as usize..*end as usize],
            _ => &[],
        }
    }
}

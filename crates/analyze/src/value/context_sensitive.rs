//! Context-sensitive value-set analysis from a known initial state, with call strings as contexts (Sharir & Pnueli
//! 1981).
//!
//! The stack pointer is concrete, so stack slots are absolute addresses: a store with a bounded index into a local
//! array cannot overwrite the caller's return address, which the function-relative analysis cannot rule out. Call
//! strings are not truncated: a program with deeper calls, too many contexts or an unbounded indirect jump falls back
//! to the analysis by function.

use super::block::{BlockTransfer, ExitState, add_thresholds, lift, run};
use super::function::widening;
use super::options::AnalysisOptions;
use super::start::EntryState;
use super::state::AbstractState;
use super::symbol::Value;
use super::weak_topological_order::weak_topological_order;
use crate::graph::{BlockId, Edge, EdgeKind, FunctionId, Graph};
use crate::program::Program;
use everypath_ir::{ExitKind, Place};
use everypath_lift::LiftSession;
use everypath_machine::ReadyBlock;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Maximum length of a call string.
const DEPTH: u32 = 48;
/// Maximum number of calling contexts.
const MAX_CONTEXTS: usize = 4096;
/// Numbers of changes after which states are widened: late, so that most loops with a constant trip count end by
/// themselves.
const CHANGES: [u32; 3] = [80, 160, 240];
/// Maximum number of targets of an indirect exit.
const TARGETS: u64 = 64;

/// Reason to abort the context-sensitive analysis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AbortReason {
    /// The target of an indirect exit is unbounded.
    Unbounded(BlockId, u8),
    /// A store may modify code.
    CodeWritten(BlockId),
    /// A target may be executable but is not code of the file.
    Elsewhere(u64),
    /// A bound was hit: call depth, number of contexts, or number of block runs.
    Bound,
    /// The caller stopped it.
    Stopped,
}

/// A calling context: a call string, linked through the caller's context.
struct Call {
    /// The caller's context and the calling block; `None` for the program's entry.
    from: Option<(u32, BlockId)>,
    entry: BlockId,
    function: Option<FunctionId>,
    depth: u32,
    order: Rc<FxHashMap<BlockId, u32>>,
}

/// A program point: calling context and block.
type At = (u32, BlockId);

/// Results of the analysis.
#[derive(Default)]
pub(super) struct ContextResult {
    /// The states before each block, one per calling context.
    pub(super) states: FxHashMap<BlockId, Vec<(Option<FunctionId>, AbstractState)>>,
    /// The target values of each indirect exit.
    pub(super) targets: FxHashMap<(BlockId, u8), Vec<(FunctionId, Value)>>,
    /// Exits that are infeasible in every context.
    pub(super) dead: Vec<(BlockId, u8)>,
    pub(super) steps: u64,
}

pub(super) struct ContextSensitive<'a> {
    program: &'a Program<'a>,
    graph: &'a Graph,
    options: &'a AnalysisOptions,
    session: LiftSession<'a>,
    start: Arc<EntryState>,
    calls: Vec<Call>,
    numbers: FxHashMap<(Option<(u32, BlockId)>, BlockId), u32>,
    orders: FxHashMap<BlockId, Rc<FxHashMap<BlockId, u32>>>,
    states: FxHashMap<At, AbstractState>,
    changes: FxHashMap<At, u32>,
    open: BTreeSet<(Reverse<u32>, u32, u32, BlockId)>,
    ready: FxHashMap<BlockId, Option<ReadyBlock<Value>>>,
    thresholds: Vec<u64>,
    steps: u64,
}

/// The addresses that a target value can be, if they are few.
pub(super) fn addresses(target: &Value) -> Option<Vec<u64>> {
    let number = Some(&target.number).filter(|_| target.base.is_none())?;
    number.as_finite_set().map(<[u64]>::to_vec).or_else(|| number.interval()?.numbers(TARGETS))
}

impl<'a> ContextSensitive<'a> {
    pub(super) fn new(
        program: &'a Program<'a>,
        graph: &'a Graph,
        options: &'a AnalysisOptions,
        start: &Arc<EntryState>,
    ) -> Self {
        Self {
            program,
            graph,
            options,
            session: program.lifter().session(),
            start: start.clone(),
            calls: Vec::new(),
            numbers: FxHashMap::default(),
            orders: FxHashMap::default(),
            states: FxHashMap::default(),
            changes: FxHashMap::default(),
            open: BTreeSet::new(),
            ready: FxHashMap::default(),
            thresholds: Vec::new(),
            steps: 0,
        }
    }

    /// Iterates from the program's entry until a fixpoint is reached.
    pub(super) fn run(
        mut self,
        entry: Place,
        stop: Option<&AtomicBool>,
    ) -> Result<ContextResult, AbortReason> {
        let entry = self.graph.find_anyhow(entry).ok_or(AbortReason::Elsewhere(entry.address))?;
        let call = self.call(None, entry)?;
        let start = AbstractState::starting(self.start.clone());
        self.reach((call, entry), start, false);
        while let Some((_, _, call, id)) = self.open.pop_first() {
            self.steps += 1;
            if self.steps > self.options.steps {
                return Err(AbortReason::Bound);
            }
            if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                return Err(AbortReason::Stopped);
            }
            let Some(ran) = self.block(call, id)? else { continue };
            for left in ran.left {
                for (at, state, back) in self.leave(call, id, left)? {
                    self.reach(at, state, back);
                }
            }
        }
        self.collect()
    }

    /// Applies the transfer function of a block in a calling context.
    fn block(&mut self, call: u32, id: BlockId) -> Result<Option<BlockTransfer>, AbortReason> {
        let state = self.states[&(call, id)].clone();
        if !self.ready.contains_key(&id) {
            self.ready.insert(id, lift(self.program, self.graph, &mut self.session, id));
        }
        let Some(Some(ready)) = self.ready.get_mut(&id) else {
            // What instructions do that are not known is not known either.
            let address = self.graph.block(id).place.address;
            return if self.program.is_code(address) {
                Err(AbortReason::Elsewhere(address))
            } else {
                Ok(None)
            };
        };
        let ran = run(self.program, self.options, ready, state);
        add_thresholds(ready, &mut self.thresholds);
        if ran.code_written {
            return Err(AbortReason::CodeWritten(id));
        }
        Ok(Some(ran))
    }

    /// The number of a calling context; creates it if new.
    fn call(&mut self, from: Option<(u32, BlockId)>, entry: BlockId) -> Result<u32, AbortReason> {
        if let Some(known) = self.numbers.get(&(from, entry)) {
            return Ok(*known);
        }
        let depth = from.map_or(0, |(caller, _)| self.calls[caller as usize].depth + 1);
        if depth > DEPTH || self.calls.len() >= MAX_CONTEXTS {
            return Err(AbortReason::Bound);
        }
        let numbers = || weak_topological_order(self.graph, entry).into_iter().zip(0..).collect();
        let order = self.orders.entry(entry).or_insert_with(|| Rc::new(numbers())).clone();
        let number = self.calls.len() as u32;
        self.calls.push(Call { from, entry, function: self.graph.function_of(entry), depth, order });
        self.numbers.insert((from, entry), number);
        Ok(number)
    }

    fn number(&self, (call, block): At) -> u32 {
        self.calls[call as usize].order.get(&block).copied().unwrap_or(u32::MAX)
    }

    fn reach(&mut self, at: At, state: AbstractState, back: bool) {
        let layout = self.program.architecture().layout();
        let key = (Reverse(self.calls[at.0 as usize].depth), self.number(at), at.0, at.1);
        match self.states.get_mut(&at) {
            None => {
                self.states.insert(at, state);
                self.open.insert(key);
            }
            Some(known) => {
                let count = self.changes.entry(at).or_default();
                if known.join(&state, layout, widening(CHANGES, *count, back, &self.thresholds)) {
                    *count += 1;
                    self.open.insert(key);
                }
            }
        }
    }

    /// The successors of an exit, each with its state and whether the edge is a back edge.
    fn leave(
        &mut self,
        call: u32,
        id: BlockId,
        left: ExitState,
    ) -> Result<Vec<(At, AbstractState, bool)>, AbortReason> {
        let ExitState { exit, state, target } = left;
        let graph = self.graph;
        let indirect = graph.indirect_exits_of(id).iter().find(|indirect| indirect.exit == exit);
        let few = target.as_ref().and_then(addresses);
        // The graph has no edges for returns: they are followed by their values alone.
        let has_all_edges =
            indirect.is_some_and(|exit| exit.kind != ExitKind::Return && exit.state.is_resolved());
        if target.is_some() && few.is_none() && !has_all_edges {
            return Err(AbortReason::Unbounded(id, exit));
        }
        let mut reached = Vec::new();
        if let (Some(few), Some(indirect)) = (&few, indirect)
            && indirect.kind == ExitKind::Return
        {
            for address in few {
                match self.returned(call, Place::new(*address, indirect.context)) {
                    Some(((caller, block), from)) => {
                        let back = self.number((caller, block)) <= self.number((caller, from));
                        let at = self.inside(caller, block)?;
                        reached.push((at, state.clone(), back));
                    }
                    None => {
                        self.check_elsewhere(*address)?;
                        let leads_there = |edge: &Edge| graph.block(edge.to).place.address == *address;
                        let is_edge = graph.successors(id).any(|edge| edge.exit == exit && leads_there(edge));
                        let place = Place::new(*address, indirect.context);
                        if let Some(block) = graph.find_anyhow(place).filter(|_| !is_edge) {
                            reached.push((self.outward(call, block)?, state.clone(), true));
                        }
                    }
                }
            }
        }
        if let Some(few) = &few {
            for address in few {
                self.check_elsewhere(*address)?;
            }
        }
        for edge in graph.successors(id).filter(|edge| edge.exit == exit) {
            let address = graph.block(edge.to).place.address;
            if few.as_ref().is_some_and(|few| !few.contains(&address)) {
                continue;
            }
            match edge.kind {
                EdgeKind::Fall | EdgeKind::Jump => {
                    let back = self.number((call, edge.to)) <= self.number((call, id));
                    let at = self.inside(call, edge.to)?;
                    reached.push((at, state.clone(), back));
                }
                // Returns are followed from the callee; exceptions arrive by an indirect jump of the unwinder.
                EdgeKind::CallFallThrough | EdgeKind::Unwind => {}
                EdgeKind::Call => {
                    let call = self.call(Some((call, id)), edge.to)?;
                    reached.push(((call, edge.to), state.clone(), false));
                }
                EdgeKind::TailCall => {
                    // Functions may tail-call each other forever: widen as on a back edge.
                    reached.push((self.inside(call, edge.to)?, state.clone(), true));
                }
            }
        }
        Ok(reached)
    }

    /// The program point of a successor block. If another function starts there, it is a tail call: that function gets
    /// its own context and returns to the same caller.
    fn inside(&mut self, call: u32, block: BlockId) -> Result<At, AbortReason> {
        let Call { from, entry, .. } = self.calls[call as usize];
        match self.graph.is_entry(block) && block != entry {
            true => Ok((self.call(from, block)?, block)),
            false => Ok((call, block)),
        }
    }

    /// The program point that a return address denotes: the call fall-through of the innermost matching call in the
    /// call string, with the calling block.
    fn returned(&self, call: u32, place: Place) -> Option<(At, BlockId)> {
        let mut call = call;
        while let Some((caller, from)) = self.calls[call as usize].from {
            if self.graph.block(from).end == place.address
                && let Some(block) = self.graph.find_anyhow(place)
            {
                return Some(((caller, block), from));
            }
            call = caller;
        }
        None
    }

    /// The program point of a block that a return leads to, though no call of the call string returns there, as that of `longjmp`
    /// does: in the innermost calling context whose function has the block, otherwise in one of its own.
    ///
    /// A context determines nothing but which states are joined, because return addresses are part of the state.
    fn outward(&mut self, call: u32, block: BlockId) -> Result<At, AbortReason> {
        let mut within = Some(call);
        while let Some(call) = within {
            let Call { from, order, .. } = &self.calls[call as usize];
            if order.contains_key(&block) {
                return Ok((call, block));
            }
            within = from.map(|(caller, _)| caller);
        }
        let address = self.graph.block(block).place.address;
        let function = self.graph.function_of(block).ok_or(AbortReason::Elsewhere(address))?;
        let from = self.calls[call as usize].from;
        Ok((self.call(from, self.graph.function(function).entry)?, block))
    }

    /// Fails if an address is not code of the file but may be executable.
    fn check_elsewhere(&self, address: u64) -> Result<(), AbortReason> {
        match !self.program.is_code(address) && self.start.may_execute(self.program.code_space(), address) {
            true => Err(AbortReason::Elsewhere(address)),
            false => Ok(()),
        }
    }

    /// Runs every block once more on the stable states, to collect targets and infeasible exits.
    fn collect(mut self) -> Result<ContextResult, AbortReason> {
        let mut found = ContextResult { steps: self.steps, ..ContextResult::default() };
        let mut at: Vec<At> = self.states.keys().copied().collect();
        at.sort_unstable();
        let mut dead: FxHashMap<(BlockId, u8), u32> = FxHashMap::default();
        for (call, id) in at {
            let function = self.calls[call as usize].function;
            let ran = self.block(call, id)?;
            let state = self.states[&(call, id)].clone();
            found.states.entry(id).or_default().push((function, state));
            let Some(ran) = ran else { continue };
            for exit in ran.dead {
                *dead.entry((id, exit)).or_default() += 1;
            }
            for ExitState { exit, target, .. } in ran.left {
                let owner = function.or_else(|| self.graph.function_of(id));
                if let (Some(target), Some(function)) = (target, owner) {
                    found.targets.entry((id, exit)).or_default().push((function, target));
                }
            }
        }
        let in_all = |(id, _): &(BlockId, u8), times: u32| found.states[id].len() == times as usize;
        found.dead =
            dead.into_iter().filter(|(exit, times)| in_all(exit, *times)).map(|(exit, _)| exit).collect();
        found.dead.sort_unstable();
        Ok(found)
    }
}

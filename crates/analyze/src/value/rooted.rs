//! The fixpoint of a program whose start is known: every address is a number, and a function is run for each way in which it is
//! called.
//!
//! What a function's array is, and where its caller's return address lies, is then known apart, so that a write to the one
//! leaves the other; relative to a function's entry neither can be told. Programs that are too large for it, or in which a
//! jump has no bound, are left to the analysis by function.

use super::block::{Left, Ran, add_thresholds, lift, run};
use super::function::widening;
use super::order::order;
use super::program::Bounds;
use super::start::Start;
use super::state::State;
use super::symbol::Value;
use crate::graph::{BlockId, EdgeKind, FunctionId, Graph};
use crate::program::Program;
use everypath_ir::{ExitKind, Place};
use everypath_lift::Session;
use everypath_machine::ReadyBlock;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How many calls may be inside each other.
const DEPTH: u32 = 48;
/// In how many ways functions may be called.
const WAYS: usize = 4096;
/// When states are widened: late, so that most loops with a fixed number of rounds end by themselves.
const CHANGES: [u32; 3] = [80, 160, 240];
/// How many targets a computed exit may have.
const TARGETS: u64 = 64;

/// Why nothing is said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unsaid {
    /// Nothing bounds the target of a computed exit.
    Unbounded(BlockId, u8),
    /// Instructions may be written.
    CodeWritten(BlockId),
    /// A target lies where instructions may be that the file does not have.
    Elsewhere(u64),
    /// Calls are too deep, too many, or the analysis takes too long.
    Bound,
    /// It was stopped.
    Stopped,
}

/// A way in which a function is called.
struct Call {
    /// The way in which the caller is called, and the block that calls.
    from: Option<(u32, BlockId)>,
    entry: BlockId,
    function: Option<FunctionId>,
    depth: u32,
    order: Rc<FxHashMap<BlockId, u32>>,
}

/// Where a run is: in which way its function was called, and the block.
type At = (u32, BlockId);

/// What was found.
#[derive(Default)]
pub(super) struct Found {
    /// The states before each block, one for each way in which its function is called.
    pub(super) states: FxHashMap<BlockId, Vec<(Option<FunctionId>, State)>>,
    /// The targets of each computed exit.
    pub(super) targets: FxHashMap<(BlockId, u8), Vec<(FunctionId, Value)>>,
    /// Exits that are taken in no state.
    pub(super) dead: Vec<(BlockId, u8)>,
    pub(super) steps: u64,
}

pub(super) struct Rooted<'a> {
    program: &'a Program<'a>,
    graph: &'a Graph,
    bounds: &'a Bounds,
    session: Session<'a>,
    start: Arc<Start>,
    calls: Vec<Call>,
    numbers: FxHashMap<(Option<(u32, BlockId)>, BlockId), u32>,
    orders: FxHashMap<BlockId, Rc<FxHashMap<BlockId, u32>>>,
    states: FxHashMap<At, State>,
    changes: FxHashMap<At, u32>,
    open: BTreeSet<(Reverse<u32>, u32, u32, BlockId)>,
    ready: FxHashMap<BlockId, Option<ReadyBlock<Value>>>,
    thresholds: Vec<u64>,
    steps: u64,
}

/// The addresses that a target can be, if they are few.
pub(super) fn addresses(target: &Value) -> Option<Vec<u64>> {
    let number = Some(&target.number).filter(|_| target.base.is_none())?;
    number.few().map(<[u64]>::to_vec).or_else(|| number.interval()?.numbers(TARGETS))
}

impl<'a> Rooted<'a> {
    pub(super) fn new(
        program: &'a Program<'a>,
        graph: &'a Graph,
        bounds: &'a Bounds,
        start: &Arc<Start>,
    ) -> Self {
        Self {
            program,
            graph,
            bounds,
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

    /// Runs the program from its start until nothing changes.
    pub(super) fn run(mut self, entry: Place, stop: Option<&AtomicBool>) -> Result<Found, Unsaid> {
        let entry = self.graph.find_anyhow(entry).ok_or(Unsaid::Elsewhere(entry.address))?;
        let call = self.call(None, entry)?;
        let start = State::starting(self.start.clone());
        self.reach((call, entry), start, false);
        while let Some((_, _, call, id)) = self.open.pop_first() {
            self.steps += 1;
            if self.steps > self.bounds.steps {
                return Err(Unsaid::Bound);
            }
            if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                return Err(Unsaid::Stopped);
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

    /// Runs a block from the state before it.
    fn block(&mut self, call: u32, id: BlockId) -> Result<Option<Ran>, Unsaid> {
        let state = self.states[&(call, id)].clone();
        if !self.ready.contains_key(&id) {
            self.ready.insert(id, lift(self.program, self.graph, &mut self.session, id));
        }
        let Some(Some(ready)) = self.ready.get_mut(&id) else { return Ok(None) };
        let ran = run(self.program, self.bounds, ready, state);
        add_thresholds(ready, &mut self.thresholds);
        if ran.code_written {
            return Err(Unsaid::CodeWritten(id));
        }
        Ok(Some(ran))
    }

    /// The number of a way in which a function is called.
    fn call(&mut self, from: Option<(u32, BlockId)>, entry: BlockId) -> Result<u32, Unsaid> {
        if let Some(known) = self.numbers.get(&(from, entry)) {
            return Ok(*known);
        }
        let depth = from.map_or(0, |(caller, _)| self.calls[caller as usize].depth + 1);
        if depth > DEPTH || self.calls.len() >= WAYS {
            return Err(Unsaid::Bound);
        }
        let numbers = || order(self.graph, entry).into_iter().zip(0..).collect();
        let order = self.orders.entry(entry).or_insert_with(|| Rc::new(numbers())).clone();
        let number = self.calls.len() as u32;
        self.calls.push(Call { from, entry, function: self.graph.function_of(entry), depth, order });
        self.numbers.insert((from, entry), number);
        Ok(number)
    }

    fn number(&self, (call, block): At) -> u32 {
        self.calls[call as usize].order.get(&block).copied().unwrap_or(u32::MAX)
    }

    fn reach(&mut self, at: At, state: State, back: bool) {
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

    /// Where an exit leads to, with the state there, and whether that is against the order.
    fn leave(&mut self, call: u32, id: BlockId, left: Left) -> Result<Vec<(At, State, bool)>, Unsaid> {
        let Left { exit, state, target } = left;
        let graph = self.graph;
        let dynamic = graph.dynamics_of(id).iter().find(|dynamic| dynamic.exit == exit);
        let few = target.as_ref().and_then(addresses);
        if target.is_some() && few.is_none() && !dynamic.is_some_and(|dynamic| dynamic.state.is_saturated()) {
            return Err(Unsaid::Unbounded(id, exit));
        }
        let mut reached = Vec::new();
        if let (Some(few), Some(dynamic)) = (&few, dynamic)
            && dynamic.kind == ExitKind::Return
        {
            for address in few {
                match self.returned(call, Place::new(*address, dynamic.context)) {
                    Some(((caller, block), from)) => {
                        let back = self.number((caller, block)) <= self.number((caller, from));
                        let at = self.inside(caller, block)?;
                        reached.push((at, state.clone(), back));
                    }
                    None => self.check_elsewhere(*address)?,
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
                // Exceptions arrive by a computed jump of the code that unwinds the stack.
                EdgeKind::Resume | EdgeKind::Unwind => {}
                EdgeKind::Call => {
                    let call = self.call(Some((call, id)), edge.to)?;
                    reached.push(((call, edge.to), state.clone(), false));
                }
                EdgeKind::TailCall => {
                    // Functions that jump to each other may do so for ever.
                    reached.push((self.inside(call, edge.to)?, state.clone(), true));
                }
            }
        }
        Ok(reached)
    }

    /// Where a run is that goes on with a block: if another function begins there, that one returns to the same caller.
    fn inside(&mut self, call: u32, block: BlockId) -> Result<At, Unsaid> {
        let Call { from, entry, .. } = self.calls[call as usize];
        match self.graph.is_entry(block) && block != entry {
            true => Ok((self.call(from, block)?, block)),
            false => Ok((call, block)),
        }
    }

    /// Where a return to a place leads to: behind the call that the function, or one of those that called it, was called by.
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

    /// What is not code of the file must not be code at all.
    fn check_elsewhere(&self, address: u64) -> Result<(), Unsaid> {
        match !self.program.is_code(address) && self.start.may_execute(self.program.code_space(), address) {
            true => Err(Unsaid::Elsewhere(address)),
            false => Ok(()),
        }
    }

    /// Once more over what is stable, to note what each block says.
    fn collect(mut self) -> Result<Found, Unsaid> {
        let mut found = Found { steps: self.steps, ..Found::default() };
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
            for Left { exit, target, .. } in ran.left {
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

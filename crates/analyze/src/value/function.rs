//! Intraprocedural value-set analysis: a worklist fixpoint in weak topological order, with widening.

use super::block::{ExitState, add_thresholds, lift, run};
use super::call::CallEffects;
use super::state::AbstractState;
use super::summary::{Summaries, Summary};
use super::symbol::Value;
use super::weak_topological_order::weak_topological_order;
use crate::graph::{BlockId, EdgeKind, Graph, IndirectExit, Resolution, UnresolvedReason};
use everypath_ir::ExitKind;
use everypath_lift::LiftSession;
use everypath_machine::ReadyBlock;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Numbers of changes after which a state is widened: on back edges to the thresholds, on back edges without them, and
/// finally on any edge.
const CHANGES: [u32; 3] = [3, 8, 24];

/// The thresholds to widen to after `count` changes; `None` to join only.
pub(super) fn widening(changes: [u32; 3], count: u32, back: bool, thresholds: &[u64]) -> Option<&[u64]> {
    let [first, without, any] = changes;
    if count >= without && (back || count >= any) {
        // Keep small sets: they distinguish bits, such as flags, where an interval does not.
        Some(&[0])
    } else {
        (back && count >= first).then_some(thresholds)
    }
}

/// Analysis state of one function. The analysis can resume when a callee's summary changes.
pub(super) struct Local {
    entry: BlockId,
    /// Its blocks in weak topological order.
    pub(super) blocks: Vec<Reached>,
    numbers: FxHashMap<BlockId, u32>,
    thresholds: Vec<u64>,
    /// True once an unresolved jump was reached: any block of the function may be its target.
    is_open: bool,
    /// Number of blocks run.
    pub(super) steps: u64,
}

/// A block of a function.
pub(super) struct Reached {
    pub(super) id: BlockId,
    /// The state before it; `None` if not reached.
    pub(super) state: Option<AbstractState>,
    /// Number of times that state changed.
    changes: u32,
    /// The result of its last run.
    pub(super) outcome: BlockOutcome,
}

/// Results of one run of a block.
#[derive(Default)]
pub(super) struct BlockOutcome {
    /// The target values of each indirect exit.
    pub(super) targets: Vec<(u8, Value)>,
    /// Each callee, with the state at the call.
    pub(super) calls: Vec<(BlockId, AbstractState)>,
    /// Infeasible exits: the guard is always false, or an earlier guard is always true.
    pub(super) dead: Vec<u8>,
    /// The states in which the function returns.
    leaving: Vec<AbstractState>,
    /// The state at the possible targets of an unresolved jump.
    anywhere: Option<AbstractState>,
}

impl Local {
    pub(super) fn new(graph: &Graph, entry: BlockId) -> Self {
        let order = weak_topological_order(graph, entry);
        let numbers = order.iter().copied().zip(0..).collect();
        let reached = |id| {
            let state = (id == entry).then(AbstractState::default);
            Reached { id, state, changes: 0, outcome: BlockOutcome::default() }
        };
        let blocks = order.into_iter().map(reached).collect();
        Self { entry, blocks, numbers, thresholds: Vec::new(), is_open: false, steps: 0 }
    }
}

/// The analysis of one function, given the summaries of others.
pub(super) struct Analysis<'a, 's> {
    pub(super) calls: CallEffects<'a>,
    pub(super) summaries: &'s Summaries,
    pub(super) session: &'s mut LiftSession<'a>,
}

impl Analysis<'_, '_> {
    /// Iterates from some blocks until a fixpoint is reached. Returns false if that takes more than `limit` block runs.
    pub(super) fn run(&mut self, local: &mut Local, from: &[BlockId], limit: u64) -> bool {
        let (calls, layout) = (self.calls, self.calls.program.architecture().layout());
        // The cache lasts for one run: lifted blocks take far more memory than states.
        let mut ready: FxHashMap<u32, Option<ReadyBlock<Value>>> = FxHashMap::default();
        let mut open: BTreeSet<u32> =
            from.iter().filter_map(|block| local.numbers.get(block).copied()).collect();
        let limit = local.steps.saturating_add(limit);
        while let Some(number) = open.pop_first() {
            let Reached { id, state, .. } = &local.blocks[number as usize];
            let (id, Some(state)) = (*id, state.clone()) else { continue };
            local.steps += 1;
            if local.steps > limit {
                return false;
            }
            let thresholds = &mut local.thresholds;
            let ready = ready.entry(number).or_insert_with(|| {
                let ready = lift(calls.program, calls.graph, self.session, id);
                if let Some(ready) = &ready {
                    add_thresholds(ready, thresholds);
                }
                ready
            });
            let Some(ready) = ready else { continue };
            let (mut reached, mut outcome) = self.step(local.entry, id, ready, state);
            if let Some(state) = outcome.anywhere.take()
                && !std::mem::replace(&mut local.is_open, true)
            {
                reached.extend(local.blocks.iter().map(|block| (block.id, state.clone())));
            }
            local.blocks[number as usize].outcome = outcome;
            for (to, state) in reached {
                let Some(to) = local.numbers.get(&to).copied() else { continue };
                let Reached { state: known, changes, .. } = &mut local.blocks[to as usize];
                let Some(known) = known else {
                    *known = Some(state);
                    open.insert(to);
                    continue;
                };
                // Every cycle has a back edge in this order, so only states that flow along back edges can keep
                // growing.
                let back = to <= number;
                if known.join(&state, layout, widening(CHANGES, *changes, back, &local.thresholds)) {
                    *changes += 1;
                    open.insert(to);
                }
            }
        }
        true
    }

    /// The summary of a function: the join of its states at returns.
    pub(super) fn summary(&self, local: &Local) -> Summary {
        let layout = self.calls.program.architecture().layout();
        let mut leaving = local.blocks.iter().flat_map(|block| &block.outcome.leaving);
        let Some(first) = leaving.next() else { return Summary::NeverReturns };
        let mut exit = first.clone();
        for state in leaving {
            exit.join(state, layout, None);
        }
        Summary::Returns(Box::new(exit))
    }

    /// Runs a block. Returns the states at its successors inside the function.
    fn step(
        &self,
        entry: BlockId,
        id: BlockId,
        ready: &mut ReadyBlock<Value>,
        state: AbstractState,
    ) -> (Vec<(BlockId, AbstractState)>, BlockOutcome) {
        let ran = run(self.calls.program, self.calls.options, ready, state);
        let mut reached = Vec::new();
        let mut outcome = BlockOutcome { dead: ran.dead, ..BlockOutcome::default() };
        for left in ran.left {
            self.leave(entry, id, left, &mut reached, &mut outcome);
        }
        (reached, outcome)
    }

    /// Propagates the state of one exit along its edges.
    fn leave(
        &self,
        entry: BlockId,
        id: BlockId,
        left: ExitState,
        reached: &mut Vec<(BlockId, AbstractState)>,
        outcome: &mut BlockOutcome,
    ) {
        let ExitState { exit, state: after, target } = left;
        let indirect = self.calls.graph.indirect_exits_of(id).iter().find(|indirect| indirect.exit == exit);
        outcome.targets.extend(target.map(|target| (exit, target)));
        if indirect.is_some_and(|indirect| indirect.kind == ExitKind::Return) {
            // If the stack pointer is unknown, the function may have switched stacks, as a coroutine does, and may
            // return to a call made in another state. If the return address was overwritten, what runs there returns.
            let is_callers = !self.calls.graph.overwrites_return_address(id)
                && (self.calls.trusted()
                    || self.calls.options.stack_pointer.is_none()
                    || self.calls.level(&after).is_some());
            outcome.leaving.push(if is_callers { after.clone() } else { self.calls.unknown_return(&after) });
        }
        let mut inside = self.follow_edges(id, exit, indirect, &after, outcome);
        if let Some(indirect) = indirect {
            inside.extend(self.follow_unresolved(id, indirect, &after, outcome));
        }
        self.distribute(entry, inside, reached, outcome);
    }

    /// The call fall-through of an exit, and whether the exit calls.
    fn fall_through(&self, id: BlockId, exit: u8) -> (Option<BlockId>, bool) {
        let edges = || self.calls.graph.successors(id).filter(|edge| edge.exit == exit);
        let resume = edges().find(|edge| edge.kind == EdgeKind::CallFallThrough).map(|edge| edge.to);
        let is_call = edges().any(|edge| matches!(edge.kind, EdgeKind::Call | EdgeKind::CallFallThrough));
        (resume, is_call)
    }

    /// The successors of an exit by its edges, with their states. An edge to another function's entry is distributed as a tail
    /// call.
    fn follow_edges(
        &self,
        id: BlockId,
        exit: u8,
        indirect: Option<&IndirectExit>,
        after: &AbstractState,
        outcome: &mut BlockOutcome,
    ) -> Vec<(BlockId, AbstractState)> {
        let (resume, is_call) = self.fall_through(id, exit);
        let mut inside = Vec::new();
        for edge in self.calls.graph.successors(id).filter(|edge| edge.exit == exit) {
            match edge.kind {
                EdgeKind::Fall | EdgeKind::Jump | EdgeKind::TailCall => inside.push((edge.to, after.clone())),
                EdgeKind::CallFallThrough => {}
                EdgeKind::Unwind if is_call || indirect.is_some_and(|exit| exit.kind == ExitKind::Call) => {
                    inside.push((edge.to, self.calls.unknown_call(id, after)));
                }
                // An instruction before the end of the block has trapped.
                EdgeKind::Unwind => inside.push((edge.to, self.calls.unknown_jump(after))),
                EdgeKind::Call => {
                    outcome.calls.push((edge.to, after.clone()));
                    // The callee is not decoded, or it may return a second time in any state.
                    if !self.calls.graph.block(edge.to).decoded || self.summaries.returns_twice(edge.to) {
                        inside.extend(resume.map(|resume| (resume, self.calls.unknown_call(id, after))));
                    }
                    let Some(summary) = self.summaries.get(edge.to) else { continue };
                    let back = self.calls.called(after, summary);
                    inside.extend(resume.zip(back));
                }
            }
        }
        inside
    }

    /// The successors of an unresolved call or jump by targets that the graph does not list, with their states.
    fn follow_unresolved(
        &self,
        id: BlockId,
        indirect: &IndirectExit,
        after: &AbstractState,
        outcome: &mut BlockOutcome,
    ) -> Option<(BlockId, AbstractState)> {
        let returns = indirect.import.as_ref().is_none_or(|import| import.returns);
        if indirect.kind == ExitKind::Return || indirect.state.is_resolved() || !returns {
            return None;
        }
        if let (Some(resume), true) = self.fall_through(id, indirect.exit) {
            return Some((resume, self.calls.unknown_call(id, after)));
        }
        outcome.leaving.push(self.calls.unknown_return(after));
        let is_elsewhere = matches!(
            indirect.state,
            Resolution::Unresolved(UnresolvedReason::Imported | UnresolvedReason::Outside)
        );
        if !is_elsewhere && !self.calls.is_tail_call(after) {
            outcome.anywhere = Some(self.calls.unknown_jump(after));
        }
        None
    }

    /// Propagates states to blocks of the function, and passes those of other functions' entries on as tail calls.
    fn distribute(
        &self,
        entry: BlockId,
        inside: Vec<(BlockId, AbstractState)>,
        reached: &mut Vec<(BlockId, AbstractState)>,
        outcome: &mut BlockOutcome,
    ) {
        for (to, state) in inside {
            if !self.calls.graph.block(to).decoded {
                outcome.leaving.push(self.calls.unknown_return(&state));
                // Instructions that are not known may lead anywhere in the function.
                if self.calls.program.is_code(self.calls.graph.block(to).place.address) {
                    outcome.anywhere = Some(self.calls.unknown_jump(&state));
                }
                continue;
            }
            if to == entry || !self.calls.graph.is_entry(to) {
                reached.push((to, state));
                continue;
            }
            if let Some(summary) = self.summaries.get(to) {
                outcome.leaving.extend(self.calls.called(&state, summary));
            }
            outcome.calls.push((to, state));
        }
    }
}

//! The fixpoint of one function: states at its blocks, and what it does to its caller.

use super::block::{Left, add_thresholds, lift, run};
use super::call::Summary;
use super::fixpoint::Summaries;
use super::order::order;
use super::program::Bounds;
use super::state::State;
use super::symbol::Value;
use crate::graph::{BlockId, Doubt, EdgeKind, Graph, Saturation};
use crate::program::Program;
use everypath_ir::ExitKind;
use everypath_lift::Session;
use everypath_machine::ReadyBlock;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// After so many changes a state that goes around a loop is widened to the next bound that the program compares with, then
/// without regard for these; and any state that still changes is widened in the end.
const CHANGES: [u32; 3] = [3, 8, 24];

/// Where to a state that was changed so often is widened, if it is to be.
pub(super) fn widening(changes: [u32; 3], count: u32, back: bool, thresholds: &[u64]) -> Option<&[u64]> {
    let [first, without, any] = changes;
    if count >= without && (back || count >= any) {
        // Sets stay as long as they are small: they tell bits apart, such as flags, where an interval does not.
        Some(&[0])
    } else {
        (back && count >= first).then_some(thresholds)
    }
}

/// A function that is run. It may go on when it is known better what the functions do that it calls.
pub(super) struct Local {
    entry: BlockId,
    /// Its blocks in the order in which they are run.
    pub(super) blocks: Vec<Reached>,
    numbers: FxHashMap<BlockId, u32>,
    thresholds: Vec<u64>,
    /// Whether a jump was met of which it is not known where it leads to: then it may lead to any of the blocks.
    is_open: bool,
    /// How many blocks were run.
    pub(super) steps: u64,
}

/// A block of a function.
pub(super) struct Reached {
    pub(super) id: BlockId,
    /// The state before it, if it can be reached.
    pub(super) state: Option<State>,
    /// How many times that changed.
    changes: u32,
    /// What its last run says.
    pub(super) note: Note,
}

/// What a run of a block says.
#[derive(Default)]
pub(super) struct Note {
    /// The target of each computed exit.
    pub(super) targets: Vec<(u8, Value)>,
    /// The state when each call is made, and who is called.
    pub(super) calls: Vec<(BlockId, State)>,
    /// Exits whose guard is always off, or which a guard before them always hides.
    pub(super) dead: Vec<u8>,
    /// The states in which the function returns.
    leaving: Vec<State>,
    /// The state at whatever a jump leads to of which nothing is known.
    anywhere: Option<State>,
}

impl Local {
    pub(super) fn new(graph: &Graph, entry: BlockId) -> Self {
        let order = order(graph, entry);
        let numbers = order.iter().copied().zip(0..).collect();
        let reached = |id| {
            let state = (id == entry).then(State::default);
            Reached { id, state, changes: 0, note: Note::default() }
        };
        let blocks = order.into_iter().map(reached).collect();
        Self { entry, blocks, numbers, thresholds: Vec::new(), is_open: false, steps: 0 }
    }
}

pub(super) struct Analysis<'a, 's> {
    pub(super) program: &'a Program<'a>,
    pub(super) graph: &'a Graph,
    pub(super) bounds: &'a Bounds,
    pub(super) summaries: &'s Summaries,
    pub(super) session: &'s mut Session<'a>,
}

impl Analysis<'_, '_> {
    /// Runs a function, from some of its blocks on, until nothing changes; says whether that took at most `limit` blocks.
    pub(super) fn run(&mut self, local: &mut Local, from: &[BlockId], limit: u64) -> bool {
        let layout = self.program.architecture().layout();
        // Blocks are lifted again when a function goes on: they take far more memory than states do.
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
                let ready = lift(self.program, self.graph, self.session, id);
                if let Some(ready) = &ready {
                    add_thresholds(ready, thresholds);
                }
                ready
            });
            let Some(ready) = ready else { continue };
            let (mut reached, mut note) = self.step(local.entry, id, ready, state);
            if let Some(state) = note.anywhere.take()
                && !std::mem::replace(&mut local.is_open, true)
            {
                reached.extend(local.blocks.iter().map(|block| (block.id, state.clone())));
            }
            local.blocks[number as usize].note = note;
            for (to, state) in reached {
                let Some(to) = local.numbers.get(&to).copied() else { continue };
                let Reached { state: known, changes, .. } = &mut local.blocks[to as usize];
                let Some(known) = known else {
                    *known = Some(state);
                    open.insert(to);
                    continue;
                };
                // Every loop has an edge against the order, and only what goes around a loop goes on growing.
                let back = to <= number;
                if known.join(&state, layout, widening(CHANGES, *changes, back, &local.thresholds)) {
                    *changes += 1;
                    open.insert(to);
                }
            }
        }
        true
    }

    /// What a function does, as far as it was run.
    pub(super) fn summary(&self, local: &Local) -> Summary {
        let layout = self.program.architecture().layout();
        let mut leaving = local.blocks.iter().flat_map(|block| &block.note.leaving);
        let Some(first) = leaving.next() else { return Summary::NeverReturns };
        let mut exit = first.clone();
        for state in leaving {
            exit.join(state, layout, None);
        }
        Summary::Returns(Box::new(exit))
    }

    /// Runs a block, and gives the states that it leads to inside the function.
    fn step(
        &self,
        entry: BlockId,
        id: BlockId,
        ready: &mut ReadyBlock<Value>,
        state: State,
    ) -> (Vec<(BlockId, State)>, Note) {
        let ran = run(self.program, self.bounds, ready, state);
        let mut reached = Vec::new();
        let mut note = Note { dead: ran.dead, ..Note::default() };
        for left in ran.left {
            self.leave(entry, id, left, &mut reached, &mut note);
        }
        (reached, note)
    }

    /// Follows the edges of one exit.
    fn leave(
        &self,
        entry: BlockId,
        id: BlockId,
        left: Left,
        reached: &mut Vec<(BlockId, State)>,
        note: &mut Note,
    ) {
        let Left { exit, state: after, target } = left;
        let dynamic = self.graph.dynamics_of(id).iter().find(|dynamic| dynamic.exit == exit);
        note.targets.extend(target.map(|target| (exit, target)));
        if dynamic.is_some_and(|dynamic| dynamic.kind == ExitKind::Return) {
            // A return from another stack, as of a coroutine, leads behind a call that was made in another state.
            let is_callers =
                self.trusted() || self.bounds.stack_pointer.is_none() || self.level(&after).is_some();
            note.leaving.push(if is_callers { after.clone() } else { self.unknown_return(&after) });
        }
        let edges = || self.graph.successors(id).filter(|edge| edge.exit == exit);
        let resume = edges().find(|edge| edge.kind == EdgeKind::Resume).map(|edge| edge.to);
        let is_call = edges().any(|edge| matches!(edge.kind, EdgeKind::Call | EdgeKind::Resume));
        // Where it goes on inside the function, unless it runs into another one: then that one returns to the caller.
        let mut inside = Vec::new();
        for edge in edges() {
            match edge.kind {
                EdgeKind::Fall | EdgeKind::Jump | EdgeKind::TailCall => inside.push((edge.to, after.clone())),
                EdgeKind::Resume => {}
                EdgeKind::Unwind => inside.push((edge.to, self.unknown_call(id, &after))),
                EdgeKind::Call => {
                    note.calls.push((edge.to, after.clone()));
                    // Code that is not known, and a function that returns once more, in whatever state.
                    if !self.graph.block(edge.to).decoded || self.summaries.returns_twice(edge.to) {
                        inside.extend(resume.map(|resume| (resume, self.unknown_call(id, &after))));
                    }
                    let Some(summary) = self.summaries.get(edge.to) else { continue };
                    let back = self.called(&after, summary);
                    inside.extend(resume.zip(back));
                }
            }
        }
        // What may be called, or jumped to, besides what is known.
        if let Some(dynamic) = dynamic
            && dynamic.kind != ExitKind::Return
            && !dynamic.state.is_saturated()
            && dynamic.import.as_ref().is_none_or(|import| import.returns)
        {
            match resume {
                Some(resume) if is_call => inside.push((resume, self.unknown_call(id, &after))),
                _ => {
                    note.leaving.push(self.unknown_return(&after));
                    let is_elsewhere =
                        matches!(dynamic.state, Saturation::Unsaturated(Doubt::Imported | Doubt::Outside));
                    if !is_elsewhere && !self.is_tail_call(&after) {
                        note.anywhere = Some(self.unknown_jump(&after));
                    }
                }
            }
        }
        for (to, state) in inside {
            if !self.graph.block(to).decoded {
                note.leaving.push(self.unknown_return(&state));
                continue;
            }
            if to == entry || !self.graph.is_entry(to) {
                reached.push((to, state));
                continue;
            }
            if let Some(summary) = self.summaries.get(to) {
                note.leaving.extend(self.called(&state, summary));
            }
            note.calls.push((to, state));
        }
    }
}

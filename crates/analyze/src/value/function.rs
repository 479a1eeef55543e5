//! The fixpoint of one function: states at its blocks, and what it does to its caller.

use super::block::{Left, add_thresholds, lift, run};
use super::interpret::Interpreter;
use super::order::order;
use super::program::{Bounds, Summaries};
use super::state::{State, distance};
use super::symbol::{Symbol, Value};
use crate::domain::Number;
use crate::graph::{BlockId, EdgeKind, Graph};
use crate::program::Program;
use everypath_ir::{ExitKind, Op, Width, Word};
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

/// What was found of a function.
#[derive(Default)]
pub(super) struct Local {
    /// The state before each block that can be reached.
    pub(super) states: FxHashMap<BlockId, State>,
    /// The state when it returns, if it can.
    pub(super) exit: Option<State>,
    /// The target of each computed exit.
    pub(super) targets: Vec<(BlockId, u8, Value)>,
    /// The state when each call is made: who is called, and from where.
    pub(super) calls: Vec<(BlockId, BlockId, State)>,
    /// Exits whose guard is always off, or which a guard before them always hides.
    pub(super) dead: Vec<(BlockId, u8)>,
    /// How many blocks were run.
    pub(super) steps: u64,
}

pub(super) struct Analysis<'a, 's> {
    pub(super) program: &'a Program<'a>,
    pub(super) graph: &'a Graph,
    pub(super) bounds: &'a Bounds,
    pub(super) summaries: &'s Summaries,
    pub(super) session: &'s mut Session<'a>,
    /// The first block of the function.
    pub(super) entry: BlockId,
}

impl<'a> Analysis<'a, '_> {
    /// Runs a function from its entry until nothing changes; `None` if that takes more than `limit` blocks.
    pub(super) fn run(&mut self, limit: u64) -> Option<Local> {
        let entry = self.entry;
        let layout = self.program.architecture().layout();
        let mut local = Local::default();
        let order = order(self.graph, entry);
        let number = |id: BlockId| order.get(&id).copied().unwrap_or(u32::MAX);
        let mut blocks: FxHashMap<BlockId, Option<ReadyBlock<Value>>> = FxHashMap::default();
        let mut thresholds = Vec::new();
        let mut changes: FxHashMap<BlockId, u32> = FxHashMap::default();
        local.states.insert(entry, State::default());
        let mut open = BTreeSet::from([(0, entry)]);
        while let Some((_, id)) = open.pop_first() {
            local.steps += 1;
            if local.steps > limit {
                return None;
            }
            let state = local.states[&id].clone();
            let ready = blocks.entry(id).or_insert_with(|| {
                let ready = lift(self.program, self.graph, self.session, id);
                if let Some(ready) = &ready {
                    add_thresholds(ready, &mut thresholds);
                }
                ready
            });
            let Some(ready) = ready else { continue };
            for (to, state) in self.step(id, ready, state, None) {
                match local.states.get_mut(&to) {
                    None => {
                        local.states.insert(to, state);
                        open.insert((number(to), to));
                    }
                    Some(known) => {
                        let count = changes.entry(to).or_default();
                        // Every loop has an edge against the order, and only what goes around a loop goes on growing.
                        let back = number(to) <= number(id);
                        if known.join(&state, layout, widening(CHANGES, *count, back, &thresholds)) {
                            *count += 1;
                            open.insert((number(to), to));
                        }
                    }
                }
            }
        }
        // Once more over what is stable, to note what each block says.
        let mut order: Vec<BlockId> = local.states.keys().copied().collect();
        order.sort_unstable();
        for id in order {
            let state = local.states[&id].clone();
            if let Some(Some(ready)) = blocks.get_mut(&id) {
                self.step(id, ready, state, Some(&mut local));
            }
        }
        Some(local)
    }

    /// Runs a block, and gives the states that it leads to inside the function.
    fn step(
        &mut self,
        id: BlockId,
        ready: &mut ReadyBlock<Value>,
        state: State,
        mut note: Option<&mut Local>,
    ) -> Vec<(BlockId, State)> {
        let ran = run(self.program, self.bounds, ready, state);
        let mut reached = Vec::new();
        for left in &ran.left {
            let Left { exit, state, target } = left;
            self.leave(id, *exit, state, target.as_ref(), &mut reached, note.as_deref_mut());
        }
        if let Some(local) = note {
            local.dead.extend(ran.dead.iter().map(|exit| (id, *exit)));
        }
        reached
    }

    /// Follows the edges of one exit.
    fn leave(
        &mut self,
        id: BlockId,
        exit: u8,
        after: &State,
        target: Option<&Value>,
        reached: &mut Vec<(BlockId, State)>,
        mut note: Option<&mut Local>,
    ) {
        let layout = self.program.architecture().layout();
        let dynamic = self.graph.dynamics_of(id).iter().find(|dynamic| dynamic.exit == exit);
        if let (Some(local), Some(target)) = (note.as_deref_mut(), target) {
            local.targets.push((id, exit, target.clone()));
        }
        let mut leaving = Vec::new();
        if dynamic.is_some_and(|dynamic| dynamic.kind == ExitKind::Return) {
            leaving.push(after.clone());
        }
        let edges: Vec<_> = self.graph.successors(id).filter(|edge| edge.exit == exit).copied().collect();
        let resume = edges.iter().find(|edge| edge.kind == EdgeKind::Resume).map(|edge| edge.to);
        let is_call = edges.iter().any(|edge| matches!(edge.kind, EdgeKind::Call | EdgeKind::Resume));
        // Where it goes on inside the function, unless it runs into another one: then that one returns to the caller.
        let mut inside = Vec::new();
        for edge in &edges {
            match edge.kind {
                EdgeKind::Fall | EdgeKind::Jump => inside.push((edge.to, after.clone())),
                EdgeKind::Resume => {}
                EdgeKind::TailCall => inside.push((edge.to, after.clone())),
                EdgeKind::Call => {
                    if let Some(local) = note.as_deref_mut() {
                        local.calls.push((id, edge.to, after.clone()));
                    }
                    let Some(summary) = self.summaries.get(edge.to) else { continue };
                    let back = self.called(after, summary);
                    inside.extend(resume.zip(back));
                }
            }
        }
        // What may be called, or jumped to, besides what is known.
        if let Some(dynamic) = dynamic
            && dynamic.kind != ExitKind::Return
            && !dynamic.state.is_saturated()
        {
            let unknown = self.unknown_call(id, after);
            match resume {
                Some(resume) if is_call => inside.push((resume, unknown)),
                _ => leaving.push(unknown),
            }
        }
        for (to, state) in inside {
            if to == self.entry || !self.graph.is_entry(to) {
                reached.push((to, state));
                continue;
            }
            if let Some(summary) = self.summaries.get(to) {
                leaving.extend(self.called(&state, summary));
            }
            if let Some(local) = note.as_deref_mut() {
                local.calls.push((id, to, state));
            }
        }
        if let Some(local) = note {
            for state in leaving {
                match &mut local.exit {
                    None => local.exit = Some(state),
                    Some(exit) => {
                        exit.join(&state, layout, None);
                    }
                }
            }
        }
    }

    /// The state behind a call of which nothing is known.
    fn unknown_call(&self, id: BlockId, before: &State) -> State {
        let mut interpreter = Interpreter::new(self.program, self.bounds, before.clone());
        interpreter.forget();
        let layout = self.program.architecture().layout();
        let convention = self.program.architecture().description().call.as_ref();
        // Where a call leaves its return address on the stack, the return takes it away.
        if let (Some((location, width)), Some(convention)) = (self.bounds.stack_pointer, convention) {
            let pointer = before.place(layout, location, width);
            let size = self.program.pointer_size() as u64;
            let end = self.graph.block(id).end;
            let back = match (convention.return_address.is_some(), self.top_of_stack(before, &pointer)) {
                (true, _) => pointer,
                (false, Some(top)) if top == Some(end) => {
                    let size = Value::plain(Number::one(width, size));
                    Value::apply(Op::Add, width, &[&pointer, &size])
                }
                _ => Value::unknown(width),
            };
            interpreter.state.set_place(layout, location, back);
        }
        interpreter.state
    }

    /// The number on top of the stack, if the stack pointer is known.
    fn top_of_stack(&self, state: &State, pointer: &Value) -> Option<Option<u64>> {
        let (location, width) = self.bounds.stack_pointer?;
        let at =
            pointer.number.single().filter(|_| pointer.base == Some(Symbol::Register(location, width)))?;
        let top = Width::of_bytes(self.program.pointer_size())?;
        let layout = self.program.architecture().layout();
        let held = state.stack(layout, self.program.code_space(), at.sign_extend(width) as i64, top);
        Some(held.number.single().filter(|_| held.base.is_none()))
    }

    /// The state behind a call of a function of which it is known what it does.
    fn called(&self, before: &State, summary: &Summary) -> Option<State> {
        let exit = match summary {
            Summary::NeverReturns => return None,
            Summary::Unknown => {
                let mut interpreter = Interpreter::new(self.program, self.bounds, before.clone());
                interpreter.forget();
                return Some(interpreter.state);
            }
            Summary::Returns(exit) => exit,
        };
        let layout = self.program.architecture().layout();
        let mut state = before.clone();
        for (space, ranges) in &exit.lost {
            for (first, last) in ranges.iter() {
                match (first, last) {
                    (0, u64::MAX) => state.lose(*space),
                    _ => state.lose_range(layout, *space, first, last - first + 1),
                }
            }
        }
        for (space, cells) in &exit.places {
            for (offset, value) in cells.iter() {
                let location = everypath_ir::Location { space: *space, offset };
                state.set_place(layout, location, self.seen_by_caller(before, value));
            }
        }
        let here = self.bounds.stack_pointer.and_then(|(location, width)| {
            let pointer = before.place(layout, location, width);
            let at = pointer
                .number
                .single()
                .filter(|_| pointer.base == Some(Symbol::Register(location, width)))?;
            Some(at.sign_extend(width) as i64)
        });
        let touches_stack = exit.stack.values().any(|cells| cells.iter().next().is_some())
            || exit.floor > i64::MIN
            || !exit.stack_lost.is_empty();
        let trusted = self.bounds.trust == super::Trust::Convention;
        match here {
            Some(here) if !exit.overwritten => {
                if exit.spoiled {
                    state.spoil_all(trusted);
                }
                if touches_stack {
                    state.raise_floor(here.max(exit.floor.saturating_add(here)));
                }
                for (space, ranges) in &exit.stack_lost {
                    for (first, last) in ranges.iter().map(|(first, last)| (distance(first), distance(last)))
                    {
                        if last >= 0 {
                            let size = last.abs_diff(first.max(0)) + 1;
                            state.spoil(layout, *space, here.wrapping_add(first.max(0)), size);
                        }
                    }
                }
                for (space, cells) in &exit.stack {
                    for (key, value) in cells.iter() {
                        let at = distance(key);
                        if at >= 0 {
                            let value = self.seen_by_caller(before, value);
                            state.set_stack(layout, *space, here.wrapping_add(at), value);
                        }
                    }
                }
            }
            _ if !touches_stack && !exit.overwritten && !exit.spoiled => {}
            _ => state.spoil_all(trusted && !exit.overwritten && here.is_some()),
        }
        Some(state)
    }

    /// What a value of a called function is in the terms of its caller.
    fn seen_by_caller(&self, caller: &State, value: &Value) -> Value {
        let layout = self.program.architecture().layout();
        let base = match value.base {
            None => return value.clone(),
            Some(Symbol::Register(location, width)) => caller.place(layout, location, width),
            Some(Symbol::Cell { space, distance, width }) => {
                let pointer = self.bounds.stack_pointer.and_then(|(location, width)| {
                    let pointer = caller.place(layout, location, width);
                    let at = pointer
                        .number
                        .single()
                        .filter(|_| pointer.base == Some(Symbol::Register(location, width)))?;
                    Some(at.sign_extend(width) as i64)
                });
                match pointer {
                    Some(here) => caller.stack(layout, space, here.wrapping_add(distance), width),
                    None => Value::unknown(width),
                }
            }
        };
        let number = Value::plain(value.number.clone());
        Value::apply(Op::Add, value.width(), &[&base, &number])
    }
}

/// What a function does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Summary {
    /// As far as is known, it does not return.
    NeverReturns,
    /// It returns with this state, in its own terms.
    Returns(Box<State>),
    /// Nothing is known of it.
    Unknown,
}

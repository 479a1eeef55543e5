//! Finds the targets of one computed jump.

use super::bounds::Bounds;
use super::expression::{Expression, Form, Store};
use super::walk::Walk;
use crate::graph::{BlockId, Doubt, Edge, EdgeKind, Graph, Limits, Reason, Saturation};
use crate::program::Program;
use everypath_ir::{Algebra, Bits, Context, ExitKind, Location, Place, Width};
use everypath_lift::Session;
use everypath_machine::{Nobody, ReadyBlock, WayTarget, run_block};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::sync::Arc;

/// The targets that were found, and whether there can be others.
pub(crate) struct Found {
    pub(crate) targets: Vec<Place>,
    pub(crate) state: Saturation,
}

/// How many blocks a way has at most, and how many ways are tried for one jump.
const LONGEST: usize = 12;
const WAYS: usize = 96;
const FEW_WAYS: usize = 12;
/// How many parts of a target are looked at for the value that it depends on.
const PARTS: usize = 256;
/// How deep expressions are evaluated.
const DEPTH: u32 = 256;
/// A value that only its width bounds is believed to be an index up to this many.
const BY_WIDTH: u64 = 256;

/// Finds the targets of a computed exit.
pub(crate) fn resolve<'p>(
    program: &'p Program<'p>,
    session: &mut Session<'p>,
    graph: &Graph,
    block: BlockId,
    exit: u8,
    limits: Limits,
    is_entry: &dyn Fn(BlockId) -> bool,
) -> Found {
    let mut search =
        Search { program, session, graph, exit, limits, by_width: false, blocks: FxHashMap::default() };
    let found = search.all_ways(block, is_entry);
    if found.state.is_saturated() || !found.targets.is_empty() || search.is_call(block) {
        return found;
    }
    // Nothing bounds the index but its width: a table for every byte has no check before it.
    search.by_width = true;
    let wide = search.all_ways(block, is_entry);
    let home = program.unwind_range(graph.block(block).place.address);
    let is_home = |place: &Place| home.is_some() && program.unwind_range(place.address) == home;
    if wide.state.is_saturated() && !wide.targets.is_empty() && wide.targets.iter().all(is_home) {
        return wide;
    }
    found
}

/// A block of a way, and the edge by which it is left; the last one has none.
#[derive(Clone, Copy)]
struct Step {
    block: BlockId,
    edge: Option<Edge>,
}

struct Search<'s, 'p> {
    program: &'p Program<'p>,
    session: &'s mut Session<'p>,
    graph: &'s Graph,
    exit: u8,
    limits: Limits,
    /// Whether a value that only its width bounds counts as bounded.
    by_width: bool,
    blocks: FxHashMap<BlockId, Option<Arc<everypath_ir::Block>>>,
}

impl<'p> Search<'_, 'p> {
    fn block(&mut self, id: BlockId) -> Option<Arc<everypath_ir::Block>> {
        if let Some(known) = self.blocks.get(&id) {
            return known.clone();
        }
        let node = self.graph.block(id);
        let (place, end) = (node.place, node.end);
        let lifted = self.session.block_until(self.program.image(), place, |next| next.address == end);
        let lifted = lifted.ok().map(Arc::new);
        self.blocks.insert(id, lifted.clone());
        lifted
    }

    /// The targets if this way is taken.
    fn follow(&mut self, way: &[Step]) -> Result<Vec<Place>, Doubt> {
        let layout = self.program.architecture().layout();
        let mut walk = Walk::new(self.program);
        // The slot of undefined temporaries.
        walk.store.truth(false);
        let mut conditions: Vec<(Expression, bool)> = Vec::new();
        for step in way {
            let block = self.block(step.block).ok_or(Doubt::Unbounded)?;
            let mut ready = {
                let store = RefCell::new(&mut walk.store);
                let constant = |bits: &Bits| store.borrow_mut().constant(bits.clone());
                ReadyBlock::new(layout, block, constant, || Expression(0))
            };
            if run_block(&mut walk, &mut ready, &mut Nobody).is_err() {
                return Err(Doubt::Unbounded);
            }
            let exit = usize::from(step.edge.map_or(self.exit, |edge| edge.exit));
            for way in ready.ways.iter().take(exit + 1) {
                if let Some(guard) = way.guard {
                    conditions.push((ready.values[guard as usize], way.exit == exit));
                }
            }
            match step.edge {
                Some(edge) if edge.kind == EdgeKind::Resume => walk.forget_call(),
                Some(_) => {}
                None => {
                    let Some(way) = ready.ways.get(exit) else { return Err(Doubt::Unbounded) };
                    let WayTarget::Computed(slot, _) = way.target else { return Err(Doubt::Unbounded) };
                    let target = ready.values[slot as usize];
                    let flowing = self.flowing(step.block);
                    return self.targets(&mut walk, target, &conditions, flowing);
                }
            }
        }
        Err(Doubt::Unbounded)
    }

    /// The targets by every way to the jump.
    fn all_ways(&mut self, block: BlockId, is_entry: &dyn Fn(BlockId) -> bool) -> Found {
        let mut targets = Vec::new();
        let mut doubt = None;
        let mut open: Vec<Vec<Step>> = vec![vec![Step { block, edge: None }]];
        let mut tried = 0;
        let is_call = self.is_call(block);
        while let Some(way) = open.pop() {
            tried += 1;
            // A call through a pointer seldom has a table; and what one way leaves open stays open.
            if tried > if is_call || (doubt.is_some() && targets.is_empty()) { FEW_WAYS } else { WAYS } {
                doubt = Some(Doubt::TooManyWays);
                break;
            }
            match self.follow(&way) {
                Ok(found) => {
                    targets.extend(found);
                    if way.iter().any(|step| step.edge.is_some_and(|edge| edge.kind == EdgeKind::Resume)) {
                        doubt = doubt.or(Some(Doubt::Convention));
                    }
                }
                Err(why) => {
                    let head = way[0].block;
                    let before: Vec<Edge> =
                        self.graph.predecessors(head).filter(|edge| edge.kind.is_inside()).copied().collect();
                    if way.len() >= LONGEST {
                        doubt = Some(Doubt::TooManyWays);
                    } else if before.is_empty() || is_entry(head) || why == Doubt::Writable {
                        doubt = Some(why);
                    } else {
                        for edge in before {
                            let mut longer = Vec::with_capacity(way.len() + 1);
                            longer.push(Step { block: edge.from, edge: Some(edge) });
                            longer.extend_from_slice(&way);
                            open.push(longer);
                        }
                    }
                }
            }
        }
        targets.sort_unstable();
        targets.dedup();
        let state = doubt.map_or(Saturation::Saturated(Reason::Table), Saturation::Unsaturated);
        // Without all ways, what a few of them say is still what may be reached.
        Found { targets, state }
    }

    fn is_call(&self, block: BlockId) -> bool {
        let mut exits = self.graph.dynamics_of(block).iter();
        exits.any(|dynamic| dynamic.exit == self.exit && dynamic.kind == ExitKind::Call)
    }

    fn flowing(&self, block: BlockId) -> Context {
        let dynamic = self.graph.dynamics_of(block).iter().find(|dynamic| dynamic.exit == self.exit);
        dynamic.map_or_else(|| self.program.architecture().default_context(), |dynamic| dynamic.context)
    }

    /// The targets that an expression stands for under some conditions.
    fn targets(
        &self,
        walk: &mut Walk<'p>,
        target: Expression,
        conditions: &[(Expression, bool)],
        flowing: Context,
    ) -> Result<Vec<Place>, Doubt> {
        let modes = self.program.architecture().description().modes.iter();
        let modes =
            modes.filter_map(|mode| self.program.architecture().register(mode.source.register.as_ref()?));
        let modes: Vec<(Location, Expression)> =
            modes.filter_map(|(location, width)| Some((location, walk.held(location, width)?))).collect();
        let store = &walk.store;
        let parts = parts(store, target);
        let mut best: Option<(u64, Expression, Bounds)> = None;
        for part in parts.iter().copied() {
            if store.width(part) > Width::W64 || !self.depends_only(store, target, part) {
                continue;
            }
            let range = store.range(part, 0);
            let said = conditions.iter().map(|(condition, holds)| store.bounds(*condition, *holds, part, 0));
            let bounds = said.fold(range, Bounds::and);
            let Some(count) = bounds.count() else { continue };
            // What nothing but its own form bounds is an index only if that form is a mask, or at last by its width.
            let by_form = bounds == range && count > 1;
            let is_masked = store.is_masked(part) && count < BY_WIDTH;
            let by_width = self.by_width && count <= BY_WIDTH && !self.is_table(store, part);
            if by_form && !is_masked && !by_width {
                continue;
            }
            if count <= self.limits.targets as u64 && best.is_none_or(|(least, _, _)| count < least) {
                best = Some((count, part, bounds));
            }
        }
        let Some((count, part, bounds)) = best else {
            return Err(if self.is_variable(store, target) { Doubt::Writable } else { Doubt::Unbounded });
        };
        let mut found = Vec::new();
        let mask = store.mask(part);
        for number in (0..count).map(|distance| bounds.low + distance).filter(|number| number & !mask == 0) {
            let value = Bits::from_u64(number, store.width(part));
            let mut evaluation =
                Evaluation { program: self.program, store, part, value, known: FxHashMap::default() };
            let impossible = |(condition, holds): &(Expression, bool)| {
                evaluation.number(*condition, 0).is_some_and(|number| (number == 1) != *holds)
            };
            if conditions.iter().any(impossible) {
                continue;
            }
            let Some(address) = evaluation.number(target, 0) else { return Err(Doubt::Unbounded) };
            let read: Option<Vec<(Location, u64)>> =
                modes.iter().map(|(at, mode)| Some((*at, evaluation.number(*mode, 0)?))).collect();
            let context = match read {
                Some(read) if !read.is_empty() => {
                    self.program.architecture().computed_context(flowing, |location, _| {
                        read.iter().find(|(at, _)| *at == location).map_or(0, |(_, number)| *number)
                    })
                }
                _ => flowing,
            };
            if self.program.is_code(address) {
                found.push(Place::new(address, context));
            }
        }
        Ok(found)
    }

    /// Whether an expression is known once a part of it is.
    fn depends_only(&self, store: &Store, whole: Expression, part: Expression) -> bool {
        let mut seen = vec![part];
        let mut stack = vec![whole];
        while let Some(expression) = stack.pop() {
            if seen.contains(&expression) {
                continue;
            }
            seen.push(expression);
            match store.form(expression) {
                Form::Initial { .. } | Form::Unknown(..) => return false,
                // A place that is fixed is known; one at a constant address that is not fixed never will be.
                Form::Loaded { address, space, .. }
                    if *space != self.program.code_space() || store.number(*address).is_some() =>
                {
                    return false;
                }
                _ => stack.extend(store.parts(expression)),
            }
        }
        true
    }

    /// Whether an expression is read from a table that never changes, so that what it is read at is the better index.
    fn is_table(&self, store: &Store, part: Expression) -> bool {
        let Form::Loaded { address, space, .. } = store.form(part) else { return false };
        let (_, addend) = store.split(*address);
        *space == self.program.code_space() && self.program.fixed(addend, Width::W8).is_some()
    }

    /// Whether a target is read from a place that the program may write.
    fn is_variable(&self, store: &Store, target: Expression) -> bool {
        parts(store, target).into_iter().any(|part| {
            matches!(store.form(part), Form::Loaded { address, .. } if store.number(*address).is_some())
        })
    }
}

/// The parts of an expression, itself included.
fn parts(store: &Store, whole: Expression) -> Vec<Expression> {
    let mut parts = vec![whole];
    let mut next = 0;
    while let Some(part) = parts.get(next).copied() {
        next += 1;
        for inner in store.parts(part) {
            if parts.len() < PARTS && store.number(inner).is_none() && !parts.contains(&inner) {
                parts.push(inner);
            }
        }
    }
    parts
}

/// What expressions are if one part has a value.
struct Evaluation<'e> {
    program: &'e Program<'e>,
    store: &'e Store,
    part: Expression,
    value: Bits,
    known: FxHashMap<Expression, Option<Bits>>,
}

impl Evaluation<'_> {
    fn number(&mut self, expression: Expression, depth: u32) -> Option<u64> {
        self.bits(expression, depth)?.to_u64()
    }

    fn bits(&mut self, expression: Expression, depth: u32) -> Option<Bits> {
        if expression == self.part {
            return Some(self.value.clone());
        }
        if depth > DEPTH {
            return None;
        }
        if let Some(known) = self.known.get(&expression) {
            return known.clone();
        }
        let bits = match self.store.form(expression) {
            Form::Constant(bits) => Some(bits.clone()),
            Form::Initial { .. } | Form::Unknown(..) => None,
            Form::Loaded { space, address, width, .. } => {
                let is_code = *space == self.program.code_space();
                let address = self.number(*address, depth + 1).filter(|_| is_code);
                let read = address.and_then(|address| self.program.fixed(address, *width));
                read.map(|number| Bits::from_u64(number, *width))
            }
            Form::Computed { op, width, arguments } => {
                let arguments: Option<Vec<Bits>> =
                    arguments[..op.arity()].iter().map(|argument| self.bits(*argument, depth + 1)).collect();
                arguments.map(|arguments| op.apply(*width, &arguments))
            }
        };
        self.known.insert(expression, bits.clone());
        bits
    }
}

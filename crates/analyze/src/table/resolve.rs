//! Finds the targets of one computed jump.

use super::bounds::Bounds;
use super::evaluation::Evaluation;
use super::expression::{Expression, Form, Store};
use super::reaching::{Holder, Reaching, with_each};
use super::walk::Walk;
use crate::graph::{BlockId, Doubt, Edge, Evidence, Graph, Limits, Reason, Saturation};
use crate::program::Program;
use everypath_ir::{Algebra, Bits, Context, ExitKind, Location, Place, SpaceKind, Width};
use everypath_lift::Session;
use everypath_machine::{Nobody, ReadyBlock, WayTarget, run_block};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::collections::BTreeMap;
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
/// A value that only its width bounds is believed to be an index up to this many.
const BY_WIDTH: u64 = 256;

/// Blocks that were lifted for one jump, by place and end: the jumps of a function have most of them in common.
pub(crate) type Lifted = FxHashMap<(Place, u64), Option<Arc<everypath_ir::Block>>>;

/// So many lifted blocks are kept.
const LIFTED: usize = 16_384;

/// What is asked: about which exit of which block.
#[derive(Clone, Copy)]
pub(crate) struct Question<'q> {
    pub(crate) block: BlockId,
    pub(crate) exit: u8,
    pub(crate) limits: Limits,
    /// Where functions begin.
    pub(crate) entries: &'q BTreeMap<Place, Evidence>,
    /// Addresses of data that instructions compute with.
    pub(crate) anchors: &'q FxHashSet<u64>,
    /// Addresses of code that stand next to each other in data, in order.
    pub(crate) labels: &'q [u64],
    /// Whether most functions are known.
    pub(crate) is_late: bool,
}

/// Finds the targets of a computed exit.
pub(crate) fn resolve<'p>(
    program: &'p Program<'p>,
    session: &mut Session<'p>,
    lifted: &mut Lifted,
    graph: &Graph,
    question: Question<'_>,
) -> Found {
    let Question { block, exit, limits, entries, anchors, labels, is_late } = question;
    let mut search = Search {
        program,
        session,
        graph,
        exit,
        limits,
        entries,
        anchors,
        is_late,
        belief: Belief::Proved,
        lifted,
        effects: FxHashMap::default(),
        reached: FxHashMap::default(),
    };
    let mut found = search.all_ways(block);
    let is_open =
        |found: &Found| matches!(found.state, Saturation::Unsaturated(Doubt::TooManyWays | Doubt::Unbounded));
    if !is_open(&found) || search.is_call(block) {
        let is_variable = found.state == Saturation::Unsaturated(Doubt::Writable);
        if is_variable && found.targets.is_empty() && !search.is_call(block) {
            found.targets = search.labels_at_home(block, labels);
        }
        return found;
    }
    // Nothing bounds the index but its width: a table for every byte has no check before it.
    if found.targets.is_empty() {
        search.belief = Belief::Width;
        let wide = search.all_ways(block);
        if wide.state.is_saturated() && !wide.targets.is_empty() && search.are_near(block, &wide.targets) {
            return wide;
        }
    }
    search.belief = Belief::Half;
    let half = search.all_ways(block);
    if !is_open(&half) && !half.targets.is_empty() && search.are_home(block, &half.targets) {
        found.targets.extend(half.targets);
    } else {
        found.targets.extend(search.scan(block));
    }
    if found.targets.is_empty() {
        found.targets = search.labels_at_home(block, labels);
    }
    found.targets.sort_unstable();
    found.targets.dedup();
    found
}

/// What counts as a bound.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Belief {
    /// Only what is certain.
    Proved,
    /// Also the width of a value.
    Width,
    /// Also what is known of the lower half of a value: the upper one is often clear, by what was done far before.
    Half,
}

/// A block of a way, and the edge by which it is left; the last one has none.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub(super) block: BlockId,
    pub(super) edge: Option<Edge>,
}

pub(super) struct Search<'s, 'p> {
    pub(super) program: &'p Program<'p>,
    session: &'s mut Session<'p>,
    pub(super) graph: &'s Graph,
    exit: u8,
    limits: Limits,
    /// Where functions begin.
    pub(super) entries: &'s BTreeMap<Place, Evidence>,
    /// Addresses of data that instructions compute with.
    pub(super) anchors: &'s FxHashSet<u64>,
    /// Whether most functions are known.
    pub(super) is_late: bool,
    belief: Belief,
    lifted: &'s mut Lifted,
    /// What blocks do, each by itself.
    pub(super) effects: FxHashMap<BlockId, Walk<'p>>,
    /// What reaches places at the starts of blocks.
    pub(super) reached: FxHashMap<(BlockId, Holder), Option<Reaching>>,
}

/// Expressions of one bit that hold on a way, or do not.
pub(super) type Conditions = Vec<(Expression, bool)>;

/// The targets by one way.
struct Way {
    targets: Vec<Place>,
    /// Why there might be others.
    doubt: Option<Doubt>,
}

impl<'p> Search<'_, 'p> {
    pub(super) fn block(&mut self, id: BlockId) -> Option<Arc<everypath_ir::Block>> {
        let node = self.graph.block(id);
        let (place, end) = (node.place, node.end);
        if let Some(known) = self.lifted.get(&(place, end)) {
            return known.clone();
        }
        let lifted = self.session.block_until(self.program.image(), place, |next| next.address == end);
        let lifted = lifted.ok().map(Arc::new);
        if self.lifted.len() >= LIFTED {
            self.lifted.clear();
        }
        self.lifted.insert((place, end), lifted.clone());
        lifted
    }

    /// Whether a function begins with a block.
    pub(super) fn is_entry(&self, block: BlockId) -> bool {
        self.entries.contains_key(&self.graph.block(block).place)
    }

    /// Runs a block.
    pub(super) fn pass(&mut self, walk: &mut Walk<'p>, id: BlockId) -> Option<ReadyBlock<Expression>> {
        let layout = self.program.architecture().layout();
        let block = self.block(id)?;
        let mut ready = {
            let store = RefCell::new(&mut walk.store);
            let constant = |bits: &Bits| store.borrow_mut().constant(bits.clone());
            ReadyBlock::new(layout, block, constant, || Expression(0))
        };
        run_block(walk, &mut ready, &mut Nobody).ok()?;
        Some(ready)
    }

    /// What the target of the jump is if a way is taken, and the conditions of the way.
    pub(super) fn run(&mut self, way: &[Step]) -> Option<(Walk<'p>, Expression, Conditions)> {
        let mut walk = Walk::start(self.program);
        if self.belief == Belief::Half {
            let spaces = &self.program.architecture().layout().spaces;
            let registers = spaces.iter().find(|space| space.kind == SpaceKind::Register);
            walk.store.believes_half = registers.map(|space| space.endian);
        }
        let mut conditions = Vec::new();
        for step in way {
            let ready = self.pass(&mut walk, step.block)?;
            let exit = usize::from(step.edge.map_or(self.exit, |edge| edge.exit));
            for way in ready.ways.iter().take(exit + 1) {
                if let Some(guard) = way.guard {
                    conditions.push((ready.values[guard as usize], way.exit == exit));
                }
            }
            match step.edge {
                Some(edge) if edge.kind.is_behind_call() => walk.forget_call(),
                Some(_) => {}
                None => {
                    let WayTarget::Computed(slot, _) = ready.ways.get(exit)?.target else { return None };
                    let target = walk.store.assuming(ready.values[slot as usize], &conditions);
                    return Some((walk, target, conditions));
                }
            }
        }
        None
    }

    /// The targets if this way is taken.
    fn follow(&mut self, way: &[Step]) -> Result<Way, Doubt> {
        let (mut walk, target, conditions) = self.run(way).ok_or(Doubt::Unbounded)?;
        let jump = way.last().ok_or(Doubt::Unbounded)?.block;
        self.targets(&mut walk, target, &conditions, self.flowing(jump), (way[0].block, jump))
    }

    /// The ways with one block more.
    pub(super) fn longer(&self, way: &[Step]) -> Vec<Vec<Step>> {
        let before = self.graph.predecessors(way[0].block).filter(|edge| edge.kind.is_inside());
        let longer = before.map(|edge| {
            let mut longer = Vec::with_capacity(way.len() + 1);
            longer.push(Step { block: edge.from, edge: Some(*edge) });
            longer.extend_from_slice(way);
            longer
        });
        longer.collect()
    }

    /// The targets by every way to the jump.
    fn all_ways(&mut self, block: BlockId) -> Found {
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
                    targets.extend(found.targets);
                    let resumes = |step: &Step| step.edge.is_some_and(|edge| edge.kind.is_behind_call());
                    let resumes = way.iter().any(resumes).then_some(Doubt::Convention);
                    doubt = doubt.or(found.doubt).or(resumes);
                }
                Err(why) => {
                    let head = way[0].block;
                    let longer = self.longer(&way);
                    if way.len() >= LONGEST {
                        doubt = Some(Doubt::TooManyWays);
                    } else if longer.is_empty() || self.is_entry(head) || why == Doubt::Writable {
                        doubt = Some(why);
                    } else {
                        open.extend(longer);
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

    pub(super) fn flowing(&self, block: BlockId) -> Context {
        let dynamic = self.graph.dynamics_of(block).iter().find(|dynamic| dynamic.exit == self.exit);
        dynamic.map_or_else(|| self.program.architecture().default_context(), |dynamic| dynamic.context)
    }

    /// The targets that an expression stands for under some conditions.
    fn targets(
        &mut self,
        walk: &mut Walk<'p>,
        target: Expression,
        conditions: &[(Expression, bool)],
        flowing: Context,
        (head, jump): (BlockId, BlockId),
    ) -> Result<Way, Doubt> {
        let modes = self.program.architecture().description().modes.iter();
        let modes =
            modes.filter_map(|mode| self.program.architecture().register(mode.source.register.as_ref()?));
        let modes: Vec<(Location, Expression)> = modes
            .filter_map(|(location, width)| {
                let held = walk.held(location, width)?;
                Some((location, walk.store.assuming(held, conditions)))
            })
            .collect();
        let store = &walk.store;
        let parts = store.all_parts(target);
        let (variants, by_convention) = self.variants(walk, target, head);
        let known: Vec<Expression> = variants[0].iter().map(|(leaf, _)| *leaf).collect();
        let mut best: Option<(u64, Expression, Bounds)> = None;
        for part in parts.iter().copied() {
            if store.width(part) > Width::W64 || !self.depends_only(store, target, Some(part), &known) {
                continue;
            }
            let range = store.range(part, 0);
            let said = conditions.iter().map(|(condition, holds)| store.bounds(*condition, *holds, part, 0));
            let bounds = said.fold(range, Bounds::and);
            let Some(count) = bounds.count() else { continue };
            // What nothing but its own form bounds is an index only if that form is a mask, or at last by its width.
            let by_form = bounds == range && count > 1;
            let choices = 1_u64.checked_shl(store.mask(part).count_ones()).unwrap_or(count).min(count);
            let is_masked = store.is_masked(part) && choices < BY_WIDTH;
            let by_width = self.belief == Belief::Width && count <= BY_WIDTH && !self.is_table(store, part);
            if by_form && !is_masked && !by_width {
                continue;
            }
            if count <= self.limits.targets as u64 && best.is_none_or(|(least, _, _)| count < least) {
                best = Some((count, part, bounds));
            }
        }
        // What is known already needs no index.
        if !known.is_empty() && self.depends_only(store, target, None, &known) {
            let one = store.range(store.fixed_part(), 0);
            best = Some((1, store.fixed_part(), one));
        }
        let Some((count, part, bounds)) = best else {
            // What a table is asked with may be read once more where it is compared.
            let is_looked_up = parts.iter().any(|part| self.is_table(store, *part));
            let is_final = !is_looked_up && self.is_variable(store, target);
            return Err(if is_final { Doubt::Writable } else { Doubt::Unbounded });
        };
        let given = self.given(walk, conditions, head);
        let store = &walk.store;
        let mut found = Vec::new();
        // What the file has nothing at may be another file's, or the operating system's.
        let mut outside = Vec::new();
        let mask = store.mask(part);
        let numbers = (0..count).map(|distance| bounds.low + distance).filter(|number| number & !mask == 0);
        let tables = innermost_tables(store, &parts, part);
        let is_compared = bounds != store.range(part, 0);
        let mut is_cut = false;
        let mut is_linked = false;
        // How many were found before what seems to be another table.
        let mut before = None;
        for (number, variant) in
            numbers.flat_map(|number| variants.iter().map(move |variant| (number, variant)))
        {
            let mut evaluation = Evaluation::new(self.program, store);
            given.iter().chain(variant).for_each(|(leaf, value)| evaluation.set(*leaf, *value));
            evaluation.set(part, number);
            // Where another table begins this one ends, although its bound is farther; and nothing lies before it.
            let places = tables.iter().filter_map(|(address, size)| {
                let at = evaluation.number(*address, 0)?;
                Some((at, self.base(store, *address, (*size, 1), variant)?))
            });
            let places: Vec<(u64, u64)> = places.collect();
            if places.iter().any(|(at, base)| at < base) {
                is_cut = true;
                continue;
            }
            let begins = |(at, base): &(u64, u64)| base != at && self.anchors.contains(at);
            if number > bounds.low && before.is_none() && places.iter().any(begins) {
                if !is_compared {
                    is_cut = true;
                    break;
                }
                before = Some(found.len());
            }
            let impossible = |(condition, holds): &(Expression, bool)| {
                evaluation.number(*condition, 0).is_some_and(|number| (number == 1) != *holds)
            };
            if conditions.iter().any(impossible) {
                continue;
            }
            let Some(address) = evaluation.number(target, 0) else { return Err(Doubt::Unbounded) };
            is_linked |= evaluation.by_convention;
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
            // A mask often allows more than a table has: it ends where it leaves the function.
            let leaves = |first: &Place| self.is_home(jump, first.address) && !self.is_near(jump, address);
            if !is_compared && found.first().is_some_and(leaves) {
                is_cut = true;
                break;
            }
            if self.program.is_code(address) {
                found.push(Place::new(address, context));
            } else if self.program.image().segment_at(address).is_none() {
                outside.push(Place::new(address, context));
            }
        }
        // Others may name an address inside a table; what is compared with its end stays inside the function.
        if let Some(before) = before.filter(|before| !self.are_home(jump, &found[*before..])) {
            found.truncate(before);
            is_cut = true;
        }
        let by_convention =
            (by_convention || walk.by_convention || is_cut || is_linked).then_some(Doubt::Convention);
        let is_read = self.is_variable(store, part).then_some(Doubt::Writable);
        let is_outside = (!outside.is_empty()).then_some(Doubt::Outside);
        if found.is_empty() && outside.len() == 1 {
            found = outside;
        }
        Ok(Way { targets: found, doubt: by_convention.or(is_read).or(is_outside) })
    }

    /// What the conditions of a way depend on and is known where it starts: a loop over constants ends somewhere.
    fn given(
        &mut self,
        walk: &Walk<'p>,
        conditions: &[(Expression, bool)],
        head: BlockId,
    ) -> Vec<(Expression, u64)> {
        let mut given = Vec::new();
        for (condition, _) in conditions {
            for (part, holder) in self.holders(walk, *condition, head, 0) {
                let values = holder.and_then(|holder| self.reaching(head, holder, 0));
                if let Some(values) = values.filter(|values| values.values.len() == 1) {
                    given.extend(values.values.first().map(|value| (part, *value)));
                }
            }
        }
        given
    }

    /// What is known of the places that a target depends on at the start of a way: each with its value, in all variants.
    /// Of two places with several values nobody knows which go together: only one may have them.
    pub(super) fn variants(
        &mut self,
        walk: &Walk<'p>,
        target: Expression,
        head: BlockId,
    ) -> (Vec<Vec<(Expression, u64)>>, bool) {
        let mut variants = vec![Vec::new()];
        let mut by_convention = false;
        for (part, holder) in self.holders(walk, target, head, 0) {
            let Some(values) = holder.and_then(|holder| self.reaching(head, holder, 0)) else { continue };
            if values.values.is_empty() || (values.values.len() > 1 && variants.len() > 1) {
                continue;
            }
            if let Some(longer) = with_each(&variants, part, &values.values) {
                variants = longer;
                by_convention |= values.by_convention;
            }
        }
        (variants, by_convention)
    }

    /// Whether an expression is known once a part of it is.
    pub(super) fn depends_only(
        &self,
        store: &Store,
        whole: Expression,
        part: Option<Expression>,
        known: &[Expression],
    ) -> bool {
        let mut seen = known.to_vec();
        seen.extend(part);
        let mut stack = vec![whole];
        while let Some(expression) = stack.pop() {
            if seen.contains(&expression) {
                continue;
            }
            seen.push(expression);
            match store.form(expression) {
                Form::Initial { .. } | Form::Unknown(..) => return false,
                // A place that is fixed is known; one at a constant address that is not fixed never will be, unless the
                // linker computed it.
                Form::Loaded { address, space, width, .. }
                    if *space != self.program.code_space()
                        || store
                            .number(*address)
                            .is_some_and(|address| self.program.linked(address, *width).is_none()) =>
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
        store.all_parts(target).into_iter().any(|part| match store.form(part) {
            Form::Loaded { address, width, .. } => {
                let address = store.number(*address);
                address.is_some_and(|address| self.program.linked(address, *width).is_none())
            }
            _ => false,
        })
    }
}

/// The addresses at which an index is looked up itself, not what was looked up with it; and the size of what lies there.
fn innermost_tables(store: &Store, parts: &[Expression], index: Expression) -> Vec<(Expression, u64)> {
    let is_loaded = |part: &Expression| *part != index && matches!(store.form(*part), Form::Loaded { .. });
    let addresses = parts.iter().filter_map(|part| match store.form(*part) {
        Form::Loaded { address, width, .. } if *part != index => Some((*address, width.bytes() as u64)),
        _ => None,
    });
    addresses
        .filter(|(address, _)| {
            let inner = store.all_parts(*address);
            inner.contains(&index)
                && !inner.iter().any(|part| is_loaded(part) && store.all_parts(*part).contains(&index))
        })
        .collect()
}

//! Resolves one indirect exit: enumerates backward paths, executes each symbolically, and enumerates the targets.

use super::bounds::IndexBounds;
use super::evaluation::Evaluation;
use super::expression::{Expression, Form, Store};
use super::reaching::{Reaching, StorageLocation, with_each};
use super::walk::Walk;
use crate::graph::{
    BlockId, Edge, Evidence, Graph, GraphLimits, Resolution, ResolutionEvidence, UnresolvedReason,
};
use crate::program::Program;
use everypath_ir::{Algebra, Bits, Context, ExitKind, Location, Place, SpaceKind, Width};
use everypath_lift::LiftSession;
use everypath_machine::{NoWatch, ReadyBlock, ReadyTarget, run_block};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The targets found, and whether the exit is fully resolved.
pub(crate) struct JumpTable {
    pub(crate) targets: Vec<Place>,
    pub(crate) state: Resolution,
}

/// Maximum length of a path in blocks, and maximum number of paths per jump.
const LONGEST: usize = 12;
const MAX_PATHS: usize = 96;
const MAX_PATHS_UNRESOLVED: usize = 12;
/// A value bounded only by its width may be taken as an index up to this count.
const BY_WIDTH: u64 = 256;

/// Cache of lifted blocks, keyed by place and end: the jumps of a function share most of them.
pub(crate) type Lifted = FxHashMap<(Place, u64), Option<Arc<everypath_ir::Block>>>;

/// Maximum number of cached blocks.
const LIFTED: usize = 16_384;

/// A query: the exit to resolve, and what recovery knows so far.
#[derive(Clone, Copy)]
pub(crate) struct JumpQuery<'q> {
    pub(crate) block: BlockId,
    pub(crate) exit: u8,
    pub(crate) limits: GraphLimits,
    /// Function entries.
    pub(crate) entries: &'q BTreeMap<Place, Evidence>,
    /// Data addresses that instructions compute with.
    pub(crate) anchors: &'q FxHashSet<u64>,
    /// Code addresses that are next to each other in data, sorted.
    pub(crate) labels: &'q [u64],
    /// True once most functions are known.
    pub(crate) is_late: bool,
}

/// Finds the targets of an indirect exit.
pub(crate) fn resolve<'p>(
    program: &'p Program<'p>,
    session: &mut LiftSession<'p>,
    lifted: &mut Lifted,
    graph: &Graph,
    question: JumpQuery<'_>,
) -> JumpTable {
    let JumpQuery { block, exit, limits, entries, anchors, labels, is_late } = question;
    let mut search = JumpTableResolver {
        program,
        session,
        graph,
        exit,
        limits,
        entries,
        anchors,
        is_late,
        belief: BoundTrust::Proved,
        lifted,
        effects: FxHashMap::default(),
        reached: FxHashMap::default(),
    };
    let mut found = search.all_paths(block);
    let is_open = |found: &JumpTable| {
        matches!(
            found.state,
            Resolution::Unsaturated(UnresolvedReason::TooManyPaths | UnresolvedReason::Unbounded)
        )
    };
    if !is_open(&found) || search.is_call(block) {
        let is_variable = found.state == Resolution::Unsaturated(UnresolvedReason::Writable);
        if is_variable && found.targets.is_empty() && !search.is_call(block) {
            found.targets = search.labels_at_home(block, labels);
        }
        return found;
    }
    // Only the width bounds the index: a table indexed by any byte needs no check.
    if found.targets.is_empty() {
        search.belief = BoundTrust::Width;
        let wide = search.all_paths(block);
        if wide.state.is_saturated() && !wide.targets.is_empty() && search.are_near(block, &wide.targets) {
            return wide;
        }
    }
    search.belief = BoundTrust::Half;
    let half = search.all_paths(block);
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

/// Heuristic bounds to accept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BoundTrust {
    /// Proven bounds only.
    Proved,
    /// Also the width of the value.
    Width,
    /// Also bounds on the lower half of a value: earlier code has often cleared the upper half.
    Half,
}

/// A block of a path, and the edge by which it is left; `None` for the last one.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub(super) block: BlockId,
    pub(super) edge: Option<Edge>,
}

pub(super) struct JumpTableResolver<'s, 'p> {
    pub(super) program: &'p Program<'p>,
    session: &'s mut LiftSession<'p>,
    pub(super) graph: &'s Graph,
    exit: u8,
    limits: GraphLimits,
    /// Function entries.
    pub(super) entries: &'s BTreeMap<Place, Evidence>,
    /// Data addresses that instructions compute with.
    pub(super) anchors: &'s FxHashSet<u64>,
    /// True once most functions are known.
    pub(super) is_late: bool,
    belief: BoundTrust,
    lifted: &'s mut Lifted,
    /// Symbolic effects of single blocks.
    pub(super) effects: FxHashMap<BlockId, Walk<'p>>,
    /// Cached reaching constants at the starts of blocks.
    pub(super) reached: FxHashMap<(BlockId, StorageLocation), Option<Reaching>>,
}

/// The path condition: one-bit expressions that hold or fail.
pub(super) type Conditions = Vec<(Expression, bool)>;

/// The targets along one path.
struct PathTargets {
    targets: Vec<Place>,
    /// Why there may be others.
    doubt: Option<UnresolvedReason>,
}

impl<'p> JumpTableResolver<'_, 'p> {
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

    /// Returns true if a block is a function entry.
    pub(super) fn is_entry(&self, block: BlockId) -> bool {
        self.entries.contains_key(&self.graph.block(block).place)
    }

    /// Executes a block symbolically.
    pub(super) fn pass(&mut self, walk: &mut Walk<'p>, id: BlockId) -> Option<ReadyBlock<Expression>> {
        let layout = self.program.architecture().layout();
        let block = self.block(id)?;
        let mut ready = {
            let store = RefCell::new(&mut walk.store);
            let constant = |bits: &Bits| store.borrow_mut().constant(bits.clone());
            ReadyBlock::new(layout, block, constant, || Expression(0))
        };
        run_block(walk, &mut ready, &mut NoWatch).ok()?;
        Some(ready)
    }

    /// Executes a path symbolically. Returns the target expression and the path condition.
    pub(super) fn run(&mut self, path: &[Step]) -> Option<(Walk<'p>, Expression, Conditions)> {
        let mut walk = Walk::start(self.program);
        if self.belief == BoundTrust::Half {
            let spaces = &self.program.architecture().layout().spaces;
            let registers = spaces.iter().find(|space| space.kind == SpaceKind::Register);
            walk.store.believes_half = registers.map(|space| space.endian);
        }
        let mut conditions = Vec::new();
        for step in path {
            let ready = self.pass(&mut walk, step.block)?;
            let exit = usize::from(step.edge.map_or(self.exit, |edge| edge.exit));
            for out in ready.exits.iter().take(exit + 1) {
                if let Some(guard) = out.guard {
                    conditions.push((ready.values[guard as usize], out.exit == exit));
                }
            }
            match step.edge {
                Some(edge) if edge.kind.is_behind_call() => walk.forget_call(),
                Some(_) => {}
                None => {
                    let ReadyTarget::Computed(slot, _) = ready.exits.get(exit)?.target else { return None };
                    let target = walk.store.assuming(ready.values[slot as usize], &conditions);
                    return Some((walk, target, conditions));
                }
            }
        }
        None
    }

    /// The targets along one path.
    fn follow(&mut self, path: &[Step]) -> Result<PathTargets, UnresolvedReason> {
        let (mut walk, target, conditions) = self.run(path).ok_or(UnresolvedReason::Unbounded)?;
        let jump = path.last().ok_or(UnresolvedReason::Unbounded)?.block;
        self.targets(&mut walk, target, &conditions, self.flowing(jump), (path[0].block, jump))
    }

    /// The path, extended by each predecessor of its first block.
    pub(super) fn longer(&self, path: &[Step]) -> Vec<Vec<Step>> {
        let before = self.graph.predecessors(path[0].block).filter(|edge| edge.kind.is_inside());
        let longer = before.map(|edge| {
            let mut longer = Vec::with_capacity(path.len() + 1);
            longer.push(Step { block: edge.from, edge: Some(*edge) });
            longer.extend_from_slice(path);
            longer
        });
        longer.collect()
    }

    /// The targets along all paths to the jump; paths grow backward until each bounds the target.
    fn all_paths(&mut self, block: BlockId) -> JumpTable {
        let mut targets = Vec::new();
        let mut doubt = None;
        let mut open: Vec<Vec<Step>> = vec![vec![Step { block, edge: None }]];
        let mut tried = 0;
        let is_call = self.is_call(block);
        while let Some(path) = open.pop() {
            tried += 1;
            // Calls seldom use a table; and once one path is unbounded, the exit stays unresolved.
            if tried
                > if is_call || (doubt.is_some() && targets.is_empty()) {
                    MAX_PATHS_UNRESOLVED
                } else {
                    MAX_PATHS
                }
            {
                doubt = Some(UnresolvedReason::TooManyPaths);
                break;
            }
            match self.follow(&path) {
                Ok(found) => {
                    targets.extend(found.targets);
                    let resumes = |step: &Step| step.edge.is_some_and(|edge| edge.kind.is_behind_call());
                    let resumes = path.iter().any(resumes).then_some(UnresolvedReason::Convention);
                    doubt = doubt.or(found.doubt).or(resumes);
                }
                Err(why) => {
                    let head = path[0].block;
                    let longer = self.longer(&path);
                    if path.len() >= LONGEST {
                        doubt = Some(UnresolvedReason::TooManyPaths);
                    } else if longer.is_empty() || self.is_entry(head) || why == UnresolvedReason::Writable {
                        doubt = Some(why);
                    } else {
                        open.extend(longer);
                    }
                }
            }
        }
        targets.sort_unstable();
        targets.dedup();
        let state = doubt.map_or(Resolution::Saturated(ResolutionEvidence::Table), Resolution::Unsaturated);
        // Targets along only some of the paths are still possible targets.
        JumpTable { targets, state }
    }

    fn is_call(&self, block: BlockId) -> bool {
        let mut exits = self.graph.dynamics_of(block).iter();
        exits.any(|dynamic| dynamic.exit == self.exit && dynamic.kind == ExitKind::Call)
    }

    pub(super) fn flowing(&self, block: BlockId) -> Context {
        let dynamic = self.graph.dynamics_of(block).iter().find(|dynamic| dynamic.exit == self.exit);
        dynamic.map_or_else(|| self.program.architecture().default_context(), |dynamic| dynamic.context)
    }

    /// The targets that an expression denotes under a path condition.
    fn targets(
        &mut self,
        walk: &mut Walk<'p>,
        target: Expression,
        conditions: &[(Expression, bool)],
        flowing: Context,
        (head, jump): (BlockId, BlockId),
    ) -> Result<PathTargets, UnresolvedReason> {
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
        let mut best: Option<(u64, Expression, IndexBounds)> = None;
        for part in parts.iter().copied() {
            if store.width(part) > Width::W64 || !self.depends_only(store, target, Some(part), &known) {
                continue;
            }
            let range = store.range(part, 0);
            let said = conditions.iter().map(|(condition, holds)| store.bounds(*condition, *holds, part, 0));
            let bounds = said.fold(range, IndexBounds::and);
            let Some(count) = bounds.count() else { continue };
            // A part that only its own form bounds is an index only if it is masked or, as a last resort, narrow.
            let by_form = bounds == range && count > 1;
            let choices = 1_u64.checked_shl(store.mask(part).count_ones()).unwrap_or(count).min(count);
            let is_masked = store.is_masked(part) && choices < BY_WIDTH;
            let by_width =
                self.belief == BoundTrust::Width && count <= BY_WIDTH && !self.is_table(store, part);
            if by_form && !is_masked && !by_width {
                continue;
            }
            if count <= self.limits.targets as u64 && best.is_none_or(|(least, _, _)| count < least) {
                best = Some((count, part, bounds));
            }
        }
        // A target that known constants determine needs no index.
        if !known.is_empty() && self.depends_only(store, target, None, &known) {
            let one = store.range(store.fixed_part(), 0);
            best = Some((1, store.fixed_part(), one));
        }
        let Some((count, part, bounds)) = best else {
            // The table index may be loaded again on a longer path, where it is compared.
            let is_looked_up = parts.iter().any(|part| self.is_table(store, *part));
            let is_final = !is_looked_up && self.is_variable(store, target);
            return Err(if is_final { UnresolvedReason::Writable } else { UnresolvedReason::Unbounded });
        };
        let (given, given_by_convention) = self.given(walk, conditions, head);
        let store = &walk.store;
        let mut found = Vec::new();
        // An address outside the file may belong to another file or to the operating system.
        let mut outside = Vec::new();
        let mask = store.mask(part);
        let numbers = (0..count).map(|distance| bounds.low + distance).filter(|number| number & !mask == 0);
        let tables = innermost_tables(store, &parts, part);
        let is_compared = bounds != store.range(part, 0);
        let mut is_cut = false;
        let mut is_linked = false;
        // Number of targets before what seems to be the next table.
        let mut before = None;
        for (number, variant) in
            numbers.flat_map(|number| variants.iter().map(move |variant| (number, variant)))
        {
            let mut evaluation = Evaluation::new(self.program, store);
            given.iter().chain(variant).for_each(|(leaf, value)| evaluation.set(*leaf, *value));
            evaluation.set(part, number);
            // A table ends where another begins, even if its bound is larger; no entry is before its base.
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
            // An index excluded only by convention may still occur.
            if conditions.iter().any(impossible) {
                is_linked |= evaluation.by_convention || given_by_convention;
                continue;
            }
            let Some(address) = evaluation.number(target, 0) else { return Err(UnresolvedReason::Unbounded) };
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
            // A mask often allows more than the table has: stop where entries leave the function.
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
        // Other code may name an address inside this table: cut there only if later entries leave the function.
        if let Some(before) = before.filter(|before| !self.are_home(jump, &found[*before..])) {
            found.truncate(before);
            is_cut = true;
        }
        let by_convention = (by_convention || walk.by_convention || is_cut || is_linked)
            .then_some(UnresolvedReason::Convention);
        let is_read = self.is_variable(store, part).then_some(UnresolvedReason::Writable);
        let is_outside = (!outside.is_empty()).then_some(UnresolvedReason::Outside);
        if found.is_empty() && outside.len() == 1 {
            found = outside;
        }
        Ok(PathTargets { targets: found, doubt: by_convention.or(is_read).or(is_outside) })
    }

    /// Constants at the start of a path that its conditions depend on: a loop over constants ends somewhere.
    fn given(
        &mut self,
        walk: &Walk<'p>,
        conditions: &[(Expression, bool)],
        head: BlockId,
    ) -> (Vec<(Expression, u64)>, bool) {
        let mut given = Vec::new();
        let mut by_convention = false;
        for (condition, _) in conditions {
            for (part, holder) in self.holders(walk, *condition, head, 0) {
                let values = holder.and_then(|holder| self.reaching(head, holder, 0));
                if let Some(values) = values.filter(|values| values.values.len() == 1) {
                    by_convention |= values.by_convention;
                    given.extend(values.values.first().map(|value| (part, *value)));
                }
            }
        }
        (given, by_convention)
    }

    /// Assignments of reaching constants to the initial values that a target depends on. Correlations are unknown, so
    /// at most one of them may have several constants.
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

    /// Returns true if an expression is determined by a part of it and by known leaves.
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
                // Constant memory is known; other memory at a constant address is not, unless it is in a linker-made
                // table.
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

    /// Returns true if an expression is loaded from a constant table, so that the table's index is the better one.
    fn is_table(&self, store: &Store, part: Expression) -> bool {
        let Form::Loaded { address, space, .. } = store.form(part) else { return false };
        let (_, addend) = store.split(*address);
        *space == self.program.code_space() && self.program.fixed(addend, Width::W8).is_some()
    }

    /// Returns true if a target is read from a variable that the program may write.
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

/// The load addresses that use an index directly, not through another load, with the size of each entry.
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

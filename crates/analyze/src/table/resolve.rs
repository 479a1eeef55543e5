//! Resolves one indirect exit: enumerates backward paths, executes each symbolically, and enumerates the targets.

use super::expression::{Expression, Form, Store};
use super::reaching::{Reaching, StorageLocation, with_each};
use super::walk::Walk;
use crate::graph::{
    BlockId, Edge, Evidence, Graph, GraphLimits, Resolution, ResolutionEvidence, UnresolvedReason,
};
use crate::program::Program;
use everypath_ir::{Algebra, Bits, Context, ExitKind, Place, SpaceKind, Width};
use everypath_lift::LiftSession;
use everypath_machine::{ReadyBlock, ReadyTarget, run_steps};
use rustc_hash::{FxHashMap, FxHashSet};
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
pub(super) const BY_WIDTH: u64 = 256;

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
pub(super) enum BoundTrust {
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
    pub(super) limits: GraphLimits,
    /// Function entries.
    pub(super) entries: &'s BTreeMap<Place, Evidence>,
    /// Data addresses that instructions compute with.
    pub(super) anchors: &'s FxHashSet<u64>,
    /// True once most functions are known.
    pub(super) is_late: bool,
    pub(super) belief: BoundTrust,
    lifted: &'s mut Lifted,
    /// Symbolic effects of single blocks.
    pub(super) effects: FxHashMap<BlockId, Walk<'p>>,
    /// Cached reaching constants at the starts of blocks.
    pub(super) reached: FxHashMap<(BlockId, StorageLocation), Option<Reaching>>,
}

/// The path condition: one-bit expressions that hold or fail.
pub(super) type Conditions = Vec<(Expression, bool)>;

/// The targets along one path.
pub(super) struct PathTargets {
    pub(super) targets: Vec<Place>,
    /// Why there may be others.
    pub(super) doubt: Option<UnresolvedReason>,
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
        let constant = |bits: &Bits| walk.store.constant(bits.clone());
        let mut ready = ReadyBlock::new(layout, block, constant, || Expression(0));
        run_steps(walk, &mut ready).ok()?;
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
    pub(super) fn is_table(&self, store: &Store, part: Expression) -> bool {
        let Form::Loaded { address, space, .. } = store.form(part) else { return false };
        let (_, addend) = store.split(*address);
        *space == self.program.code_space() && self.program.fixed(addend, Width::W8).is_some()
    }

    /// Returns true if a target is read from a variable that the program may write.
    pub(super) fn is_variable(&self, store: &Store, target: Expression) -> bool {
        store.all_parts(target).into_iter().any(|part| match store.form(part) {
            Form::Loaded { address, width, .. } => {
                let address = store.number(*address);
                address.is_some_and(|address| self.program.linked(address, *width).is_none())
            }
            _ => false,
        })
    }
}

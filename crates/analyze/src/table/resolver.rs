//! The state of jump-table recovery for one indirect exit: symbolic execution of paths, with what they share.

use super::expression::{Expression, Form, Store};
use super::storage::{Reaching, StorageLocation};
use super::walk::Walk;
use crate::graph::{BlockId, Edge, EdgeOrigin, Evidence, Graph, UnresolvedReason};
use crate::program::Program;
use everypath_ir::{Algebra, Bits, Context, ExitKind, Place, SpaceKind, Width};
use everypath_lift::LiftSession;
use everypath_machine::{ReadyBlock, ReadyTarget, run_steps};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A value bounded only by its width may be taken as an index up to this count.
pub(super) const BY_WIDTH: u64 = 256;

/// Cache of lifted blocks, keyed by place and end: the jumps of a function share most of them.
pub(crate) type Lifted = FxHashMap<(Place, u64), Option<Arc<everypath_ir::Block>>>;

/// Maximum number of cached blocks.
const LIFTED: usize = 16_384;

/// Maximum number of blocks in the search for the function of a block.
const REGION: usize = 4096;

/// A query: the exit to resolve, and what recovery knows so far.
#[derive(Clone, Copy)]
pub(crate) struct JumpQuery<'q> {
    pub(crate) block: BlockId,
    pub(crate) exit: u8,
    /// Maximum number of targets.
    pub(crate) max_targets: u64,
    /// Function entries.
    pub(crate) entries: &'q BTreeMap<Place, Evidence>,
    /// Data addresses that instructions compute with.
    pub(crate) anchors: &'q FxHashSet<u64>,
    /// Code addresses that are next to each other in data, sorted.
    pub(crate) labels: &'q [u64],
    /// Code addresses that instructions compute with.
    pub(crate) pointers: &'q FxHashSet<u64>,
    /// Code addresses in data.
    pub(crate) data_pointers: &'q FxHashSet<u64>,
    /// True once most functions are known.
    pub(crate) is_late: bool,
}

/// The heuristic by which a bound is accepted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum BoundHeuristic {
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

/// The state of one query: what it asks, and caches that its paths share.
pub(super) struct JumpTableResolver<'s, 'p> {
    pub(super) program: &'p Program<'p>,
    session: &'s mut LiftSession<'p>,
    pub(super) graph: &'s Graph,
    exit: u8,
    /// Maximum number of targets.
    pub(super) max_targets: u64,
    /// Function entries.
    pub(super) entries: &'s BTreeMap<Place, Evidence>,
    /// Data addresses that instructions compute with.
    pub(super) anchors: &'s FxHashSet<u64>,
    /// Code addresses that instructions compute with, and those in data.
    pointers: [&'s FxHashSet<u64>; 2],
    /// True once most functions are known.
    pub(super) is_late: bool,
    pub(super) heuristic: BoundHeuristic,
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
    pub(super) reason: Option<UnresolvedReason>,
    /// True if nothing from before the path was needed.
    pub(super) is_self_contained: bool,
}

impl<'s, 'p> JumpTableResolver<'s, 'p> {
    pub(super) fn new(
        program: &'p Program<'p>,
        session: &'s mut LiftSession<'p>,
        lifted: &'s mut Lifted,
        graph: &'s Graph,
        query: JumpQuery<'s>,
    ) -> Self {
        Self {
            program,
            session,
            graph,
            exit: query.exit,
            max_targets: query.max_targets,
            entries: query.entries,
            anchors: query.anchors,
            pointers: [query.pointers, query.data_pointers],
            is_late: query.is_late,
            heuristic: BoundHeuristic::Proved,
            lifted,
            effects: FxHashMap::default(),
            reached: FxHashMap::default(),
        }
    }

    /// A block of the graph, lifted.
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

    /// Whether a block, which need not be a function entry, may be entered from elsewhere than from its predecessors: its address is
    /// taken, and no indirect jump of its own function that is known to lead there explains that, as it does for a label.
    pub(super) fn may_be_entered(&self, block: BlockId) -> bool {
        let address = self.graph.block(block).place.address;
        // The lowest bit of a pointer may tell the instruction set.
        let is_taken =
            self.pointers.iter().any(|known| known.contains(&address) || known.contains(&(address | 1)));
        is_taken && !self.is_label(block)
    }

    /// Whether an indirect jump of its own function leads to a block, or nothing else does.
    fn is_label(&self, block: BlockId) -> bool {
        let is_indirect = |edge: &&Edge| edge.origin != EdgeOrigin::Decoded;
        let inside = || self.graph.predecessors(block).filter(|edge| edge.kind.is_inside());
        let mut sources = inside().filter(is_indirect).map(|edge| edge.from).peekable();
        if sources.peek().is_none() {
            return false;
        }
        let others: Vec<BlockId> = inside().filter(|edge| !is_indirect(edge)).map(|edge| edge.from).collect();
        if others.is_empty() {
            return true;
        }
        let home = |block: BlockId| self.program.unwind_range(self.graph.block(block).place.address);
        let mut entries: Option<FxHashSet<BlockId>> = None;
        sources.any(|source| {
            if let (Some(of_source), Some(of_block)) = (home(source), home(block)) {
                return of_source == of_block;
            }
            let entries = entries.get_or_insert_with(|| self.entries_to(others.clone()));
            self.entries_to(vec![source]).iter().any(|entry| entries.contains(entry))
        })
    }

    /// The function entries, and the blocks that nothing leads to, from which some blocks are reached inside a function.
    fn entries_to(&self, mut open: Vec<BlockId>) -> FxHashSet<BlockId> {
        let (mut seen, mut found) = (FxHashSet::default(), FxHashSet::default());
        while let Some(block) = open.pop() {
            if !seen.insert(block) || seen.len() > REGION {
                continue;
            }
            let mut before = self.graph.predecessors(block).filter(|edge| edge.kind.is_inside()).peekable();
            if before.peek().is_none() || self.is_entry(block) {
                found.insert(block);
                continue;
            }
            open.extend(before.map(|edge| edge.from));
        }
        found
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
        if self.heuristic == BoundHeuristic::Half {
            let spaces = &self.program.architecture().layout().spaces;
            let registers = spaces.iter().find(|space| space.kind == SpaceKind::Register);
            walk.store.lower_half_bounds_all = registers.map(|space| space.endian);
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
                Some(edge) if edge.kind.is_call_continuation() => walk.havoc_call(),
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

    /// Returns true if the exit is a call.
    pub(super) fn is_call(&self, block: BlockId) -> bool {
        let mut exits = self.graph.indirect_exits_of(block).iter();
        exits.any(|exit| exit.exit == self.exit && exit.kind == ExitKind::Call)
    }

    pub(super) fn flowing(&self, block: BlockId) -> Context {
        let exit = self.graph.indirect_exits_of(block).iter().find(|exit| exit.exit == self.exit);
        exit.map_or_else(|| self.program.architecture().default_context(), |exit| exit.context)
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

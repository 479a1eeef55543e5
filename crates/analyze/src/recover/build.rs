//! Recursive-traversal disassembly (Schwarz, Debray & Andrews 2002), interleaved with indirect-jump resolution.

use super::imports;
use super::pointers::pointers_in;
use super::return_address::{self, ReturnTarget, return_target};
use super::settings::Settings;
use super::stack::stack_delta;
use crate::graph::{
    BlockId, Edge, EdgeKind, EdgeOrigin, Evidence, Graph, IndirectExit, NONE, Resolution, UnresolvedReason,
};
use crate::program::Program;
use crate::table::{self, JumpQuery, Lifted};
use everypath_ir::{Block, ExitKind, Place, Target};
use everypath_lift::LiftSession;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

/// A graph under construction.
pub(crate) struct Builder<'p> {
    pub(super) program: &'p Program<'p>,
    session: LiftSession<'p>,
    /// Cache of lifted blocks for jump resolution.
    lifted: Lifted,
    pub(crate) graph: Graph,
    pub(super) settings: Settings,
    pub(super) evidence: BTreeMap<Place, Evidence>,
    /// Code addresses that instructions compute with.
    pub(super) pointers: FxHashSet<u64>,
    /// Data addresses that instructions compute with: a table starts at each.
    pub(super) anchors: FxHashSet<u64>,
    /// Addresses in code that instructions read as data: often what follows a call that never returns.
    pub(super) literals: FxHashSet<u64>,
    /// Code addresses in data next to others, sorted: entries of jump tables and label tables.
    labels: Vec<u64>,
    /// Code addresses in data.
    data_pointers: FxHashSet<u64>,
    open: Vec<BlockId>,
    /// Worklist of indirect exits, and whether each was tried before with fewer edges.
    unresolved: Vec<(BlockId, u8, bool)>,
    /// Indirect jumps with known targets that may have others.
    partly_known: Vec<(BlockId, u8)>,
    /// Number of edges at the last attempt to resolve exits.
    pub(super) tried_with: usize,
    /// Worklist of blocks that can reach a return, to be propagated to their predecessors.
    returning: Vec<BlockId>,
    /// Names of library functions that never return.
    never_returning: FxHashSet<&'static str>,
    /// True once most functions are known, so that each ends where the next one starts.
    is_late: bool,
    /// True if a block with an indirect jump was split: its targets may have become unreachable.
    divided: bool,
}

impl<'p> Builder<'p> {
    pub(crate) fn new(program: &'p Program<'p>, settings: Settings) -> Self {
        Self {
            program,
            session: program.lifter().session(),
            lifted: Lifted::default(),
            graph: Graph::of(program.image()),
            settings,
            evidence: BTreeMap::new(),
            pointers: FxHashSet::default(),
            anchors: FxHashSet::default(),
            literals: FxHashSet::default(),
            labels: labels(program),
            data_pointers: data_pointers(program),
            open: Vec::new(),
            unresolved: Vec::new(),
            partly_known: Vec::new(),
            tried_with: 0,
            returning: Vec::new(),
            never_returning: imports::never_returning(),
            is_late: false,
            divided: false,
        }
    }

    /// Adds a function entry, with the evidence for it.
    pub(super) fn enter(&mut self, place: Place, evidence: Evidence) -> BlockId {
        let known = self.evidence.entry(place).or_insert(evidence);
        *known = evidence.min(*known);
        self.target(place)
    }

    /// Decodes blocks and resolves indirect exits until both worklists are empty.
    pub(super) fn run(&mut self) {
        loop {
            while let Some(id) = self.returning.pop() {
                self.spread_return(id);
            }
            if let Some(id) = self.open.pop() {
                if self.graph.nodes.len() > self.settings.limits.blocks || self.is_stopped() {
                    self.graph.reach_limit();
                    return;
                }
                self.decode(id);
                continue;
            }
            if !self.resolve() && self.returning.is_empty() && self.open.is_empty() {
                return;
            }
        }
    }

    /// Returns true if recovery was stopped.
    fn is_stopped(&self) -> bool {
        self.settings.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Tries to resolve pending indirect jumps. Returns true on progress. One that stays unresolved counts as a
    /// possible return.
    fn resolve(&mut self) -> bool {
        // Erase the former targets of split blocks: their definitions would otherwise still reach the jump.
        if std::mem::take(&mut self.divided) {
            self.forget_orphans();
        }
        let changed = self.changed_functions();
        let tried = std::mem::take(&mut self.unresolved);
        let mut left = Vec::new();
        let mut progress = false;
        for (id, exit, again) in tried {
            // The block may have been split since; its back part then enqueued its exits again.
            if !self.has(id, exit) {
                continue;
            }
            if self.is_stopped() {
                self.graph.reach_limit();
                left.push((id, exit));
                continue;
            }
            let home = self.program.unwind_range(self.graph.block(id).place.address);
            if !again || home.is_none_or(|(start, _)| changed.contains(&start)) {
                let max_targets = self.settings.limits.targets as u64;
                let (entries, anchors) = (&self.evidence, &self.anchors);
                let query = JumpQuery {
                    block: id,
                    exit,
                    max_targets,
                    entries,
                    anchors,
                    labels: &self.labels,
                    pointers: &self.pointers,
                    data_pointers: &self.data_pointers,
                    is_late: self.is_late,
                };
                let (session, lifted) = (&mut self.session, &mut self.lifted);
                let found = table::resolve(self.program, session, lifted, &self.graph, query);
                progress |= !found.targets.is_empty();
                self.add_targets(id, exit, &found.targets, EdgeOrigin::Static);
                if let Some(indirect) = self.graph.indirect_exit_mut(id, exit) {
                    indirect.state = found.state;
                }
            }
            if self.is_open(id, exit) {
                left.push((id, exit));
            } else if self.is_unresolved(id, exit) {
                self.partly_known.push((id, exit));
            }
        }
        if progress {
            // A new edge may complete a path to an unresolved jump, or bound its target.
            self.unresolved.extend(left.into_iter().map(|(id, exit)| (id, exit, true)));
            return true;
        }
        // A target that is not known may be a return.
        let partly_known = std::mem::take(&mut self.partly_known);
        for (id, exit) in left.into_iter().chain(partly_known) {
            if self.is_unresolved(id, exit) {
                self.returns(id);
            }
        }
        false
    }

    /// Retries unresolved jumps now that most functions are known.
    pub(super) fn retry(&mut self) {
        self.is_late = true;
        let open = self.graph.indirect_exits().filter(|indirect| indirect.import.is_none());
        let open = open.filter(|indirect| indirect.kind != ExitKind::Return);
        let open = open.filter(|indirect| self.is_open(indirect.block, indirect.exit));
        self.unresolved = open.map(|indirect| (indirect.block, indirect.exit, false)).collect();
        self.run();
    }

    /// The functions, by unwind range, that gained edges since the last attempt: a jump's targets depend on its own
    /// function.
    fn changed_functions(&mut self) -> FxHashSet<u64> {
        let edges = &self.graph.edges[self.tried_with..];
        let blocks = edges.iter().map(|edge| edge.to).filter(|block| *block != BlockId(NONE));
        let homes = blocks.filter_map(|to| self.program.unwind_range(self.graph.block(to).place.address));
        let changed = homes.map(|(start, _)| start).collect();
        self.tried_with = self.graph.edges.len();
        changed
    }

    /// Returns true if an indirect jump has no known target.
    fn is_open(&self, id: BlockId, exit: u8) -> bool {
        self.is_unresolved(id, exit) && self.graph.successors(id).all(|edge| edge.exit != exit)
    }

    /// Returns true if an indirect jump may have further targets.
    fn is_unresolved(&self, id: BlockId, exit: u8) -> bool {
        let mut exits = self.graph.indirect_exits_of(id).iter().filter(|indirect| indirect.exit == exit);
        exits.any(|indirect| indirect.kind != ExitKind::Call && !indirect.state.is_resolved())
    }

    fn has(&self, id: BlockId, exit: u8) -> bool {
        self.graph.indirect_exits_of(id).iter().any(|indirect| indirect.exit == exit)
    }

    /// Adds targets of an indirect exit.
    pub(crate) fn add_targets(&mut self, id: BlockId, exit: u8, targets: &[Place], origin: EdgeOrigin) {
        for target in targets {
            let to = self.target(*target);
            // Creating the target may have split the block itself.
            if !self.has(id, exit) {
                return;
            }
            let from = id;
            let kind = self.graph.indirect_exits_of(from).iter().find(|indirect| indirect.exit == exit);
            let kind = match kind.map(|indirect| indirect.kind) {
                Some(ExitKind::Call) => EdgeKind::Call,
                _ => EdgeKind::Jump,
            };
            if kind == EdgeKind::Call {
                self.enter(*target, Evidence::Called);
            }
            self.connect(from, to, kind, exit, origin);
        }
    }

    fn connect(&mut self, from: BlockId, to: BlockId, kind: EdgeKind, exit: u8, origin: EdgeOrigin) {
        let is_new = self.graph.add_edge(from, to, kind, exit, origin);
        if is_new
            && kind.is_inside()
            && self.graph.nodes[to.index()].returns
            && (kind.is_call_continuation() || !self.is_imported(from, exit))
        {
            self.returns(from);
        }
    }

    /// Returns true if an exit leads to an imported function. Whether it returns then depends on that function, not on
    /// the lazy-binding code.
    fn is_imported(&self, id: BlockId, exit: u8) -> bool {
        let mut exits = self.graph.indirect_exits_of(id).iter().filter(|indirect| indirect.exit == exit);
        exits.any(|indirect| indirect.import.is_some())
    }

    /// The block at a place: an existing one, the back part of a split one, or a new one to decode.
    fn target(&mut self, place: Place) -> BlockId {
        if let Some(known) = self.graph.find(place) {
            // It may have been erased.
            if !self.graph.block(known).decoded {
                self.open.push(known);
            }
            return known;
        }
        if let Some(front) = self.graph.around(place)
            && let Some(back) = self.divide(front, place)
        {
            self.open.push(back);
            return back;
        }
        let id = self.graph.node_at(place);
        self.open.push(id);
        id
    }

    /// Splits a block before an instruction; the new block is not decoded yet. Returns `None` in a delay slot.
    pub(super) fn divide(&mut self, front: BlockId, place: Place) -> Option<BlockId> {
        let start = self.graph.nodes[front.index()].place;
        let lifted = self.session.block_until(self.program.image(), start, |next| next == place).ok()?;
        if lifted.end != place.address || lifted.exits.len() != 1 {
            return None;
        }
        let leads = |exit: &IndirectExit| {
            let is_jump = !matches!(exit.kind, ExitKind::Return | ExitKind::Call);
            is_jump && self.graph.successors(front).any(|edge| edge.exit == exit.exit)
        };
        self.divided |= self.graph.indirect_exits_of(front).iter().any(leads);
        let back = self.graph.divide(front, place);
        self.graph.nodes[front.index()].stack_delta = stack_delta(self.program, &lifted);
        Some(back)
    }

    fn decode(&mut self, id: BlockId) {
        let place = self.graph.nodes[id.index()].place;
        if self.graph.nodes[id.index()].decoded || self.graph.hole(id).is_some() {
            return;
        }
        if !self.program.is_code(place.address) {
            self.graph.add_hole(place, "no code is loaded there".to_owned());
            // Code of another file or of the operating system may return.
            self.returns(id);
            return;
        }
        if self.literals.contains(&place.address) && self.is_only_fallen_to(id) {
            self.graph.add_hole(place, "instructions read it as data".to_owned());
            // It may be code that is read, too.
            self.returns(id);
            return;
        }
        let mut block = match self.lift(place) {
            Ok(block) => block,
            Err(why) => {
                self.graph.add_hole(place, why);
                // The specification may lack this instruction.
                self.returns(id);
                return;
            }
        };
        // If the new block runs into the middle of another, split that one and end the new block there.
        let start = |(address, _): (u64, u8)| Place::new(address, place.context);
        let inside = |later: Place| Some((later, self.graph.around(later)?));
        let met = block.instructions().skip(1).map(start).find_map(inside);
        if let Some((met, other)) = met
            && let Some(back) = self.divide(other, met)
        {
            self.open.push(back);
            if let Ok(shorter) = self.lift(place) {
                block = shorter;
            }
        }
        self.note(id, &block);
        self.follow(id, &block);
    }

    /// Returns true if a block is only reached by falling through.
    pub(super) fn is_only_fallen_to(&self, id: BlockId) -> bool {
        let follows = |edge: &Edge| matches!(edge.kind, EdgeKind::Fall | EdgeKind::CallFallThrough);
        self.graph.predecessors(id).all(follows) && !self.evidence.contains_key(&self.graph.block(id).place)
    }

    fn lift(&mut self, place: Place) -> Result<Block, String> {
        let (graph, literals) = (&self.graph, &self.literals);
        let stop = |next: Place| graph.find(next).is_some() || literals.contains(&next.address);
        let lifted = self.session.block_with_all_branches(self.program.image(), place, stop);
        lifted.map_err(|why| why.to_string())
    }

    /// Lifts the block at a place without adding it to the graph.
    pub(super) fn speculate(&mut self, place: Place) -> Option<Block> {
        self.session.block(self.program.image(), place).ok()
    }

    /// Resolves every indirect exit once more now that all predecessors are known, then erases unreachable blocks.
    pub(super) fn finish(&mut self) {
        let mut before = None;
        loop {
            let is_open = |exit: &&IndirectExit| exit.kind != ExitKind::Return && exit.import.is_none();
            let all = self.graph.indirect_exits().filter(is_open);
            let again = before.is_some();
            self.unresolved = all.map(|exit| (exit.block, exit.exit, again)).collect();
            let edges = self.graph.edges.len();
            self.tried_with = before.replace(edges).unwrap_or(edges);
            self.run();
            if self.graph.edges.len() == edges || self.graph.limit_reached() {
                break;
            }
        }
        self.forget_orphans();
        self.partition();
    }

    /// Records the instructions of a block.
    fn note(&mut self, id: BlockId, block: &Block) {
        self.graph.set_instructions(id, block.instructions(), block.end);
        self.graph.nodes[id.index()].stack_delta = stack_delta(self.program, block);
        pointers_in(self.program, block, &mut self.pointers, &mut self.anchors, &mut self.literals);
    }

    /// Follows the exits of a block.
    fn follow(&mut self, id: BlockId, block: &Block) {
        if self.program.ends_in(block) {
            self.graph.add_trap(block.end);
            return;
        }
        let after = Place::new(block.end, block.place.context);
        self.unwind(id, block);
        for (exit, out) in block.exits.iter().enumerate() {
            let number = exit.min(255) as u8;
            match (out.target, out.kind) {
                // A call to the next instruction only obtains its address and does not return as a call.
                (Target::Place(place), ExitKind::Call)
                    if place != after && !self.never_returns_to_caller(after, place) =>
                {
                    let callee = self.enter(place, Evidence::Called);
                    if self.graph.nodes[id.index()].end != block.end {
                        return;
                    }
                    let from = id;
                    self.connect(from, callee, EdgeKind::Call, number, EdgeOrigin::Decoded);
                    // Otherwise the call fall-through is not decoded until the callee is known to return.
                    if self.graph.nodes[callee.index()].returns {
                        self.resume(from, number);
                    }
                }
                (Target::Place(place), kind) => {
                    if kind == ExitKind::Call {
                        self.graph.add_call_as_jump(block.end);
                    }
                    let to = self.target(place);
                    let kind = if kind == ExitKind::Fall { EdgeKind::Fall } else { EdgeKind::Jump };
                    // The block may have been split for it; its back part is then decoded again.
                    if self.graph.nodes[id.index()].end != block.end {
                        return;
                    }
                    let from = id;
                    self.connect(from, to, kind, number, EdgeOrigin::Decoded);
                }
                (Target::Computed { context, .. }, kind) => {
                    if kind == ExitKind::Return
                        && return_target(self.program, block) == Some(ReturnTarget::Overwritten)
                    {
                        self.graph.add_overwritten_return(block.end);
                    }
                    let from = id;
                    let import = imports::import_of(self.program, block, exit, &self.never_returning);
                    let (import, lazy) = import.map_or((None, None), |(import, lazy)| (Some(import), lazy));
                    let reason = if import.is_some() {
                        UnresolvedReason::Imported
                    } else {
                        UnresolvedReason::NotAnalysed
                    };
                    let state = Resolution::Unresolved(reason);
                    let returns = import.as_ref().map(|import| import.returns);
                    let exit = IndirectExit { block: from, exit: number, kind, context, state, import };
                    self.graph.add_indirect_exit(exit);
                    if let Some(lazy) = lazy {
                        let place = Place::new(self.program.code_place(lazy).address, context);
                        self.add_targets(from, number, &[place], EdgeOrigin::Static);
                    }
                    match kind {
                        ExitKind::Call if returns == Some(true) => self.resume(from, number),
                        ExitKind::Jump | ExitKind::Fall if returns == Some(true) => self.returns(from),
                        _ if returns.is_some() => {}
                        ExitKind::Return => self.returns(from),
                        ExitKind::Call => {
                            self.unresolved.push((from, number, false));
                            self.resume(from, number);
                        }
                        ExitKind::Jump | ExitKind::Fall => self.unresolved.push((from, number, false)),
                    }
                }
            }
        }
    }

    /// Returns true if a call leads to code beside it that does not return behind it: the call is a jump that also pushes an address.
    fn never_returns_to_caller(&mut self, after: Place, callee: Place) -> bool {
        let is_near = callee.address.abs_diff(after.address) < return_address::THUNK_SIZE;
        is_near
            && self
                .speculate(callee)
                .is_some_and(|block| return_address::never_returns_to_caller(self.program, &block))
    }

    /// Adds edges to exception landing pads, if the unwind tables name some: from a call to its own, and from the block to those
    /// of other instructions, such as loads that trap (`-fnon-call-exceptions`).
    fn unwind(&mut self, id: BlockId, block: &Block) {
        let image = self.program.image();
        let calls = block.exits.iter().enumerate().filter(|(_, exit)| exit.kind == ExitKind::Call);
        let calls: Vec<u8> = calls.map(|(exit, _)| exit.min(255) as u8).collect();
        let own = image.landing_pad(block.end.wrapping_sub(1)).filter(|_| !calls.is_empty());
        let others = image.landing_pads(block.place.address, block.end).filter(|pad| Some(*pad) != own);
        let mut pads: Vec<(u64, u8)> =
            own.into_iter().flat_map(|pad| calls.iter().map(move |exit| (pad, *exit))).collect();
        pads.extend(others.map(|pad| (pad, 0)));
        pads.sort_unstable();
        pads.dedup();
        for (pad, exit) in pads {
            let to = self.target(Place::new(pad, block.place.context));
            if self.graph.nodes[id.index()].end == block.end {
                self.connect(id, to, EdgeKind::Unwind, exit, EdgeOrigin::Decoded);
            }
        }
    }

    /// Adds the call fall-through edge.
    fn resume(&mut self, from: BlockId, exit: u8) {
        let node = &self.graph.nodes[from.index()];
        let (end, context) = (node.end, node.place.context);
        let to = self.target(Place::new(end, context));
        self.connect(from, to, EdgeKind::CallFallThrough, exit, EdgeOrigin::Decoded);
    }

    /// Enqueues a block that can reach a return of its function.
    fn returns(&mut self, id: BlockId) {
        self.returning.push(id);
    }

    /// Propagates returning to predecessors, and adds fall-through edges to calls of a function that returns.
    fn spread_return(&mut self, id: BlockId) {
        if std::mem::replace(&mut self.graph.nodes[id.index()].returns, true) {
            return;
        }
        for number in self.graph.edges_to(id) {
            // Adding a fall-through may split another caller's block, so read each edge only now.
            let Edge { from, kind, exit, .. } = self.graph.edges[number as usize];
            if from == BlockId(NONE) {
                continue;
            }
            if !kind.is_call_continuation() && self.is_imported(from, exit) {
                continue;
            }
            if kind.is_inside() {
                self.returns(from);
            } else if kind == EdgeKind::Call {
                self.resume(from, exit);
            }
        }
    }
}

/// Code addresses in data that are next to another nearby code address, sorted.
fn labels(program: &Program<'_>) -> Vec<u64> {
    let words = program.data_words();
    let is_near = |word: &u64, other: Option<&(u64, bool)>| {
        other.is_some_and(|(other, _)| program.is_code(*other) && other.abs_diff(*word) < NEAR)
    };
    let mut labels: Vec<u64> = (0..words.len())
        .filter_map(|index| {
            let (word, _) = words[index];
            let before = index.checked_sub(1).and_then(|before| words.get(before));
            let is_label =
                program.is_code(word) && (is_near(&word, before) || is_near(&word, words.get(index + 1)));
            is_label.then_some(word)
        })
        .collect();
    labels.sort_unstable();
    labels.dedup();
    labels
}

/// The code addresses that words in data hold. In a small address space, any number is one: only words that the file lists count.
fn data_pointers(program: &Program<'_>) -> FxHashSet<u64> {
    let is_small = program.pointer_size() < 4;
    let words = program.data_words().into_iter().filter(|(_, is_listed)| *is_listed || !is_small);
    words.map(|(word, _)| word).filter(|word| program.is_code(*word)).collect()
}

/// Maximum distance between two labels of one function.
const NEAR: u64 = 1 << 20;

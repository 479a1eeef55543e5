//! Recursive decoding: follows what instructions name, and what analyses add, until nothing new is found.

use super::imports;
use super::node::{BlockId, Doubt, Dynamic, Edge, EdgeKind, Evidence, NONE, Origin, Saturation};
use super::whole::Graph;
use crate::program::Program;
use crate::table::{self, Lifted, Question};
use everypath_ir::{Block, ExitKind, Place, Statement, Target};
use everypath_lift::Session;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// When building ends at the latest.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many blocks a graph has at most.
    pub blocks: usize,
    /// How many targets one computed jump has at most.
    pub targets: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { blocks: 4_000_000, targets: 1 << 12 }
    }
}

/// Where functions are looked for.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where decoding begins besides where the file says.
    pub entries: Vec<Place>,
    /// Whether the entry points that the file states count.
    pub file_entries: bool,
    /// Whether symbols count as functions.
    pub symbols: bool,
    /// Whether the tables for unwinding the stack count.
    pub unwind: bool,
    /// Whether addresses of code that code or data hold count.
    pub pointers: bool,
    /// When building ends at the latest.
    pub limits: Limits,
    /// Ends building soon after somebody sets it; what was found until then is of use, but not complete.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            file_entries: true,
            symbols: false,
            unwind: true,
            pointers: true,
            limits: Limits::default(),
            stop: None,
        }
    }
}

/// A graph while it is built.
pub(crate) struct Builder<'p> {
    pub(super) program: &'p Program<'p>,
    session: Session<'p>,
    /// Blocks that were lifted to resolve jumps.
    lifted: Lifted,
    pub(crate) graph: Graph,
    pub(super) settings: Settings,
    pub(super) evidence: BTreeMap<Place, Evidence>,
    /// Addresses of code that instructions compute with.
    pub(super) pointers: FxHashSet<u64>,
    /// Addresses of data that instructions compute with: a table begins at each.
    pub(super) anchors: FxHashSet<u64>,
    /// Addresses among instructions that instructions read: what follows a call that never returns, often.
    pub(super) literals: FxHashSet<u64>,
    /// Addresses of code in data, next to others, in order: jump tables and tables of labels have such.
    labels: Vec<u64>,
    open: Vec<BlockId>,
    /// Computed exits to be resolved, and whether they were tried when there were fewer edges.
    unresolved: Vec<(BlockId, u8, bool)>,
    /// How many edges there were when exits were tried last.
    pub(super) tried_with: usize,
    /// Blocks from which a return can be reached, to be told to what leads to them.
    returning: Vec<BlockId>,
    /// Names of library functions that never return.
    never_returning: FxHashSet<&'static str>,
    /// Whether most functions are known, so that where one begins the one before it ends.
    is_late: bool,
    /// Whether a block with a computed jump was divided: nothing may lead to its targets any more.
    divided: bool,
}

impl<'p> Builder<'p> {
    pub(crate) fn new(program: &'p Program<'p>, settings: Settings) -> Self {
        Self {
            program,
            session: program.lifter().session(),
            lifted: Lifted::default(),
            graph: Graph::default(),
            settings,
            evidence: BTreeMap::new(),
            pointers: FxHashSet::default(),
            anchors: FxHashSet::default(),
            literals: FxHashSet::default(),
            labels: labels(program),
            open: Vec::new(),
            unresolved: Vec::new(),
            tried_with: 0,
            returning: Vec::new(),
            never_returning: imports::never_returning(),
            is_late: false,
            divided: false,
        }
    }

    /// Takes up a function's entry.
    pub(super) fn enter(&mut self, place: Place, evidence: Evidence) -> BlockId {
        let known = self.evidence.entry(place).or_insert(evidence);
        *known = evidence.min(*known);
        self.target(place)
    }

    /// Decodes all that is open, and resolves what it leads to, until nothing is left.
    pub(super) fn run(&mut self) {
        loop {
            while let Some(id) = self.returning.pop() {
                self.spread_return(id);
            }
            if let Some(id) = self.open.pop() {
                if self.graph.nodes.len() > self.settings.limits.blocks || self.is_stopped() {
                    self.graph.limit_reached = true;
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

    /// Whether somebody ended building.
    fn is_stopped(&self) -> bool {
        self.settings.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Tries the computed jumps that are not resolved. Those that stay so may lead out of their function.
    fn resolve(&mut self) -> bool {
        // What such a block led to is not there until it is asked anew, or what it says of registers would stay in the way.
        if std::mem::take(&mut self.divided) {
            self.forget_orphans();
        }
        let changed = self.changed_functions();
        let tried = std::mem::take(&mut self.unresolved);
        let mut left = Vec::new();
        let mut progress = false;
        for (id, exit, again) in tried {
            // The block may have been divided since: then its back part has asked anew.
            if !self.has(id, exit) {
                continue;
            }
            if self.is_stopped() {
                self.graph.limit_reached = true;
                left.push((id, exit));
                continue;
            }
            let home = self.program.unwind_range(self.graph.block(id).place.address);
            if !again || home.is_none_or(|(start, _)| changed.contains(&start)) {
                let (limits, entries, anchors) = (self.settings.limits, &self.evidence, &self.anchors);
                let (labels, is_late) = (&self.labels[..], self.is_late);
                let question = Question { block: id, exit, limits, entries, anchors, labels, is_late };
                let (session, lifted) = (&mut self.session, &mut self.lifted);
                let found = table::resolve(self.program, session, lifted, &self.graph, question);
                progress |= !found.targets.is_empty();
                self.add_targets(id, exit, &found.targets, Origin::Static);
                if let Some(dynamic) = self.graph.dynamic_mut(id, exit) {
                    dynamic.state = found.state;
                }
            }
            if self.is_open(id, exit) {
                left.push((id, exit));
            }
        }
        if progress {
            // What was found may be a way to, or a bound of, what was not.
            self.unresolved.extend(left.into_iter().map(|(id, exit)| (id, exit, true)));
            return true;
        }
        for (id, _) in left {
            self.returns(id);
        }
        false
    }

    /// Tries jumps again of which nothing is known, now that most functions are.
    pub(super) fn retry(&mut self) {
        self.is_late = true;
        let open = self.graph.dynamics().filter(|dynamic| dynamic.import.is_none());
        let open = open.filter(|dynamic| dynamic.kind != ExitKind::Return);
        let open = open.filter(|dynamic| self.is_open(dynamic.block, dynamic.exit));
        self.unresolved = open.map(|dynamic| (dynamic.block, dynamic.exit, false)).collect();
        self.run();
    }

    /// The functions in which there are edges that were not there when exits were tried last, as far as tables for unwinding
    /// tell them: where a jump leads to depends on its own function.
    fn changed_functions(&mut self) -> FxHashSet<u64> {
        let edges = &self.graph.edges[self.tried_with..];
        let blocks = edges.iter().map(|edge| edge.to).filter(|block| *block != BlockId(NONE));
        let homes = blocks.filter_map(|to| self.program.unwind_range(self.graph.block(to).place.address));
        let changed = homes.map(|(start, _)| start).collect();
        self.tried_with = self.graph.edges.len();
        changed
    }

    /// Whether nothing is known of where a jump leads to.
    fn is_open(&self, id: BlockId, exit: u8) -> bool {
        let mut exits = self.graph.dynamics_of(id).iter().filter(|dynamic| dynamic.exit == exit);
        exits.any(|dynamic| dynamic.kind != ExitKind::Call && !dynamic.state.is_saturated())
            && self.graph.successors(id).all(|edge| edge.exit != exit)
    }

    fn has(&self, id: BlockId, exit: u8) -> bool {
        self.graph.dynamics_of(id).iter().any(|dynamic| dynamic.exit == exit)
    }

    /// Adds targets of a computed exit.
    pub(crate) fn add_targets(&mut self, id: BlockId, exit: u8, targets: &[Place], origin: Origin) {
        for target in targets {
            let to = self.target(*target);
            // Making the target may have divided the block itself.
            if !self.has(id, exit) {
                return;
            }
            let from = id;
            let kind = self.graph.dynamics_of(from).iter().find(|dynamic| dynamic.exit == exit);
            let kind = match kind.map(|dynamic| dynamic.kind) {
                Some(ExitKind::Call) => EdgeKind::Call,
                _ => EdgeKind::Jump,
            };
            if kind == EdgeKind::Call {
                self.enter(*target, Evidence::Called);
            }
            self.connect(from, to, kind, exit, origin);
        }
    }

    fn connect(&mut self, from: BlockId, to: BlockId, kind: EdgeKind, exit: u8, origin: Origin) {
        let is_new = self.graph.add_edge(from, to, kind, exit, origin);
        if is_new
            && kind.is_inside()
            && self.graph.nodes[to.index()].returns
            && (kind.is_behind_call() || !self.is_imported(from, exit))
        {
            self.returns(from);
        }
    }

    /// Whether an exit leads to a function of another file: then that one says whether it returns, not the code that has the
    /// dynamic linker look it up.
    fn is_imported(&self, id: BlockId, exit: u8) -> bool {
        let mut exits = self.graph.dynamics_of(id).iter().filter(|dynamic| dynamic.exit == exit);
        exits.any(|dynamic| dynamic.import.is_some())
    }

    /// The block at a place: one that is known, a part of one that is divided for it, or a new one to be decoded.
    fn target(&mut self, place: Place) -> BlockId {
        if let Some(known) = self.graph.find(place) {
            // It may have been forgotten.
            if !self.graph.block(known).decoded {
                self.open.push(known);
            }
            return known;
        }
        if let Some(front) = self.graph.inside.get(&place).copied()
            && let Some(back) = self.divide(front, place)
        {
            self.open.push(back);
            return back;
        }
        let id = self.graph.node_at(place);
        self.open.push(id);
        id
    }

    /// Ends a block before a place, if it can: an instruction in a delay slot cannot be split off. The new block there is not
    /// decoded yet.
    pub(super) fn divide(&mut self, front: BlockId, place: Place) -> Option<BlockId> {
        let start = self.graph.nodes[front.index()].place;
        let lifted = self.session.block_until(self.program.image(), start, |next| next == place).ok()?;
        if lifted.end != place.address || lifted.exits.len() != 1 {
            return None;
        }
        let leads = |dynamic: &Dynamic| {
            let is_jump = !matches!(dynamic.kind, ExitKind::Return | ExitKind::Call);
            is_jump && self.graph.successors(front).any(|edge| edge.exit == dynamic.exit)
        };
        self.divided |= self.graph.dynamics_of(front).iter().any(leads);
        let back = self.graph.divide(front, place);
        self.graph.nodes[front.index()].rise = super::stack::rise(self.program, &lifted);
        Some(back)
    }

    fn decode(&mut self, id: BlockId) {
        let place = self.graph.nodes[id.index()].place;
        if self.graph.nodes[id.index()].decoded || self.graph.holes.contains_key(&place) {
            return;
        }
        if !self.program.is_code(place.address) {
            self.graph.holes.insert(place, "no code is loaded there".to_owned());
            // What another file or the operating system has there may return, as far as is known.
            self.returns(id);
            return;
        }
        if self.literals.contains(&place.address) && self.is_only_fallen_to(id) {
            self.graph.holes.insert(place, "instructions read it as data".to_owned());
            return;
        }
        let mut block = match self.lift(place) {
            Ok(block) => block,
            Err(why) => {
                self.graph.holes.insert(place, why);
                // It may be an instruction that the specification does not have.
                self.returns(id);
                return;
            }
        };
        // What runs into the middle of another block ends there, and the other one is divided.
        let met = marks(&block).skip(1).map(|(address, _)| Place::new(address, place.context));
        let met = met.filter(|later| self.graph.inside.contains_key(later)).collect::<Vec<_>>();
        if let Some(met) = met.first().copied() {
            let other = self.graph.inside[&met];
            if let Some(back) = self.divide(other, met) {
                self.open.push(back);
                if let Ok(shorter) = self.lift(place) {
                    block = shorter;
                }
            }
        }
        self.note(id, &block);
        self.follow(id, &block);
    }

    /// Whether nothing names a block: it only follows something.
    pub(super) fn is_only_fallen_to(&self, id: BlockId) -> bool {
        let follows = |edge: &Edge| matches!(edge.kind, EdgeKind::Fall | EdgeKind::Resume);
        self.graph.predecessors(id).all(follows) && !self.evidence.contains_key(&self.graph.block(id).place)
    }

    fn lift(&mut self, place: Place) -> Result<Block, String> {
        let (starts, literals) = (&self.graph.starts, &self.literals);
        let stop = |next: Place| starts.contains_key(&next) || literals.contains(&next.address);
        let lifted = self.session.block_with_all_branches(self.program.image(), place, stop);
        lifted.map_err(|why| why.to_string())
    }

    /// The block at a place, without noting anything.
    pub(super) fn speculate(&mut self, place: Place) -> Option<Block> {
        self.session.block(self.program.image(), place).ok()
    }

    /// Looks at every computed exit once more, now that all ways to it are known, and forgets what was only guessed on the way.
    pub(super) fn finish(&mut self) {
        let mut before = None;
        loop {
            let is_open = |dynamic: &&Dynamic| dynamic.kind != ExitKind::Return && dynamic.import.is_none();
            let all = self.graph.dynamics().filter(is_open);
            let again = before.is_some();
            self.unresolved = all.map(|dynamic| (dynamic.block, dynamic.exit, again)).collect();
            let edges = self.graph.edges.len();
            self.tried_with = before.replace(edges).unwrap_or(edges);
            self.run();
            if self.graph.edges.len() == edges || self.graph.limit_reached {
                break;
            }
        }
        self.forget_orphans();
        self.partition();
    }

    /// Notes where the instructions of a block are.
    fn note(&mut self, id: BlockId, block: &Block) {
        let start = self.graph.lengths.len() as u32;
        for (index, (address, length)) in marks(block).enumerate() {
            self.graph.lengths.push(length);
            if index > 0 {
                self.graph.inside.insert(Place::new(address, block.place.context), id);
            }
        }
        let count = self.graph.lengths.len() as u32 - start;
        let node = &mut self.graph.nodes[id.index()];
        node.lengths = (start, count);
        node.end = block.end;
        node.decoded = true;
        node.rise = super::stack::rise(self.program, block);
        super::entries::pointers_in(
            self.program,
            block,
            &mut self.pointers,
            &mut self.anchors,
            &mut self.literals,
        );
    }

    /// Follows the exits of a block.
    fn follow(&mut self, id: BlockId, block: &Block) {
        if self.program.ends_in(block) {
            self.graph.ended.insert(block.end);
            return;
        }
        let after = Place::new(block.end, block.place.context);
        for (exit, way) in block.exits.iter().enumerate() {
            let number = exit.min(255) as u8;
            if way.kind == ExitKind::Call {
                self.unwind(id, block, number);
            }
            match (way.target, way.kind) {
                // A call of what follows asks for its own address, and never returns as a call does.
                (Target::Place(place), ExitKind::Call) if place != after => {
                    let callee = self.enter(place, Evidence::Called);
                    if self.graph.nodes[id.index()].end != block.end {
                        return;
                    }
                    let from = id;
                    self.connect(from, callee, EdgeKind::Call, number, Origin::Decoded);
                    // Otherwise what follows is not decoded until the function is known to return.
                    if self.graph.nodes[callee.index()].returns {
                        self.resume(from, number);
                    }
                }
                (Target::Place(place), kind) => {
                    let to = self.target(place);
                    let kind = if kind == ExitKind::Fall { EdgeKind::Fall } else { EdgeKind::Jump };
                    // The block may have been divided for it: then its back part is decoded anew.
                    if self.graph.nodes[id.index()].end != block.end {
                        return;
                    }
                    let from = id;
                    self.connect(from, to, kind, number, Origin::Decoded);
                }
                (Target::Computed { context, .. }, kind) => {
                    let from = id;
                    let import = imports::import_of(self.program, block, exit, &self.never_returning);
                    let (import, lazy) = import.map_or((None, None), |(import, lazy)| (Some(import), lazy));
                    let doubt = if import.is_some() { Doubt::Imported } else { Doubt::NotAnalysed };
                    let state = Saturation::Unsaturated(doubt);
                    let returns = import.as_ref().map(|import| import.returns);
                    let dynamic = Dynamic { block: from, exit: number, kind, context, state, import };
                    self.graph.dynamics.entry(from).or_default().push(dynamic);
                    if let Some(lazy) = lazy {
                        let place = Place::new(self.program.code_place(lazy).address, context);
                        self.add_targets(from, number, &[place], Origin::Static);
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

    /// Goes on where the tables for unwinding say that exceptions are caught, or something is cleaned up, which a call lets pass.
    fn unwind(&mut self, id: BlockId, block: &Block, exit: u8) {
        let Some(pad) = self.program.image().landing_pad(block.end.wrapping_sub(1)) else { return };
        let to = self.target(Place::new(pad, block.place.context));
        if self.graph.nodes[id.index()].end == block.end {
            self.connect(id, to, EdgeKind::Unwind, exit, Origin::Decoded);
        }
    }

    /// Goes on behind a call whose function returns.
    fn resume(&mut self, from: BlockId, exit: u8) {
        let node = &self.graph.nodes[from.index()];
        let (end, context) = (node.end, node.place.context);
        let to = self.target(Place::new(end, context));
        self.connect(from, to, EdgeKind::Resume, exit, Origin::Decoded);
    }

    /// A return of the function can be reached from a block.
    fn returns(&mut self, id: BlockId) {
        self.returning.push(id);
    }

    /// Tells it to all that lead to a block, and goes on behind the calls of a function.
    fn spread_return(&mut self, id: BlockId) {
        if std::mem::replace(&mut self.graph.nodes[id.index()].returns, true) {
            return;
        }
        for number in self.graph.edges_to(id) {
            // Going on behind a call may divide the block of another, so that its edge is looked at only now.
            let Edge { from, kind, exit, .. } = self.graph.edges[number as usize];
            if from == BlockId(NONE) {
                continue;
            }
            if !kind.is_behind_call() && self.is_imported(from, exit) {
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

/// The addresses of code in data that stand next to each other, in order.
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

/// The labels of one function are not farther apart.
const NEAR: u64 = 1 << 20;

/// The instructions of a block: addresses and lengths.
pub(crate) fn marks(block: &Block) -> impl Iterator<Item = (u64, u8)> + '_ {
    block.statements.iter().filter_map(|statement| match statement {
        Statement::Instruction { address, length, .. } => Some((*address, *length)),
        _ => None,
    })
}

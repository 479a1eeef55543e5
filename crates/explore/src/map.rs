//! The static side of an exploration: the control-flow graph, which says what there is before anything was run.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use everypath_analyze::{
    BlockId, Bounds, Claim, EdgeKind, Finding, Graph, Origin, Program, Saturation, Settings, Start, State,
    Trust, Values,
};
use everypath_environment::Guest;
use everypath_ir::{Block, ExitKind, Place, SpaceId};
use everypath_record::{Address, Direction};
use everypath_solve::{Answer, Limits, Stack};
use rustc_hash::FxHashMap;

use crate::branches::named_directions;
use crate::evidence::check_claim;

/// How many blocks a graph has at most: exploration does not wait for larger ones.
const BLOCKS: usize = 200_000;

/// How many blocks a graph has at most whose values are analysed.
const ANALYSED: usize = 20_000;

/// How many times values and the graph are asked in turns.
const ROUNDS: usize = 16;

/// A graph, and where its branches are.
pub(crate) struct Map {
    graph: Graph,
    entry: Place,
    /// What values are known by: the state at the start, and what changes by itself.
    bounds: Bounds,
    /// What registers and memory can hold in this graph, once that was asked for.
    values: Option<Values>,
    /// Whether any memory may change by itself, so that values prove nothing.
    distrusted: bool,
    /// The blocks that end with an instruction.
    by_branch: HashMap<u64, Vec<BlockId>>,
    /// Instructions lifted by themselves.
    singles: FxHashMap<Place, Option<Arc<Block>>>,
}

impl Map {
    /// Recovers the graph of a guest that starts at a place, in a state in which what depends on input has terms.
    pub(crate) fn recover(
        guest: &Guest,
        entry: Place,
        volatile: Vec<(SpaceId, u64, u64)>,
        state: &mut everypath_machine::State,
        stop: &Arc<AtomicBool>,
    ) -> Option<Map> {
        let program = Program::new(guest.shared_architecture(), guest.image())?;
        let start = Arc::new(Start::of(state, guest.architecture()));
        let bounds =
            Bounds { volatile, start: Some((entry, start)), ..Bounds::new(&program, Trust::Nothing) };
        let mut settings = Settings {
            entries: vec![entry],
            file_entries: false,
            unwind: false,
            pointers: false,
            stop: Some(stop.clone()),
            ..Settings::default()
        };
        settings.limits.blocks = BLOCKS;
        let graph = Graph::recover(&program, settings);
        let by_branch = by_branch(&graph);
        let singles = FxHashMap::default();
        Some(Map { graph, entry, bounds, values: None, distrusted: false, by_branch, singles })
    }

    /// Takes in memory that changes by itself, as interrupt handlers and devices make it.
    pub(crate) fn add_volatile(&mut self, ranges: impl Iterator<Item = (SpaceId, u64, u64)>) {
        self.bounds.volatile.extend(ranges);
    }

    /// Says that any memory may change by itself.
    pub(crate) fn distrust(&mut self) {
        self.distrusted = true;
    }

    /// Whether an address lies in an instruction that can be reached from the entry, as far as the graph goes.
    pub(crate) fn covers(&self, address: u64) -> bool {
        let has = |(start, length): (u64, u8)| address.wrapping_sub(start) < u64::from(length.max(1));
        self.reached().into_iter().any(|block| self.graph.instructions(block).any(has))
    }

    /// Every instruction that can be reached from the entry, as far as the graph goes.
    pub(crate) fn instructions(&self) -> BTreeSet<u64> {
        let blocks = self.reached().into_iter();
        blocks.flat_map(|block| self.graph.instructions(block).map(|(address, _)| address)).collect()
    }

    /// Finds out what registers and memory can hold, unless that is known, and takes it into the graph. An exploration
    /// that looks at every path never needs it, so nobody waits for it before it is of use.
    pub(crate) fn deepen(&mut self, guest: &Guest, stop: &AtomicBool) {
        let program = Program::new(guest.shared_architecture(), guest.image());
        let Some(program) = program.filter(|_| self.values.is_none() && self.graph.len() <= ANALYSED) else {
            return;
        };
        // What values add to the graph may let them say more.
        for _ in 0..ROUNDS {
            let values = Values::analyse(&program, &self.graph, self.bounds.clone(), Some(stop));
            if stop.load(Ordering::Relaxed) {
                // What was found until then may still change.
                break;
            }
            if !self.graph.take_values(&program, &values) {
                self.values = Some(values);
                break;
            }
        }
        self.by_branch = by_branch(&self.graph);
    }

    /// Whether [`Map::deepen`] has nothing to add.
    pub(crate) fn is_deep(&self) -> bool {
        self.values.is_some() || self.graph.len() > ANALYSED
    }

    /// Takes in where runs went by computed exits: the instruction, its kind, the place.
    pub(crate) fn learn(&mut self, guest: &Guest, found: &[(u64, ExitKind, Place)]) {
        let Some(program) = Program::new(guest.shared_architecture(), guest.image()) else { return };
        let mut findings = Vec::new();
        for (branch, kind, to) in found {
            for block in self.blocks_at(*branch) {
                let exits = self.graph.dynamics_of(*block).iter().filter(|dynamic| dynamic.kind == *kind);
                findings.extend(exits.map(|dynamic| Finding {
                    from: self.graph.block(*block).place,
                    exit: dynamic.exit,
                    to: *to,
                    origin: Origin::Executed,
                }));
            }
        }
        if self.graph.learn(&program, &findings) {
            self.values = None;
            self.by_branch = by_branch(&self.graph);
        }
    }

    fn blocks_at(&self, branch: u64) -> &[BlockId] {
        self.by_branch.get(&branch).map_or(&[], Vec::as_slice)
    }

    /// Where a computed jump may lead to, as far as the analysis says.
    pub(crate) fn proposed(&self, branch: u64) -> BTreeSet<u64> {
        let mut targets = BTreeSet::new();
        for block in self.blocks_at(branch) {
            let computed: Vec<u8> =
                self.graph.dynamics_of(*block).iter().map(|dynamic| dynamic.exit).collect();
            for edge in self.graph.successors(*block) {
                if computed.contains(&edge.exit) && !edge.kind.is_behind_call() {
                    targets.insert(self.graph.block(edge.to).place.address);
                }
            }
        }
        targets
    }

    /// Where a return may lead to, as far as the analysis says.
    pub(crate) fn return_targets(&self, branch: u64) -> BTreeSet<u64> {
        let Some(values) = &self.values else { return BTreeSet::new() };
        let mut targets = BTreeSet::new();
        for block in self.blocks_at(branch) {
            let returns = self.graph.dynamics_of(*block).iter();
            for dynamic in returns.filter(|dynamic| dynamic.kind == ExitKind::Return) {
                targets.extend(self.graph.return_targets(values, *block, dynamic.exit));
            }
        }
        targets
    }

    /// What the analysis says of a computed exit.
    pub(crate) fn saturation(&self, branch: u64, kind: ExitKind) -> Option<&Saturation> {
        let of =
            |block: &BlockId| self.graph.dynamics_of(*block).iter().filter(|dynamic| dynamic.kind == kind);
        let mut states = self.blocks_at(branch).iter().flat_map(of).map(|dynamic| &dynamic.state);
        let first = states.next()?;
        // An instruction is in several blocks where it is decoded in several contexts.
        Some(states.fold(first, |all, state| if all.is_saturated() { state } else { all }))
    }

    /// The blocks that can be reached from the entry, as far as the graph goes.
    fn reached(&self) -> Vec<BlockId> {
        let mut seen = vec![false; self.graph.len()];
        let mut open: Vec<BlockId> = self.graph.containing(self.entry).into_iter().collect();
        let mut reached = Vec::new();
        while let Some(block) = open.pop() {
            if !std::mem::replace(&mut seen[block.0 as usize], true) {
                reached.push(block);
                open.extend(self.graph.successors(block).map(|edge| edge.to));
            }
        }
        reached
    }

    /// The last instruction of a block.
    fn branch(&self, block: BlockId) -> Option<Address> {
        self.graph.instructions(block).last().map(|(address, _)| Address(address))
    }

    /// Every indirect exit that can be reached from the entry, as far as the graph goes.
    pub(crate) fn indirect_exits(&self) -> BTreeSet<(u64, ExitKind)> {
        let mut exits = BTreeSet::new();
        for block in self.reached() {
            let indirect = self.graph.dynamics_of(block).iter();
            exits.extend(indirect.filter_map(|exit| self.branch(block).map(|branch| (branch.0, exit.kind))));
        }
        exits
    }

    /// Whether the graph holds all code that it knows the way to.
    pub(crate) fn is_whole(&self) -> bool {
        !self.graph.limit_reached()
            && self.reached().into_iter().all(|block| self.graph.hole(block).is_none())
    }

    /// Every call that names its target.
    pub(crate) fn calls(&self) -> Vec<Direction> {
        let mut calls = Vec::new();
        for block in self.reached() {
            let named = self.graph.successors(block).filter(|edge| edge.kind == EdgeKind::Call);
            for edge in named {
                let target = Address(self.graph.block(edge.to).place.address);
                calls.extend(self.branch(block).map(|branch| Direction { branch, target }));
            }
        }
        calls
    }

    /// The directions of every branch that can be reached from the entry, as far as the graph goes. They come from single
    /// instructions, as those of blocks that are run do; an indirect jump that is resolved has one for each target.
    pub(crate) fn directions(&mut self, guest: &Guest) -> Vec<Direction> {
        let mut directions = Vec::new();
        for block in self.reached() {
            let place = self.graph.block(block).place;
            if place.part == 0 {
                let starts: Vec<u64> = self.graph.instructions(block).map(|(address, _)| address).collect();
                let singles = &mut self.singles;
                let single = |at: Place| {
                    singles.entry(at).or_insert_with(|| guest.instruction(at).map(Arc::new)).clone()
                };
                directions.extend(named_directions(place, &starts, single));
            }
            let Some(branch) = self.branch(block) else { continue };
            for indirect in self.graph.dynamics_of(block) {
                if indirect.kind == ExitKind::Return || !indirect.state.is_saturated() {
                    continue;
                }
                let targets = self
                    .graph
                    .successors(block)
                    .filter(|edge| edge.exit == indirect.exit && !edge.kind.is_behind_call());
                let targets = targets.map(|edge| Address(self.graph.block(edge.to).place.address));
                directions.extend(targets.map(|target| Direction { branch, target }));
            }
        }
        directions
    }

    /// Whether control flow may lead from an instruction to another, as far as the graph says. Where it does not know, it may.
    pub(crate) fn may_lead(&self, from: u64, to: u64) -> bool {
        let holds = |block: BlockId, address: u64| {
            self.graph.instructions(block).any(|(instruction, _)| instruction == address)
        };
        let mut open: Vec<BlockId> = self.graph.blocks().filter(|block| holds(*block, from)).collect();
        let is_known = self.graph.blocks().any(|block| holds(block, to));
        if open.is_empty() || !is_known || self.graph.limit_reached() {
            return true;
        }
        let mut seen = vec![false; self.graph.len()];
        let mut returned = false;
        while let Some(block) = open.pop() {
            if std::mem::replace(&mut seen[block.0 as usize], true) {
                continue;
            }
            if holds(block, to) || self.graph.hole(block).is_some() {
                return true;
            }
            for indirect in self.graph.dynamics_of(block) {
                if indirect.kind != ExitKind::Return && !indirect.state.is_saturated() {
                    return true;
                }
                // A return leads behind any call.
                if indirect.kind == ExitKind::Return && !std::mem::replace(&mut returned, true) {
                    let behind = self.graph.edges().filter(|edge| edge.kind.is_behind_call());
                    open.extend(behind.map(|edge| edge.to));
                }
            }
            open.extend(self.graph.successors(block).map(|edge| edge.to));
        }
        false
    }

    /// Directions that the values before their branch exclude, with those values. Nothing is said unless the graph knows
    /// every way into the code: a jump from elsewhere could bring other values. What is said was checked again: a solver
    /// found no state with such values in which the branch goes there.
    pub(crate) fn excluded(&self, guest: &Guest, limits: &Limits) -> BTreeMap<Direction, String> {
        let mut excluded = BTreeMap::new();
        let saturated = self.graph.dynamics().all(|dynamic| dynamic.state.is_saturated());
        let Some(program) = Program::new(guest.shared_architecture(), guest.image()) else { return excluded };
        let Some(values) = self.values.as_ref().filter(|values| values.is_complete()) else {
            return excluded;
        };
        if !saturated || self.distrusted || self.graph.limit_reached() {
            return excluded;
        }
        let mut all = true;
        let mut dead: BTreeSet<(BlockId, u8)> = BTreeSet::new();
        for (block, exit) in values.dead_exits() {
            if limits.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                all = false;
                break;
            }
            let Some(claims) = values.claims(&program, &self.graph, *block, *exit) else { continue };
            let ask = |claim: &Claim<'_>| check_claim(claim, Stack::default().build(), limits);
            let right = |claim: &Claim<'_>| matches!(ask(claim), Answer::None(_));
            if claims.is_empty() || !claims.iter().all(right) {
                all = false;
                continue;
            }
            let told = match values.before(*block) {
                [(_, state)] => told(guest, state),
                _ => "by function".to_owned(),
            };
            let ways = claims.len();
            let evidence = format!(
                "the values before the branch exclude it ({told}); a solver agrees, asked for {ways} {} to it",
                if ways == 1 { "way" } else { "ways" }
            );
            dead.insert((*block, *exit));
            self.exclude(*block, Some(*exit), &evidence, &mut excluded);
        }
        if values.is_rooted() && all {
            for block in self.reached().into_iter().filter(|block| values.ways(*block).is_empty()) {
                let evidence = "values exclude every way to the branch, and a solver agrees for each";
                dead.extend(self.graph.successors(block).map(|edge| (block, edge.exit)));
                self.exclude(block, None, evidence, &mut excluded);
            }
        }
        // The same instruction may end several blocks, one for each decoding context: each must exclude the direction.
        excluded.retain(|direction, _| {
            let blocks = self.blocks_at(direction.branch.0).iter();
            blocks.flat_map(|block| self.graph.successors(*block).map(|edge| (*block, edge))).all(
                |(block, edge)| {
                    self.graph.block(edge.to).place.address != direction.target.0
                        || dead.contains(&(block, edge.exit))
                },
            )
        });
        excluded
    }

    /// Notes the directions of an exit of a block, or of all of its exits.
    fn exclude(
        &self,
        block: BlockId,
        exit: Option<u8>,
        evidence: &str,
        excluded: &mut BTreeMap<Direction, String>,
    ) {
        let Some(branch) = self.branch(block) else { return };
        for edge in self.graph.successors(block).filter(|edge| exit.is_none_or(|exit| exit == edge.exit)) {
            let target = Address(self.graph.block(edge.to).place.address);
            excluded.insert(Direction { branch, target }, evidence.to_owned());
        }
    }
}

/// The blocks that end with each instruction.
fn by_branch(graph: &Graph) -> HashMap<u64, Vec<BlockId>> {
    let mut by_branch: HashMap<u64, Vec<BlockId>> = HashMap::new();
    for block in graph.blocks() {
        if let Some((last, _)) = graph.instructions(block).last() {
            by_branch.entry(last).or_default().push(block);
        }
    }
    by_branch
}

/// What is known of registers, in words.
fn told(guest: &Guest, state: &State) -> String {
    let architecture = guest.architecture();
    let layout = architecture.layout();
    let mut known = Vec::new();
    for register in architecture.specification().registers() {
        let Some((location, width)) = architecture.register(&register.name) else { continue };
        let value = state.place(layout, location, width);
        if value.base.is_none()
            && let Some(few) = value.number.few().filter(|few| few.len() <= 4)
        {
            let few: Vec<String> = few.iter().map(|number| format!("{number:#x}")).collect();
            known.push(format!("{} is {}", register.name, few.join(" or ")));
        }
    }
    if known.is_empty() { "by memory".to_owned() } else { known.join(", ") }
}

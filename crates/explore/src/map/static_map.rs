//! The static analysis beside an exploration: control-flow graph and value sets, indexed by branch.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use everypath_analyze::{
    AnalysisOptions, BlockId, Edge, EdgeKind, EdgeOrigin, EntryState, Flow, Graph, ObservedTarget, Program,
    Resolution, Settings, Trust, ValueSets,
};
use everypath_environment::{Guest, WaypointPlace};
use everypath_ir::{AddressRange, AddressSet, Block, ExitKind, Place, Statement};
use everypath_machine::Regions;
use everypath_record::{Address, Direction};
use rustc_hash::FxHashMap;

use crate::map::branches::CodeBranches;
use crate::map::escapes::{BehindTrap, Escape, behind_trap, code_at, escapes_of};
use crate::map::handler_writes::{HandlerEffects, Written, effects_of, kept_registers};

/// Maximum number of basic blocks of a graph: exploration does not wait for larger ones.
const BLOCKS: usize = 200_000;

/// Maximum number of basic blocks of a graph for value-set analysis.
const ANALYSED: usize = 20_000;

/// Maximum number of rounds of value-set analysis and graph extension.
const ROUNDS: usize = 16;

/// The control-flow graph with its value sets, indexed by branch.
pub(crate) struct ProgramMap {
    pub(super) graph: Graph,
    /// The entry, and functions that code outside of the file has called.
    entries: Vec<Place>,
    /// Whether code outside of the file, such as a library, runs between that of the graph.
    is_process: bool,
    /// Options of the value-set analysis: the entry state, and the memory that is volatile.
    options: AnalysisOptions,
    /// The value sets of this graph, once they are needed.
    pub(super) values: Option<ValueSets>,
    /// Whether any memory may be volatile, so that value sets prove nothing.
    pub(super) distrusted: bool,
    /// The memory map of code.
    regions: Option<Regions>,
    /// The blocks by their last instruction.
    by_branch: HashMap<u64, Vec<BlockId>>,
    /// Number of changes of the graph.
    generation: u64,
    /// Whether nothing escapes from the graph of this generation but by indirect exits, once that was asked.
    is_whole: OnceCell<bool>,
    /// Cache of instructions lifted alone.
    singles: FxHashMap<Place, Option<Arc<Block>>>,
}

impl ProgramMap {
    /// Recovers the graph of a guest from its entry. In the entry state, bytes that depend on input have terms.
    pub(crate) fn recover(
        guest: &Guest,
        (entries, is_process): (Vec<Place>, bool),
        volatile: AddressSet,
        state: &mut everypath_machine::State,
        stop: &Arc<AtomicBool>,
    ) -> Option<ProgramMap> {
        let program = Program::new(guest.shared_architecture(), guest.image())?;
        let start = Arc::new(EntryState::of(state, guest.architecture()));
        let options = AnalysisOptions {
            volatile,
            start: entries.first().map(|entry| (*entry, start)),
            ..AnalysisOptions::new(&program, Trust::Nothing)
        };
        let mut settings = Settings {
            entries: entries.clone(),
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
        let regions = state.regions(guest.code_space()).cloned();
        let (values, distrusted) = (None, is_process);
        Some(ProgramMap {
            graph,
            entries,
            is_process,
            options,
            values,
            distrusted,
            regions,
            by_branch,
            generation: 0,
            is_whole: OnceCell::new(),
            singles,
        })
    }

    /// Whether the program does not write its own code, as far as the graph goes. Where it could, the context-sensitive
    /// analysis tells whether it does, and the other one does not; neither knows of memory that only the configuration
    /// makes writable.
    pub(super) fn is_code_constant(&self, program: &Program<'_>, is_context_sensitive: bool) -> bool {
        let may_write = |address: u64| {
            let region = self.regions.as_ref().and_then(|regions| regions.at(address));
            region.is_some_and(|region| region.permissions.write)
        };
        let mut starts = self.graph.blocks().map(|block| self.graph.block(block).place.address);
        starts.all(|address| {
            !may_write(address) || is_context_sensitive && program.is_writable_code(address, address)
        })
    }

    /// Adds memory that interrupt handlers and devices may write.
    pub(crate) fn add_volatile(&mut self, ranges: impl Iterator<Item = AddressRange>) {
        self.options.volatile.extend(ranges);
    }

    /// Whether nothing but the program is known to write its memory.
    pub(crate) fn is_trusted(&self) -> bool {
        !self.distrusted
    }

    /// Declares that any memory may be volatile.
    pub(crate) fn distrust(&mut self) {
        self.distrusted = true;
    }

    /// The entry, and functions that code outside of the file has called.
    pub(crate) fn entries(&self) -> &[Place] {
        &self.entries
    }

    /// Whether an address lies in an instruction that the graph reaches from the entry.
    pub(crate) fn covers(&self, address: u64) -> bool {
        let has = |(start, length): (u64, u8)| address.wrapping_sub(start) < u64::from(length.max(1));
        self.reached().into_iter().any(|block| self.graph.instructions(block).any(has))
    }

    /// The instruction of the graph that an address is inside of, or in whose delay slot it is.
    pub(crate) fn outer_instruction(&self, guest: &Guest, address: u64) -> Option<u64> {
        let mut outer = None;
        for block in self.graph.blocks() {
            let context = self.graph.block(block).place.context;
            let instructions: Vec<(u64, u8)> = self.graph.instructions(block).collect();
            for (number, (start, length)) in instructions.iter().enumerate() {
                let before = number.checked_sub(1).map(|before| instructions[before].0);
                if *start == address {
                    let slot_of = before.filter(|before| {
                        let single = guest.instruction(Place::new(*before, context));
                        single.is_some_and(|single| single.instructions().any(|(own, _)| own == address))
                    });
                    // Control arrives there if it is an instruction of its own somewhere.
                    slot_of?;
                    outer = slot_of;
                } else if address.wrapping_sub(*start) < u64::from(*length) {
                    outer = outer.or(Some(*start));
                }
            }
        }
        outer
    }

    /// Whether an address is in the graph, and no block ends with an instruction there.
    pub(crate) fn ends_no_block(&self, address: u64) -> bool {
        self.blocks_at(address).is_empty()
            && self.graph.blocks().any(|block| {
                self.graph
                    .instructions(block)
                    .any(|(start, length)| address.wrapping_sub(start) < u64::from(length))
            })
    }

    /// Every instruction that the graph reaches from the entry.
    pub(crate) fn instructions(&self) -> BTreeSet<u64> {
        let blocks = self.reached().into_iter();
        blocks.flat_map(|block| self.graph.instructions(block).map(|(address, _)| address)).collect()
    }

    /// Runs the value-set analysis, unless that was done, and adds the targets that it finds to the graph. It runs on
    /// demand, because an exploration of every path never needs it.
    pub(crate) fn deepen(&mut self, guest: &Guest, stop: &AtomicBool) {
        let program = Program::new(guest.shared_architecture(), guest.image());
        let Some(program) = program.filter(|_| !self.is_deep()) else {
            return;
        };
        // Edges added by value sets may refine the value sets.
        for _ in 0..ROUNDS {
            let values = ValueSets::analyse(&program, &self.graph, self.options.clone(), Some(stop));
            if stop.load(Ordering::Relaxed) {
                // An interrupted analysis has not reached its fixpoint.
                break;
            }
            if !self.graph.take_values(&program, &values) {
                self.values = Some(values);
                // Handlers that it installs may do what value sets know nothing of.
                self.distrusted |= self.may_install_handlers(guest, &program);
                break;
            }
        }
        self.note_change();
    }

    /// Computes anew what depends on the graph, which has changed.
    fn note_change(&mut self) {
        self.by_branch = by_branch(&self.graph);
        self.generation += 1;
        self.is_whole = OnceCell::new();
    }

    /// Whether the graph reaches code that may install interrupt handlers: an operation without a model, or a write of what determines
    /// them. Stores at unknown addresses are not such a write; a path that makes one is looked at when it runs.
    fn may_install_handlers(&mut self, guest: &Guest, program: &Program<'_>) -> bool {
        let bases = guest.vector_bases();
        let ranges =
            bases.iter().filter_map(|(location, size)| AddressRange::of_bytes(*location, *size as u64));
        let ranges: Vec<AddressRange> = ranges.collect();
        let installs = |block: &Block, statement: &Statement| match statement {
            Statement::User { operation, .. } => !guest.is_modelled(*operation),
            Statement::Put { location, value } => {
                let written = AddressRange::of_value(*location, block.width(*value));
                ranges.iter().any(|range| range.overlaps(&written))
            }
            _ => false,
        };
        let reached = self.reached();
        let has_such_code = reached.iter().any(|block| {
            let context = self.graph.block(*block).place.context;
            self.graph.instructions(*block).any(|(address, _)| {
                let place = Place::new(address, context);
                let single =
                    self.singles.entry(place).or_insert_with(|| guest.instruction(place).map(Arc::new));
                single.as_ref().is_some_and(|single| {
                    single.statements.iter().any(|statement| installs(single, statement))
                })
            })
        });
        let is_in_memory = |range: &AddressRange| range.space == program.code_space();
        has_such_code || ranges.iter().any(is_in_memory) && self.may_store_to(program, &reached, &ranges)
    }

    /// Whether one of these blocks stores to one of these ranges, at an address that value sets know.
    fn may_store_to(&self, program: &Program<'_>, blocks: &[BlockId], ranges: &[AddressRange]) -> bool {
        let Some(values) = &self.values else { return true };
        let (kept, mut effects) = (kept_registers(program), HandlerEffects::default());
        for block in blocks {
            effects_of(program, &self.graph, values, *block, &kept, &mut effects);
        }
        effects.written.iter().any(|written| {
            matches!(written, Written::Range(written) if ranges.iter().any(|range| range.overlaps(written)))
        })
    }

    /// Number of changes of the graph: what was computed from it before the last one is outdated.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// Whether [`ProgramMap::deepen`] has nothing to add.
    pub(crate) fn is_deep(&self) -> bool {
        self.is_process || self.values.is_some() || self.graph.len() > ANALYSED
    }

    /// Adds executed targets of indirect exits to the graph: instruction, kind of exit, target.
    pub(crate) fn learn(&mut self, guest: &Guest, found: &[(u64, ExitKind, Place)]) {
        let Some(program) = Program::new(guest.shared_architecture(), guest.image()) else { return };
        let mut findings = Vec::new();
        for (branch, kind, to) in found {
            for block in self.blocks_at(*branch) {
                let exits = self.graph.indirect_exits_of(*block).iter().filter(|exit| exit.kind == *kind);
                findings.extend(exits.map(|exit| ObservedTarget {
                    from: self.graph.block(*block).place,
                    exit: exit.exit,
                    to: *to,
                    origin: EdgeOrigin::Executed,
                }));
            }
        }
        if self.graph.learn(&program, &findings) {
            self.values = None;
            self.note_change();
        }
        // A limit may be reached though nothing was added.
        self.is_whole = OnceCell::new();
    }

    /// The blocks that the graph reaches from the entry by the addresses at which they start, numbered in reverse post-order.
    pub(crate) fn ranks(&self) -> HashMap<u64, u32> {
        let entries = self.entries.iter().rev().filter_map(|entry| self.graph.find_anyhow(*entry));
        let order: Vec<BlockId> = entries.flat_map(|entry| self.graph.reverse_postorder(entry)).collect();
        let starts = order.into_iter().map(|block| self.graph.block(block).place.address);
        starts.zip(0..).collect()
    }

    /// How far blocks are from a branch, by the addresses at which they start.
    pub(crate) fn distances(&self, branch: u64) -> HashMap<u64, u32> {
        let distances = self.graph.distances(self.blocks_at(branch));
        distances.map(|(block, distance)| (self.graph.block(block).place.address, distance)).collect()
    }

    /// The blocks of the graph that control passes at a place: those with the instruction, or those that end with the branch.
    pub(super) fn blocks_of_place(&self, place: WaypointPlace) -> Vec<BlockId> {
        match place {
            WaypointPlace::Instruction(address) => {
                let has = |block: &BlockId| self.instructions_of(*block).any(|one| one == address);
                self.graph.blocks().filter(has).collect()
            }
            WaypointPlace::Direction { branch, .. } => self.blocks_at(branch).to_vec(),
        }
    }

    /// How far each instruction of the graph is from the nearest of some places, `u32::MAX` if no path with matched calls and
    /// returns leads to one; none if the graph has no such place.
    pub(crate) fn distances_to_places(&self, places: &[WaypointPlace]) -> Option<FxHashMap<u64, u32>> {
        let blocks: Vec<BlockId> = places.iter().flat_map(|place| self.blocks_of_place(*place)).collect();
        (!blocks.is_empty()).then(|| self.distances_to_blocks(&blocks))
    }

    /// How far each instruction is from where the graph ends: an indirect jump or call that may have other targets, or bytes that
    /// are no instruction.
    pub(crate) fn distances_to_unresolved(&self) -> FxHashMap<u64, u32> {
        let is_unresolved = |block: &BlockId| {
            let mut exits = self.graph.indirect_exits_of(*block).iter();
            self.graph.limit_reached()
                || self.graph.hole(*block).is_some()
                || exits.any(|exit| exit.kind != ExitKind::Return && !exit.state.is_resolved())
        };
        let blocks: Vec<BlockId> = self.graph.blocks().filter(is_unresolved).collect();
        self.distances_to_blocks(&blocks)
    }

    /// How far each instruction is from the nearest of some blocks.
    fn distances_to_blocks(&self, blocks: &[BlockId]) -> FxHashMap<u64, u32> {
        let mut distances = FxHashMap::default();
        let all = self.graph.blocks().flat_map(|block| self.instructions_of(block));
        distances.extend(all.map(|address| (address, u32::MAX)));
        for (block, distance) in self.graph.distances(blocks) {
            for address in self.instructions_of(block) {
                let known = distances.entry(address).or_insert(distance);
                *known = distance.min(*known);
            }
        }
        distances
    }

    pub(super) fn blocks_at(&self, branch: u64) -> &[BlockId] {
        self.by_branch.get(&branch).map_or(&[], Vec::as_slice)
    }

    /// The targets of an indirect jump or call that the graph knows.
    pub(crate) fn proposed(&self, branch: u64) -> BTreeSet<u64> {
        let mut targets = BTreeSet::new();
        for block in self.blocks_at(branch) {
            let computed: Vec<u8> =
                self.graph.indirect_exits_of(*block).iter().map(|exit| exit.exit).collect();
            for edge in self.graph.successors(*block) {
                if computed.contains(&edge.exit) && !edge.kind.is_call_continuation() {
                    targets.insert(self.graph.block(edge.to).place.address);
                }
            }
        }
        targets
    }

    /// Whether an executed target refutes the analysis: it calls the exit resolved, and does not propose the target.
    pub(crate) fn is_refuted_by(&self, branch: u64, kind: ExitKind, to: Place) -> bool {
        let is_resolved = matches!(self.resolution(branch, kind), Some(Resolution::Resolved(_)));
        is_resolved && !self.proposed(branch).contains(&to.address)
    }

    /// The targets of a return that the value sets allow.
    pub(crate) fn return_targets(&self, branch: u64) -> BTreeSet<u64> {
        let Some(values) = &self.values else { return BTreeSet::new() };
        let mut targets = BTreeSet::new();
        for block in self.blocks_at(branch) {
            let returns = self.graph.indirect_exits_of(*block).iter();
            for exit in returns.filter(|exit| exit.kind == ExitKind::Return) {
                targets.extend(self.graph.return_targets(values, *block, exit.exit));
            }
        }
        targets
    }

    /// The resolution of an indirect exit by the static analysis.
    pub(crate) fn resolution(&self, branch: u64, kind: ExitKind) -> Option<&Resolution> {
        let of =
            |block: &BlockId| self.graph.indirect_exits_of(*block).iter().filter(|exit| exit.kind == kind);
        let mut states = self.blocks_at(branch).iter().flat_map(of).map(|exit| &exit.state);
        let first = states.next()?;
        // An instruction is in several blocks where it is decoded in several contexts.
        Some(states.fold(first, |all, state| if all.is_resolved() { state } else { all }))
    }

    /// The blocks that the graph reaches from the entry.
    pub(super) fn reached(&self) -> Vec<BlockId> {
        self.reached_without(&BTreeSet::new())
    }

    /// The blocks that the graph reaches from the entry if these exits of blocks are never taken.
    pub(super) fn reached_without(&self, dead: &BTreeSet<(BlockId, u8)>) -> Vec<BlockId> {
        let mut seen = vec![false; self.graph.len()];
        let mut open: Vec<BlockId> =
            self.entries.iter().flat_map(|entry| self.graph.containing(*entry)).collect();
        let mut reached = Vec::new();
        while let Some(block) = open.pop() {
            if !std::mem::replace(&mut seen[block.0 as usize], true) {
                reached.push(block);
                let taken = self.graph.successors(block).filter(|edge| !dead.contains(&(block, edge.exit)));
                open.extend(taken.map(|edge| edge.to));
            }
        }
        reached
    }

    /// The last instruction of a block.
    pub(super) fn branch(&self, block: BlockId) -> Option<Address> {
        self.graph.instructions(block).last().map(|(address, _)| Address(address))
    }

    /// Every indirect exit that the graph reaches from the entry.
    pub(crate) fn indirect_exits(&self) -> BTreeSet<(u64, ExitKind)> {
        let mut exits = BTreeSet::new();
        for block in self.reached() {
            let indirect = self.graph.indirect_exits_of(block).iter();
            exits.extend(indirect.filter_map(|exit| self.branch(block).map(|branch| (branch.0, exit.kind))));
        }
        exits
    }

    /// Whether the graph was recovered without a limit being reached, and nothing escapes from it but by indirect exits.
    pub(crate) fn is_whole(&self, guest: &Guest) -> bool {
        *self.is_whole.get_or_init(|| {
            let may_lack_code =
                |block| escapes_of(&self.graph, guest, block).any(|escape| escape != Escape::UnresolvedExit);
            !self.graph.limit_reached() && !self.reached().into_iter().any(may_lack_code)
        })
    }

    /// Whether there is code behind a trap that the graph does not reach from the entry. The static analysis takes each trap to end
    /// the program; a debugger continues after a breakpoint.
    pub(crate) fn lacks_code_behind(&self, guest: &Guest, next: Place) -> bool {
        match code_at(&self.graph, guest, next) {
            BehindTrap::Listed(_) => !self.covers(next.address),
            BehindTrap::Unlisted => true,
            BehindTrap::Nothing => false,
        }
    }

    /// The caveat of evidence that rests on the graph, if it has traps.
    pub(crate) fn trap_caveat(&self) -> &'static str {
        match self.reached().into_iter().any(|block| self.graph.ends_execution(block)) {
            true => "; instructions that trap are taken to end the program",
            false => "",
        }
    }

    /// Every call edge that the graph reaches from the entry.
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

    /// The branches that the graph reaches from the entry. Their directions come from single instructions, as those of
    /// executed blocks do; a resolved indirect jump has one for each target.
    pub(crate) fn branches(&mut self, guest: &Guest) -> CodeBranches {
        let mut branches = CodeBranches::default();
        for block in self.reached() {
            let place = self.graph.block(block).place;
            if place.part == 0 {
                let starts: Vec<u64> = self.graph.instructions(block).map(|(address, _)| address).collect();
                let singles = &mut self.singles;
                let single = |at: Place| {
                    singles.entry(at).or_insert_with(|| guest.instruction(at).map(Arc::new)).clone()
                };
                branches.add(place, &starts, single);
            }
            let Some(branch) = self.branch(block) else { continue };
            for indirect in self.graph.indirect_exits_of(block) {
                if indirect.kind == ExitKind::Return || !indirect.state.is_resolved() {
                    continue;
                }
                let targets = self
                    .graph
                    .successors(block)
                    .filter(|edge| edge.exit == indirect.exit && !edge.kind.is_call_continuation());
                let targets = targets.map(|edge| Address(self.graph.block(edge.to).place.address));
                branches.directions.extend(targets.map(|target| Direction { branch, target }));
            }
        }
        branches
    }

    /// The blocks to which control flow may lead from an instruction, with its own; `None` where the graph does not bound
    /// them.
    pub(crate) fn reachable_from(&self, guest: &Guest, from: u64) -> Option<Vec<BlockId>> {
        let holds = |block: &BlockId| self.graph.instructions(*block).any(|(address, _)| address == from);
        let mut open: Vec<BlockId> = self.graph.blocks().filter(holds).collect();
        // A library may call any function of the program.
        if open.is_empty() || self.is_process || self.graph.limit_reached() {
            return None;
        }
        let mut seen = vec![false; self.graph.len()];
        let (mut found, mut returned) = (Vec::new(), false);
        while let Some(block) = open.pop() {
            if std::mem::replace(&mut seen[block.0 as usize], true) {
                continue;
            }
            if escapes_of(&self.graph, guest, block).next().is_some() {
                return None;
            }
            if let Some(BehindTrap::Listed(behind)) = behind_trap(&self.graph, guest, block) {
                open.push(behind);
            }
            found.push(block);
            for indirect in self.graph.indirect_exits_of(block) {
                // A return may lead to the code after any call.
                if indirect.kind == ExitKind::Return && !std::mem::replace(&mut returned, true) {
                    let behind = self.graph.edges().filter(|edge| edge.kind.is_call_continuation());
                    open.extend(behind.map(|edge| edge.to));
                }
            }
            open.extend(self.graph.successors(block).map(|edge| edge.to));
        }
        Some(found)
    }

    /// Whether the program may leave the loop around a place: the strongly connected component of its function's graph. If the graph
    /// does not tell, it may.
    pub(crate) fn may_leave_loop(&self, place: Place) -> bool {
        let block = self.graph.containing_anyhow(place);
        let Some((block, function)) = block.and_then(|block| Some((block, self.graph.function_of(block)?)))
        else {
            return true;
        };
        let flow = Flow::of(&self.graph, function);
        let Some(number) = flow.blocks.iter().position(|one| *one == block) else { return true };
        let component = flow.component(number as u32);
        let inside: BTreeSet<BlockId> = component.iter().map(|one| flow.blocks[*one as usize]).collect();
        inside.iter().copied().any(|block| {
            let leads_out = |edge: &Edge| edge.kind != EdgeKind::Call && !inside.contains(&edge.to);
            let mut exits = self.graph.indirect_exits_of(block).iter();
            self.graph.hole(block).is_some()
                || self.graph.successors(block).any(leads_out)
                || exits.any(|exit| exit.kind == ExitKind::Return || !exit.state.is_resolved())
        })
    }

    /// The blocks of the graph.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = BlockId> + '_ {
        self.graph.blocks()
    }

    /// The addresses of the instructions of a block.
    pub(crate) fn instructions_of(&self, block: BlockId) -> impl Iterator<Item = u64> + '_ {
        self.graph.instructions(block).map(|(address, _)| address)
    }
}

/// Indexes the blocks by their last instruction.
fn by_branch(graph: &Graph) -> HashMap<u64, Vec<BlockId>> {
    let mut by_branch: HashMap<u64, Vec<BlockId>> = HashMap::new();
    for block in graph.blocks() {
        if let Some((last, _)) = graph.instructions(block).last() {
            by_branch.entry(last).or_default().push(block);
        }
    }
    by_branch
}

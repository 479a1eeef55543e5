//! The control-flow graph: flat arrays of blocks and edges, linked by index.

mod edit;

use super::node::{BlockId, Edge, EdgeKind, Evidence, Function, FunctionId, IndirectExit, NONE, Node};
use everypath_image::{FileKind, Image};
use everypath_ir::{Context, Place};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

const FROM: usize = 0;
const TO: usize = 1;

/// The control-flow graph of a program.
///
/// Interprocedural edges are separate: a call has an edge to the callee and a call fall-through edge to the
/// return address, which exists only if the callee can return. Each edge records how it was found.
#[derive(Debug, Default)]
pub struct Graph {
    pub(crate) nodes: Vec<Node>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) functions: Vec<Function>,
    /// Evidence for each function entry, including entries without code.
    pub(crate) evidence: BTreeMap<Place, Evidence>,
    starts: FxHashMap<Place, BlockId>,
    /// The block of each instruction that is not the first in its block.
    inside: FxHashMap<Place, BlockId>,
    lengths: Vec<u8>,
    indirect: BTreeMap<BlockId, Vec<IndirectExit>>,
    /// Blocks that lost an incoming edge since the last partition.
    unlinked: Vec<BlockId>,
    holes: BTreeMap<Place, String>,
    limit_reached: bool,
    /// End addresses of blocks that trap or stop the program.
    ended: BTreeSet<u64>,
    /// End addresses of blocks that return to an address that they have put in place of the return address.
    overwritten_returns: BTreeSet<u64>,
    /// End addresses of blocks that call the next instruction, or code that does not return to its caller.
    calls_as_jumps: BTreeSet<u64>,
    /// All contexts in which code was decoded.
    contexts: BTreeSet<Context>,
    /// True if the file can be loaded at any address.
    pub(super) is_movable: bool,
    /// True if memory becomes read-only when the program has been loaded.
    pub(super) is_settled: bool,
}

impl Graph {
    /// An empty graph of an image.
    pub(crate) fn of(image: &Image) -> Graph {
        let is_movable = image.machine().is_some_and(|machine| machine.kind == FileKind::Shared);
        let is_settled = !image.settled_ranges().is_empty();
        Graph { is_movable, is_settled, ..Graph::default() }
    }

    /// Number of blocks; block numbers are below it.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns true if there is no block.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The numbers of all blocks.
    pub fn blocks(&self) -> impl Iterator<Item = BlockId> + use<> {
        (0..self.nodes.len() as u32).map(BlockId)
    }

    /// A block.
    ///
    /// # Panics
    /// If the number is of another graph.
    pub fn block(&self, id: BlockId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The block that starts at a place.
    pub fn find(&self, place: Place) -> Option<BlockId> {
        self.starts.get(&place).copied()
    }

    /// The block that starts at a place, or at the same address in another context: on some processors the context
    /// carries bits that do not matter after a return.
    pub fn find_anyhow(&self, place: Place) -> Option<BlockId> {
        let elsewhere =
            || self.contexts.iter().find_map(|context| self.find(Place { context: *context, ..place }));
        self.find(place).or_else(elsewhere)
    }

    /// The block that contains an instruction at a place, or at the same address in another context.
    pub fn containing_anyhow(&self, place: Place) -> Option<BlockId> {
        let elsewhere =
            || self.contexts.iter().find_map(|context| self.containing(Place { context: *context, ..place }));
        self.containing(place).or_else(elsewhere)
    }

    /// The block that contains an instruction at a place.
    pub fn containing(&self, place: Place) -> Option<BlockId> {
        self.find(place).or_else(|| self.around(place))
    }

    /// The block that has an instruction at a place which is not its first.
    pub(crate) fn around(&self, place: Place) -> Option<BlockId> {
        self.inside.get(&place).copied()
    }

    /// All contexts in which code was decoded.
    pub(crate) fn contexts(&self) -> impl Iterator<Item = Context> + '_ {
        self.contexts.iter().copied()
    }

    /// All edges.
    pub fn edges(&self) -> impl Iterator<Item = &Edge> + '_ {
        self.edges.iter().filter(|edge| edge.from != BlockId(NONE))
    }

    /// The edges from a block.
    pub fn successors(&self, id: BlockId) -> impl Iterator<Item = &Edge> + '_ {
        self.chain(self.nodes[id.index()].first[FROM], FROM)
    }

    /// The edges to a block.
    pub fn predecessors(&self, id: BlockId) -> impl Iterator<Item = &Edge> + '_ {
        self.chain(self.nodes[id.index()].first[TO], TO)
    }

    fn chain(&self, first: u32, side: usize) -> impl Iterator<Item = &Edge> + '_ {
        let mut next = first;
        std::iter::from_fn(move || {
            let edge = self.edges.get(next as usize)?;
            next = edge.next[side];
            Some(edge)
        })
    }

    /// The numbers of the edges to a block.
    pub(crate) fn edges_to(&self, id: BlockId) -> Vec<u32> {
        let mut numbers = Vec::new();
        let mut next = self.nodes[id.index()].first[TO];
        while let Some(edge) = self.edges.get(next as usize) {
            numbers.push(next);
            next = edge.next[TO];
        }
        numbers
    }

    /// The indirect exits of a block.
    pub fn indirect_exits_of(&self, id: BlockId) -> &[IndirectExit] {
        self.indirect.get(&id).map_or(&[], Vec::as_slice)
    }

    /// All indirect exits, by block.
    pub fn indirect_exits(&self) -> impl Iterator<Item = &IndirectExit> + '_ {
        self.indirect.values().flatten()
    }

    pub(crate) fn indirect_exit_mut(&mut self, id: BlockId, exit: u8) -> Option<&mut IndirectExit> {
        self.indirect.get_mut(&id)?.iter_mut().find(|indirect| indirect.exit == exit)
    }

    /// The functions, by the address of their entry.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// A function.
    ///
    /// # Panics
    /// If the number is of another graph.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }

    /// The function that a block belongs to. A shared block belongs to the first of its functions.
    pub fn function_of(&self, id: BlockId) -> Option<FunctionId> {
        let function = self.nodes[id.index()].function;
        (function != NONE).then_some(FunctionId(function))
    }

    /// Returns true if a block is a function entry.
    pub(crate) fn is_entry(&self, id: BlockId) -> bool {
        self.function_of(id).is_some_and(|function| self.function(function).entry == id)
    }

    /// The function that starts at a place.
    pub fn function_at(&self, place: Place) -> Option<FunctionId> {
        let block = self.find_anyhow(place)?;
        self.function_of(block).filter(|function| self.function(*function).entry == block)
    }

    /// The addresses and lengths of the instructions of a block.
    pub fn instructions(&self, id: BlockId) -> impl Iterator<Item = (u64, u8)> + '_ {
        let node = &self.nodes[id.index()];
        let (start, count) = (node.lengths.0 as usize, node.lengths.1 as usize);
        let mut address = node.place.address;
        self.lengths[start..start + count].iter().map(move |length| {
            let here = address;
            address = address.wrapping_add(u64::from(*length));
            (here, *length)
        })
    }

    /// Why a block has no code.
    pub fn hole(&self, id: BlockId) -> Option<&str> {
        self.holes.get(&self.nodes[id.index()].place).map(String::as_str)
    }

    /// Targets without code, with the reason.
    pub fn holes(&self) -> impl Iterator<Item = (Place, &str)> + '_ {
        self.holes.iter().map(|(place, why)| (*place, why.as_str()))
    }

    /// Returns true if recovery hit a limit or was stopped.
    pub fn limit_reached(&self) -> bool {
        self.limit_reached
    }

    /// Returns true if a block ends in a return to an address that it has put in place of the return address: it is a jump.
    pub(crate) fn overwrites_return_address(&self, id: BlockId) -> bool {
        self.overwritten_returns.contains(&self.nodes[id.index()].end)
    }

    /// Number of calls of the next instruction, or of code that does not return to its caller.
    pub(crate) fn calls_as_jumps(&self) -> usize {
        self.calls_as_jumps.len()
    }

    /// Number of blocks that trap or stop the program.
    pub(crate) fn trap_count(&self) -> usize {
        self.ended.len()
    }

    /// Returns true if execution ends in a block, by an operation that traps or stops the program.
    pub fn ends_execution(&self, id: BlockId) -> bool {
        self.ended.contains(&self.nodes[id.index()].end) && self.successors(id).next().is_none()
    }

    /// The blocks that leave a function by a return or a tail call.
    pub fn leaves(&self, function: FunctionId) -> impl Iterator<Item = BlockId> + '_ {
        let leaves = |id: &BlockId| {
            self.indirect_exits_of(*id).iter().any(|exit| exit.kind == everypath_ir::ExitKind::Return)
                || self.successors(*id).any(|edge| edge.kind == EdgeKind::TailCall)
        };
        self.function(function).blocks.iter().copied().filter(leaves)
    }

    /// The edges that call or tail-call a function.
    pub fn callers(&self, function: FunctionId) -> impl Iterator<Item = &Edge> + '_ {
        let calls = |edge: &&Edge| matches!(edge.kind, EdgeKind::Call | EdgeKind::TailCall);
        self.predecessors(self.function(function).entry).filter(calls)
    }
}

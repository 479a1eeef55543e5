//! The control-flow graph: flat arrays of blocks and edges, linked by index.

use super::node::{
    BlockId, Edge, EdgeKind, EdgeOrigin, Evidence, Function, FunctionId, IndirectExit, NONE, Node,
};
use everypath_ir::{Context, Place};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

const FROM: usize = 0;
const TO: usize = 1;

/// The control-flow graph of a program.
///
/// Interprocedural edges are separate: a call has an edge to the callee and a call fall-through (*resume*) edge to the
/// return address, which exists only if the callee can return. Each edge records how it was found.
#[derive(Debug, Default)]
pub struct Graph {
    pub(super) nodes: Vec<Node>,
    pub(super) edges: Vec<Edge>,
    pub(super) starts: FxHashMap<Place, BlockId>,
    /// The block of each instruction that is not the first in its block.
    pub(super) inside: FxHashMap<Place, BlockId>,
    pub(super) lengths: Vec<u8>,
    pub(super) dynamics: BTreeMap<BlockId, Vec<IndirectExit>>,
    pub(super) functions: Vec<Function>,
    /// Evidence for each function entry, including entries without code.
    pub(super) evidence: BTreeMap<Place, Evidence>,
    /// Blocks that lost an incoming edge since the last partition.
    pub(super) unlinked: Vec<BlockId>,
    pub(super) holes: BTreeMap<Place, String>,
    pub(super) limit_reached: bool,
    /// End addresses of blocks that trap or stop the program.
    pub(super) ended: BTreeSet<u64>,
    /// All contexts in which code was decoded.
    pub(super) contexts: BTreeSet<Context>,
}

impl Graph {
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
        self.find(place).or_else(|| self.inside.get(&place).copied())
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
    pub(super) fn edges_to(&self, id: BlockId) -> Vec<u32> {
        let mut numbers = Vec::new();
        let mut next = self.nodes[id.index()].first[TO];
        while let Some(edge) = self.edges.get(next as usize) {
            numbers.push(next);
            next = edge.next[TO];
        }
        numbers
    }

    /// The indirect exits of a block.
    pub fn dynamics_of(&self, id: BlockId) -> &[IndirectExit] {
        self.dynamics.get(&id).map_or(&[], Vec::as_slice)
    }

    /// All indirect exits, by block.
    pub fn dynamics(&self) -> impl Iterator<Item = &IndirectExit> + '_ {
        self.dynamics.values().flatten()
    }

    pub(crate) fn dynamic_mut(&mut self, id: BlockId, exit: u8) -> Option<&mut IndirectExit> {
        self.dynamics.get_mut(&id)?.iter_mut().find(|dynamic| dynamic.exit == exit)
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

    /// The blocks that leave a function by a return or a tail call.
    pub fn leaves(&self, function: FunctionId) -> impl Iterator<Item = BlockId> + '_ {
        let leaves = |id: &BlockId| {
            self.dynamics_of(*id).iter().any(|dynamic| dynamic.kind == everypath_ir::ExitKind::Return)
                || self.successors(*id).any(|edge| edge.kind == EdgeKind::TailCall)
        };
        self.function(function).blocks.iter().copied().filter(leaves)
    }

    /// The edges that call or tail-call a function.
    pub fn callers(&self, function: FunctionId) -> impl Iterator<Item = &Edge> + '_ {
        let calls = |edge: &&Edge| matches!(edge.kind, EdgeKind::Call | EdgeKind::TailCall);
        self.predecessors(self.function(function).entry).filter(calls)
    }

    /// The block that starts at a place; adds an undecoded one if there is none.
    pub(super) fn node_at(&mut self, place: Place) -> BlockId {
        let id = BlockId(self.nodes.len() as u32);
        let known = *self.starts.entry(place).or_insert(id);
        if known == id {
            self.contexts.insert(place.context);
            self.nodes.push(Node {
                place,
                end: place.address,
                decoded: false,
                lengths: (0, 0),
                function: NONE,
                first: [NONE; 2],
                returns: false,
                stack_delta: None,
            });
        }
        known
    }

    /// Adds an edge. An existing edge keeps the more certain origin. Returns true if the edge is new.
    pub(super) fn add_edge(
        &mut self,
        from: BlockId,
        to: BlockId,
        kind: EdgeKind,
        exit: u8,
        origin: EdgeOrigin,
    ) -> bool {
        let mut next = self.nodes[from.index()].first[FROM];
        while let Some(edge) = self.edges.get_mut(next as usize) {
            if edge.to == to && edge.kind == kind && edge.exit == exit {
                edge.origin = edge.origin.min(origin);
                return false;
            }
            next = edge.next[FROM];
        }
        let number = self.edges.len() as u32;
        let next = [self.nodes[from.index()].first[FROM], self.nodes[to.index()].first[TO]];
        self.edges.push(Edge { from, to, kind, origin, exit, next });
        self.nodes[from.index()].first[FROM] = number;
        self.nodes[to.index()].first[TO] = number;
        true
    }

    /// Splits a block before the instruction at a place. Returns the back part, which must be decoded again: its exits
    /// were resolved with what the front part computes.
    pub(super) fn divide(&mut self, front: BlockId, place: Place) -> BlockId {
        let instructions: Vec<u64> = self.instructions(front).map(|(address, _)| address).collect();
        let position = instructions.iter().position(|address| *address == place.address);
        let position = position.expect("a block is divided before one of its instructions");
        for address in &instructions[position..] {
            self.inside.remove(&Place::new(*address, place.context));
        }
        self.unlink_successors(front);
        self.dynamics.remove(&front);
        let node = &mut self.nodes[front.index()];
        node.lengths.1 = position as u32;
        node.end = place.address;
        let back = self.node_at(place);
        self.add_edge(front, back, EdgeKind::Fall, 0, EdgeOrigin::Decoded);
        back
    }

    /// Removes the instructions and exits of a block. Returns its former successors.
    pub(super) fn erase(&mut self, id: BlockId) -> Vec<(BlockId, EdgeKind)> {
        let led: Vec<(BlockId, EdgeKind)> = self.successors(id).map(|edge| (edge.to, edge.kind)).collect();
        let instructions: Vec<u64> = self.instructions(id).map(|(address, _)| address).collect();
        let context = self.nodes[id.index()].place.context;
        for address in instructions.iter().skip(1) {
            self.inside.remove(&Place::new(*address, context));
        }
        self.unlink_successors(id);
        self.dynamics.remove(&id);
        let node = &mut self.nodes[id.index()];
        node.lengths.1 = 0;
        node.end = node.place.address;
        node.decoded = false;
        led
    }

    /// Removes the outgoing edges of a block.
    fn unlink_successors(&mut self, id: BlockId) {
        let mut number = std::mem::replace(&mut self.nodes[id.index()].first[FROM], NONE);
        while let Some(edge) = self.edges.get(number as usize).copied() {
            let mut before = None;
            let mut at = self.nodes[edge.to.index()].first[TO];
            while at != number {
                before = Some(at);
                at = self.edges[at as usize].next[TO];
            }
            match before {
                None => self.nodes[edge.to.index()].first[TO] = edge.next[TO],
                Some(before) => self.edges[before as usize].next[TO] = edge.next[TO],
            }
            self.edges[number as usize].from = BlockId(NONE);
            self.unlinked.push(edge.to);
            number = edge.next[FROM];
        }
    }
}

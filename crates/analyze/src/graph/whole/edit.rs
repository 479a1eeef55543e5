//! Changes to a control-flow graph. Each keeps the indices between blocks, edges and instructions consistent.

use super::{FROM, Graph, TO};
use crate::graph::node::{BlockId, Edge, EdgeKind, EdgeOrigin, IndirectExit, NONE, Node};
use everypath_ir::Place;

impl Graph {
    /// The block that starts at a place; adds an undecoded one if there is none.
    pub(crate) fn node_at(&mut self, place: Place) -> BlockId {
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
    pub(crate) fn add_edge(
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
    pub(crate) fn divide(&mut self, front: BlockId, place: Place) -> BlockId {
        let instructions: Vec<u64> = self.instructions(front).map(|(address, _)| address).collect();
        let position = instructions.iter().position(|address| *address == place.address);
        let position = position.expect("a block is divided before one of its instructions");
        for address in &instructions[position..] {
            self.inside.remove(&Place::new(*address, place.context));
        }
        self.unlink_successors(front);
        self.indirect.remove(&front);
        let node = &mut self.nodes[front.index()];
        node.lengths.1 = position as u32;
        node.end = place.address;
        let back = self.node_at(place);
        self.add_edge(front, back, EdgeKind::Fall, 0, EdgeOrigin::Decoded);
        back
    }

    /// Removes the instructions and exits of a block. Returns its former successors.
    pub(crate) fn erase(&mut self, id: BlockId) -> Vec<(BlockId, EdgeKind)> {
        let led: Vec<(BlockId, EdgeKind)> = self.successors(id).map(|edge| (edge.to, edge.kind)).collect();
        let instructions: Vec<u64> = self.instructions(id).map(|(address, _)| address).collect();
        let context = self.nodes[id.index()].place.context;
        for address in instructions.iter().skip(1) {
            self.inside.remove(&Place::new(*address, context));
        }
        self.unlink_successors(id);
        self.indirect.remove(&id);
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

    /// Records the instructions of a block, by address and length, and where it ends.
    pub(crate) fn set_instructions(
        &mut self,
        id: BlockId,
        instructions: impl Iterator<Item = (u64, u8)>,
        end: u64,
    ) {
        let context = self.nodes[id.index()].place.context;
        let start = self.lengths.len() as u32;
        for (index, (address, length)) in instructions.enumerate() {
            self.lengths.push(length);
            if index > 0 {
                self.inside.insert(Place::new(address, context), id);
            }
        }
        let count = self.lengths.len() as u32 - start;
        let node = &mut self.nodes[id.index()];
        node.lengths = (start, count);
        node.end = end;
        node.decoded = true;
    }

    /// Adds an indirect exit.
    pub(crate) fn add_indirect_exit(&mut self, exit: IndirectExit) {
        self.indirect.entry(exit.block).or_default().push(exit);
    }

    /// Records why there is no code at a place.
    pub(crate) fn add_hole(&mut self, place: Place, why: String) {
        self.holes.insert(place, why);
    }

    /// Records a block that returns to an address that it has put in place of the return address, by its end.
    pub(crate) fn add_overwritten_return(&mut self, end: u64) {
        self.overwritten_returns.insert(end);
    }

    /// Records a call of the next instruction, or of code that does not return to its caller, by the end of its block.
    pub(crate) fn add_call_as_jump(&mut self, end: u64) {
        self.calls_as_jumps.insert(end);
    }

    /// Records a block that traps or stops the program, by its end.
    pub(crate) fn add_trap(&mut self, end: u64) {
        self.ended.insert(end);
    }

    /// Records that recovery hit a limit or was stopped.
    pub(crate) fn reach_limit(&mut self) {
        self.limit_reached = true;
    }

    /// Removes and returns the blocks that lost an incoming edge since the last partition.
    pub(crate) fn take_unlinked(&mut self) -> Vec<BlockId> {
        std::mem::take(&mut self.unlinked)
    }
}

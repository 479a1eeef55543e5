//! Which block belongs to which function, and which jumps are tail calls.

use super::build::Builder;
use super::node::{BlockId, EdgeKind, Evidence, Function, NONE};
use everypath_ir::Place;
use rustc_hash::FxHashMap;

impl Builder<'_> {
    /// Divides the blocks among the functions.
    ///
    /// A jump to the entry of another function is a tail call. A jump across the entry of another function, to a block
    /// that nothing else of that function leads to, is one too: what it leads to is a function that is never called.
    pub(crate) fn partition(&mut self) {
        let mut owners = vec![NONE; self.graph.len()];
        let mut crossing: Vec<Place> = Vec::new();
        let mut first = 0;
        loop {
            let entries: Vec<(Place, Evidence)> = self.evidence.iter().map(|(at, why)| (*at, *why)).collect();
            let mut functions = Vec::with_capacity(entries.len());
            owners.fill(NONE);
            crossing.clear();
            for (place, evidence) in &entries {
                if let Some(entry) = self.graph.find(*place)
                    && self.graph.block(entry).decoded
                {
                    owners[entry.index()] = functions.len() as u32;
                    let returns = self.graph.block(entry).returns;
                    functions.push(Function { entry, evidence: *evidence, blocks: vec![entry], returns });
                }
            }
            for (number, function) in functions.iter_mut().enumerate() {
                self.gather(number as u32, function, &entries, &mut owners, &mut crossing);
            }
            self.graph.functions = functions;
            let known = self.evidence.len();
            for place in &crossing {
                let target = self.graph.find(*place).filter(|target| owners[target.index()] == NONE);
                if target.is_some() {
                    self.evidence.entry(*place).or_insert(Evidence::TailCalled);
                }
            }
            first += 1;
            // Each round finds at least one function; a program with a long chain of them has many rounds.
            if self.evidence.len() == known || first > 64 {
                break;
            }
        }
        for (node, owner) in self.graph.nodes.iter_mut().zip(&owners) {
            node.function = *owner;
        }
        self.mark_tail_calls();
    }

    /// Collects what a function reaches without calls and without entering another function.
    fn gather(
        &self,
        number: u32,
        function: &mut Function,
        entries: &[(Place, Evidence)],
        owners: &mut [u32],
        crossing: &mut Vec<Place>,
    ) {
        let start = self.graph.block(function.entry).place.address;
        let nearest = |address: u64| {
            let after = entries.partition_point(|(place, _)| place.address <= address);
            after.checked_sub(1).map(|index| entries[index].0.address)
        };
        let mut next = 0;
        // How much of the stack is taken where blocks begin, as far as no call was made before: nothing of it is left when
        // the function ends.
        let mut levels: FxHashMap<BlockId, i32> = FxHashMap::default();
        levels.insert(function.entry, 0);
        while let Some(id) = function.blocks.get(next).copied() {
            next += 1;
            let mut found: Vec<BlockId> = Vec::new();
            let level = levels.get(&id).zip(self.graph.block(id).rise).map(|(level, rise)| level + rise);
            for edge in self.graph.successors(id) {
                let inside = matches!(
                    edge.kind,
                    EdgeKind::Fall | EdgeKind::Jump | EdgeKind::Resume | EdgeKind::TailCall
                );
                if !inside || owners[edge.to.index()] != NONE {
                    continue;
                }
                let place = self.graph.block(edge.to).place;
                // Compilers end a function with a jump to another; a branch that may also fall through stays inside.
                let falls = self.graph.successors(id).any(|other| other.kind == EdgeKind::Fall);
                let is_jump = matches!(edge.kind, EdgeKind::Jump | EdgeKind::TailCall) && !falls;
                let is_far = nearest(place.address) != Some(start)
                    || (self.gives_back(id) && self.is_only_jumped_to(edge.to, true))
                    || (level == Some(0) && self.takes(edge.to) && self.is_only_jumped_to(edge.to, false));
                if is_jump && is_far && !self.is_inside_unwind_range(place.address) {
                    crossing.push(place);
                } else {
                    owners[edge.to.index()] = number;
                    found.push(edge.to);
                    if let Some(level) = level.filter(|_| edge.kind != EdgeKind::Resume) {
                        levels.insert(edge.to, level);
                    }
                }
            }
            found.sort_unstable();
            function.blocks.extend(found);
        }
    }

    /// Whether a block gives back a part of the stack: a jump at its end leads to another function.
    fn gives_back(&self, id: BlockId) -> bool {
        self.graph.block(id).rise.is_some_and(|rise| rise > 0)
    }

    /// Whether a block takes a part of the stack, as the beginning of a function does.
    fn takes(&self, id: BlockId) -> bool {
        self.graph.block(id).rise.is_some_and(|rise| rise < 0)
    }

    /// Whether a block follows no other, and no branch leads to it; only blocks that give back a part of the stack, if asked.
    fn is_only_jumped_to(&self, id: BlockId, from_ends: bool) -> bool {
        self.graph.predecessors(id).all(|edge| {
            let falls = || self.graph.successors(edge.from).any(|other| other.kind == EdgeKind::Fall);
            matches!(edge.kind, EdgeKind::Jump | EdgeKind::TailCall)
                && if from_ends { self.gives_back(edge.from) } else { !falls() }
        })
    }

    /// Whether the tables for unwinding say that an address is not the first of its function.
    pub(super) fn is_inside_unwind_range(&self, address: u64) -> bool {
        self.program.unwind_range(address).is_some_and(|(start, _)| start != address)
    }

    fn mark_tail_calls(&mut self) {
        let graph = &mut self.graph;
        for index in 0..graph.edges.len() {
            let edge = graph.edges[index];
            if edge.from == BlockId(NONE) || !matches!(edge.kind, EdgeKind::Jump | EdgeKind::TailCall) {
                continue;
            }
            let to = graph.nodes[edge.to.index()].function;
            let is_entry = to != NONE && graph.functions[to as usize].entry == edge.to;
            let other = graph.nodes[edge.from.index()].function != to;
            graph.edges[index].kind = if is_entry && other { EdgeKind::TailCall } else { EdgeKind::Jump };
        }
    }
}

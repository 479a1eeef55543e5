//! Partitions blocks into functions and detects tail calls.

use super::build::Builder;
use crate::graph::{BlockId, Edge, EdgeKind, Evidence, Function, NONE};
use everypath_ir::{Context, Place};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of rounds in which jump targets may become new functions: a long chain of tail calls takes many
/// rounds.
const ROUNDS: u32 = 64;

/// Functions to partition again: entry place and number.
type Open = BTreeMap<Place, u32>;

impl Builder<'_> {
    /// Partitions the blocks into functions.
    ///
    /// A jump to the entry of another function is a tail call. A jump across the entry of another function, to a block
    /// that no function reaches otherwise, is one too: its target becomes a function that is never called.
    pub(crate) fn partition(&mut self) {
        self.graph.functions.clear();
        self.graph.nodes.iter_mut().for_each(|node| node.function = NONE);
        let known: Vec<Place> = self.evidence.keys().copied().collect();
        let open = known.into_iter().filter_map(|place| Some((place, self.add_function(place)?))).collect();
        self.divide_blocks(open);
        for number in 0..self.graph.edges.len() {
            self.mark_tail_call(number);
        }
        self.settle();
    }

    /// Partitions again after blocks were added or edges changed, but only the affected functions. The result is the
    /// same as that of a full partition.
    pub(super) fn partition_near(&mut self, changed: &[BlockId]) {
        let graph = &self.graph;
        let mut owners: BTreeSet<u32> = BTreeSet::new();
        // Whether a jump is a tail call depends on all predecessors of its target, and on the target's successors.
        for block in changed {
            owners.insert(graph.nodes[block.index()].function);
            let next = graph.successors(*block).map(|edge| edge.to);
            for near in next.chain([*block]) {
                owners.extend(graph.predecessors(near).map(|edge| graph.nodes[edge.from.index()].function));
            }
        }
        let is_new = |block: &&BlockId| {
            self.evidence.contains_key(&graph.block(**block).place) && !graph.is_entry(**block)
        };
        let new: BTreeSet<Place> =
            changed.iter().filter(is_new).map(|block| graph.block(*block).place).collect();
        let open = self.around(&owners, &new);
        let mut touched = self.divide_blocks(open);
        touched.extend(changed);
        touched.sort_unstable();
        touched.dedup();
        for block in touched {
            for side in [0, 1] {
                let mut number = self.graph.nodes[block.index()].first[side];
                while let Some(edge) = self.graph.edges.get(number as usize).copied() {
                    self.mark_tail_call(number as usize);
                    number = edge.next[side];
                }
            }
        }
        self.settle();
    }

    /// Adds a function without blocks, if there is code at its entry.
    fn add_function(&mut self, place: Place) -> Option<u32> {
        let entry = self.graph.find(place).filter(|entry| self.graph.block(*entry).decoded)?;
        let evidence = *self.evidence.get(&place)?;
        self.graph.functions.push(Function { entry, evidence, blocks: Vec::new(), returns: false });
        Some(self.graph.functions.len() as u32 - 1)
    }

    /// The given and new functions, and all functions that may exchange blocks with them: those with edges into the
    /// middle of each other.
    fn around(&mut self, numbers: &BTreeSet<u32>, new: &BTreeSet<Place>) -> Open {
        let mut open = Open::new();
        let mut stack: Vec<BlockId> = Vec::new();
        let mut found: Vec<u32> = numbers.iter().copied().collect();
        for place in new {
            // Blocks after a new entry may belong to the function before it.
            if let Some((before, _)) = self.evidence.range(..place).next_back() {
                let first = Place { address: before.address, part: 0, context: Context(0) };
                let there =
                    self.evidence.range(first..=*before).filter_map(|(place, _)| self.graph.find(*place));
                found.extend(there.map(|block| self.graph.nodes[block.index()].function));
            }
        }
        for place in new {
            if let Some(number) = self.add_function(*place) {
                stack.push(self.graph.functions[number as usize].entry);
                open.insert(*place, number);
            }
        }
        let graph = &self.graph;
        let mut seen: FxHashSet<BlockId> = FxHashSet::default();
        loop {
            for number in found.drain(..).filter(|number| *number != NONE) {
                let function = &graph.functions[number as usize];
                if open.insert(graph.block(function.entry).place, number).is_none() {
                    stack.extend(&function.blocks);
                }
            }
            let Some(block) = stack.pop() else { return open };
            if !seen.insert(block) {
                continue;
            }
            let is_inside = |edge: &&Edge| edge.kind != EdgeKind::Call;
            for edge in graph.successors(block).filter(is_inside) {
                match graph.nodes[edge.to.index()].function {
                    NONE => stack.push(edge.to),
                    owner if graph.functions[owner as usize].entry != edge.to => found.push(owner),
                    _ => {}
                }
            }
            if !graph.is_entry(block) {
                let before = graph.predecessors(block).filter(is_inside);
                found.extend(before.map(|edge| graph.nodes[edge.from.index()].function));
            }
        }
    }

    /// Partitions the blocks of some functions, and blocks without one, among them; may add functions. Returns the
    /// blocks touched.
    fn divide_blocks(&mut self, mut open: Open) -> Vec<BlockId> {
        let mut touched = Vec::new();
        for _ in 0..=ROUNDS {
            for number in open.values() {
                for block in std::mem::take(&mut self.graph.functions[*number as usize].blocks) {
                    self.graph.nodes[block.index()].function = NONE;
                    touched.push(block);
                }
            }
            for (place, number) in &open {
                let function = &mut self.graph.functions[*number as usize];
                function.evidence = self.evidence[place];
                function.blocks.push(function.entry);
                self.graph.nodes[function.entry.index()].function = *number;
            }
            let mut crossing = Vec::new();
            for number in open.values() {
                self.gather(*number, &mut crossing);
                touched.extend(&self.graph.functions[*number as usize].blocks);
            }
            let is_free = |place: &Place| {
                let target = self.graph.find(*place);
                target.is_some_and(|target| self.graph.nodes[target.index()].function == NONE)
            };
            let new = crossing.into_iter().filter(|place| !self.evidence.contains_key(place)).filter(is_free);
            let new: BTreeSet<Place> = new.collect();
            if new.is_empty() {
                break;
            }
            self.evidence.extend(new.iter().map(|place| (*place, Evidence::TailCalled)));
            open = self.around(&BTreeSet::new(), &new);
        }
        touched
    }

    /// Sorts the functions by entry place, and moves the evidence back into the graph.
    fn settle(&mut self) {
        let graph = &mut self.graph;
        let place = |function: &Function| graph.nodes[function.entry.index()].place;
        if !graph.functions.is_sorted_by_key(place) {
            let mut numbers: Vec<u32> = (0..graph.functions.len() as u32).collect();
            numbers.sort_unstable_by_key(|number| place(&graph.functions[*number as usize]));
            let mut renumbered = vec![NONE; numbers.len()];
            for (new, old) in numbers.iter().enumerate() {
                renumbered[*old as usize] = new as u32;
            }
            for node in graph.nodes.iter_mut().filter(|node| node.function != NONE) {
                node.function = renumbered[node.function as usize];
            }
            let place = |function: &Function| graph.nodes[function.entry.index()].place;
            graph.functions.sort_unstable_by_key(place);
        }
        for function in &mut graph.functions {
            function.returns = graph.nodes[function.entry.index()].returns;
        }
        graph.evidence = std::mem::take(&mut self.evidence);
        graph.take_unlinked();
        self.doubt_in_open_functions();
    }

    /// Collects the blocks that a function reaches without calls and without entering another function.
    fn gather(&mut self, number: u32, crossing: &mut Vec<Place>) {
        let entry = self.graph.functions[number as usize].entry;
        let mut blocks = std::mem::take(&mut self.graph.functions[number as usize].blocks);
        let start = self.graph.block(entry).place.address;
        let nearest = |evidence: &BTreeMap<Place, Evidence>, address: u64| {
            let last = Place { address, part: u16::MAX, context: Context(u128::MAX) };
            evidence.range(..=last).next_back().map(|(place, _)| place.address)
        };
        let mut next = 0;
        // Stack depth at the start of blocks, on paths without a call; it is zero again when the function ends.
        let mut levels: FxHashMap<BlockId, i32> = FxHashMap::default();
        levels.insert(entry, 0);
        while let Some(id) = blocks.get(next).copied() {
            next += 1;
            let mut found: Vec<BlockId> = Vec::new();
            let level =
                levels.get(&id).zip(self.graph.block(id).stack_delta).map(|(level, delta)| level + delta);
            let edges: Vec<Edge> = self.graph.successors(id).copied().collect();
            for edge in &edges {
                let inside = matches!(
                    edge.kind,
                    EdgeKind::Fall
                        | EdgeKind::Jump
                        | EdgeKind::CallFallThrough
                        | EdgeKind::Unwind
                        | EdgeKind::TailCall
                );
                if !inside || self.graph.nodes[edge.to.index()].function != NONE {
                    continue;
                }
                let place = self.graph.block(edge.to).place;
                // Compilers end a function with a jump to another; a conditional branch stays inside the function.
                let falls = edges.iter().any(|other| other.kind == EdgeKind::Fall);
                let is_jump = matches!(edge.kind, EdgeKind::Jump | EdgeKind::TailCall) && !falls;
                let is_far = nearest(&self.evidence, place.address) != Some(start)
                    || (self.pops_frame(id) && self.is_only_jumped_to(edge.to, true))
                    || (level == Some(0)
                        && self.pushes_frame(edge.to)
                        && self.is_only_jumped_to(edge.to, false));
                if is_jump && is_far && !self.is_inside_unwind_range(place.address) {
                    crossing.push(place);
                } else {
                    self.graph.nodes[edge.to.index()].function = number;
                    found.push(edge.to);
                    if let Some(level) = level.filter(|_| !edge.kind.is_call_continuation()) {
                        levels.insert(edge.to, level);
                    }
                }
            }
            found.sort_unstable();
            blocks.extend(found);
        }
        self.graph.functions[number as usize].blocks = blocks;
    }

    /// Returns true if a block pops a stack frame: a jump at its end is then a tail call.
    fn pops_frame(&self, id: BlockId) -> bool {
        self.graph.block(id).stack_delta.is_some_and(|delta| delta > 0)
    }

    /// Returns true if a block allocates stack, as a function prologue does.
    fn pushes_frame(&self, id: BlockId) -> bool {
        self.graph.block(id).stack_delta.is_some_and(|delta| delta < 0)
    }

    /// Returns true if a block is reached only by unconditional jumps or, with `from_ends`, only by jumps from blocks
    /// that pop a stack frame.
    fn is_only_jumped_to(&self, id: BlockId, from_ends: bool) -> bool {
        self.graph.predecessors(id).all(|edge| {
            let falls = || self.graph.successors(edge.from).any(|other| other.kind == EdgeKind::Fall);
            matches!(edge.kind, EdgeKind::Jump | EdgeKind::TailCall)
                && if from_ends { self.pops_frame(edge.from) } else { !falls() }
        })
    }

    /// Returns true if the unwind tables place an address inside a function but not at its start.
    pub(super) fn is_inside_unwind_range(&self, address: u64) -> bool {
        self.program.unwind_range(address).is_some_and(|(start, _)| start != address)
    }

    fn mark_tail_call(&mut self, number: usize) {
        let graph = &mut self.graph;
        let edge = graph.edges[number];
        if edge.from != BlockId(NONE) && matches!(edge.kind, EdgeKind::Jump | EdgeKind::TailCall) {
            let other = graph.function_of(edge.from) != graph.function_of(edge.to);
            let is_tail_call = graph.is_entry(edge.to) && other;
            graph.edges[number].kind = if is_tail_call { EdgeKind::TailCall } else { EdgeKind::Jump };
        }
    }
}

//! Function entry discovery: entry points, symbols, unwind tables, and code addresses held by code and data.

use super::build::Builder;
use super::pointers::pointers_in;
use crate::graph::{BlockId, Evidence, Graph};
use everypath_image::{Binding, Symbol, SymbolKind};
use everypath_ir::{Context, ExitKind, Place, Statement, Target};
use everypath_lift::CodeMap;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of blocks of a candidate function to check.
const LOOKED_AT: usize = 24;

/// Minimum number of called functions from which to infer their alignment.
const SAMPLE: usize = 100;

impl Builder<'_> {
    /// Builds the whole graph.
    pub(crate) fn build(mut self) -> Graph {
        let program = self.program;
        let mut map = program.code_map();
        let given = std::mem::take(&mut self.settings.entries);
        for place in &given {
            self.enter(*place, Evidence::Entry);
        }
        if self.settings.file_entries {
            for start in map.starts(program.image()) {
                self.enter(start.place, Evidence::Entry);
            }
        }
        let by_linker = program.resolvers().iter().chain(program.image().called_by_linker());
        for place in by_linker.map(|address| program.code_place(*address)) {
            if program.is_code(place.address) {
                self.enter(place, Evidence::Relocation);
            }
        }
        self.run();
        if self.settings.symbols {
            // Assembly may export a function without a type.
            let is_function = |symbol: &&Symbol| match symbol.kind {
                SymbolKind::Function | SymbolKind::IndirectFunction => true,
                SymbolKind::Label => symbol.dynamic && symbol.binding != Binding::Local,
                _ => false,
            };
            let symbols = program.image().symbols().iter();
            for symbol in symbols.filter(is_function).filter(|symbol| program.is_code(symbol.address)) {
                let place = map.given(symbol.address | u64::from(symbol.alternate));
                self.enter(place, Evidence::Symbol);
            }
            self.run();
        }
        if self.settings.unwind {
            for (start, end) in program.image().unwind_ranges().iter().copied() {
                if program.is_code(start & !1) {
                    // If the unwind table gives no end, padding may precede the function.
                    let is_exact = end > (start & !1) + 1;
                    let start = if is_exact { start } else { self.without_zeros(start) };
                    let place = self.unwind_place(start, &map);
                    let place = if is_exact { place } else { self.without_no_operations(place) };
                    self.enter(place, Evidence::Unwind);
                    self.run();
                }
            }
        }
        self.retry();
        if self.settings.pointers {
            self.follow_pointers();
        }
        self.finish();
        self.graph
    }

    /// Skips words of zero padding.
    fn without_zeros(&self, start: u64) -> u64 {
        let size = self.program.pointer_size();
        let mut bytes = [0xff; 8];
        let mut at = start & !1;
        while self.program.image().read_at(at, &mut bytes[..size]) == size && bytes[..size] == [0; 8][..size]
        {
            at += size as u64;
        }
        if at == start & !1 { start } else { at }
    }

    /// Skips padding of no-operation instructions. A single one may be the marker of a function.
    fn without_no_operations(&mut self, place: Place) -> Place {
        let Some(block) = self.speculate(place) else { return place };
        let is_mark = |statement: &Statement| matches!(statement, Statement::Instruction { .. });
        let idle = block.statements.windows(2).take_while(|pair| pair.iter().all(is_mark)).count();
        match block.instructions().nth(idle) {
            Some((address, _)) if idle > 1 => Place::new(address, place.context),
            _ => place,
        }
    }

    /// The place of a function that the unwind tables name. Some tables omit the instruction-set mode: then choose the
    /// mode of code already known there, or one that decodes to a plausible function, preferring the more common mode.
    fn unwind_place(&mut self, start: u64, map: &CodeMap<'_>) -> Place {
        let alternate = self.program.code_place(start | 1);
        let plain = map.place(start & !1);
        if start & 1 == 1 || plain.context == alternate.context || alternate.address != plain.address {
            return if start & 1 == 1 { alternate } else { plain };
        }
        for place in [plain, alternate] {
            if self.graph.containing(place).is_some() {
                return place;
            }
        }
        let is_alternate = |context| context == alternate.context;
        let blocks = self.graph.nodes.len();
        let count = self.graph.nodes.iter().filter(|node| is_alternate(node.place.context)).count();
        let order = if 2 * count > blocks { [alternate, plain] } else { [plain, alternate] };
        order.into_iter().find(|place| self.is_plausible(*place)).unwrap_or(order[0])
    }

    /// Adds functions at code addresses that code and data hold, where no code is known yet and a function is
    /// plausible.
    fn follow_pointers(&mut self) {
        let words = self.program.data_words().into_iter().filter(|(word, _)| self.program.is_code(*word));
        let (listed, others): (Vec<_>, Vec<_>) = words.partition(|(_, listed)| *listed);
        let listed: BTreeSet<u64> = listed.into_iter().map(|(word, _)| word).collect();
        let others: BTreeSet<u64> = others.into_iter().map(|(word, _)| word).collect();
        let others: Vec<u64> = others.into_iter().collect();
        let mut data: Vec<u64> = listed.iter().copied().chain(without_runs(&others)).collect();
        let mut tried: FxHashSet<u64> = FxHashSet::default();
        let of_entries = self.entry_pointers();
        // The functions found contribute pointers of their own.
        loop {
            let mut fresh: Vec<u64> =
                self.pointers.iter().copied().filter(|pointer| !tried.contains(pointer)).collect();
            fresh.sort_unstable();
            let before = tried.len();
            let data = std::mem::take(&mut data).into_iter().map(|pointer| (pointer, Evidence::DataPointer));
            // Words in data are pointers more often than constants in code.
            let fresh = data.chain(fresh.into_iter().map(|pointer| (pointer, Evidence::Pointer)));
            self.forget_literals();
            let mut covered = self.covered();
            // A pointer is more credible if its target is in the program's most common context.
            let usual = self.usual_context();
            let (program, open_functions) = (self.program, self.open_functions());
            let is_settled = |address: u64| {
                let home = program.unwind_range(address);
                home.is_some_and(|(start, _)| !open_functions.contains(&start))
            };
            let alignment = self.usual_alignment();
            for (pointer, evidence) in fresh {
                if !tried.insert(pointer) {
                    continue;
                }
                let place = self.program.code_place(pointer);
                if self.evidence.contains_key(&place) {
                    self.enter(place, evidence);
                } else if !is_covered(&covered, place.address)
                    && self.is_aligned(place)
                    && (!self.is_inside_unwind_range(place.address)
                        || (evidence == Evidence::Pointer && is_settled(place.address)))
                    && !self.is_literal(place.address)
                    && (place.address.is_multiple_of(alignment)
                        || listed.contains(&pointer)
                        || evidence == Evidence::Pointer)
                    && (place.context == usual
                        || listed.contains(&pointer)
                        || of_entries.contains(&pointer)
                        || (evidence == Evidence::Pointer && self.returns_soon(place)))
                    && self.is_plausible(place)
                    && !self.overlaps(&covered, place)
                {
                    let known = self.graph.len();
                    self.enter(place, evidence);
                    self.run();
                    for id in known..self.graph.len() {
                        let node = self.graph.block(BlockId(id as u32));
                        covered.insert(node.place.address, node.end);
                    }
                }
            }
            if tried.len() == before {
                return;
            }
        }
    }

    /// The addresses that the first block of each entry point computes with: start-up code passes `main` to the library, and either
    /// may be in the rarer instruction set.
    fn entry_pointers(&mut self) -> FxHashSet<u64> {
        let entries = self.evidence.iter().filter(|(_, evidence)| **evidence == Evidence::Entry);
        let entries: Vec<Place> = entries.map(|(place, _)| *place).collect();
        let (mut pointers, mut anchors, mut literals) =
            <(FxHashSet<u64>, FxHashSet<u64>, FxHashSet<u64>)>::default();
        for place in entries {
            if let Some(block) = self.speculate(place) {
                pointers_in(self.program, &block, &mut pointers, &mut anchors, &mut literals);
            }
        }
        pointers
    }

    /// Returns true if a place has the instruction alignment of its context.
    fn is_aligned(&self, place: Place) -> bool {
        let alignment = self.program.architecture().instruction_alignment(place.context);
        place.address.is_multiple_of(alignment)
    }

    /// The functions, by unwind range, with an unresolved jump: an address inside one may be a target of it.
    fn open_functions(&self) -> FxHashSet<u64> {
        let open = self.graph.indirect_exits().filter(|exit| {
            let is_jump = matches!(exit.kind, ExitKind::Jump | ExitKind::Fall);
            is_jump && exit.import.is_none() && !exit.state.is_resolved()
        });
        let homes = open.map(|exit| self.graph.block(exit.block).place.address);
        homes.filter_map(|address| self.program.unwind_range(address)).map(|(start, _)| start).collect()
    }

    /// Returns true if decoding from a place reaches a return within some blocks, without invalid code.
    fn returns_soon(&mut self, place: Place) -> bool {
        let mut seen: Vec<Place> = vec![place];
        let mut next = 0;
        while let Some(place) = seen.get(next).copied() {
            next += 1;
            let Some(block) = self.speculate(place) else { return false };
            if block.exits.iter().any(|exit| exit.kind == ExitKind::Return) {
                return true;
            }
            for exit in block.exits.iter().filter(|exit| exit.kind != ExitKind::Call) {
                if let Target::Place(to) = exit.target
                    && seen.len() < LOOKED_AT
                    && !seen.contains(&to)
                {
                    seen.push(to);
                }
            }
        }
        false
    }

    /// Returns true if an address is inside a word that instructions read as data.
    fn is_literal(&self, address: u64) -> bool {
        let size = self.program.pointer_size() as u64;
        (0..size).any(|distance| self.literals.contains(&address.wrapping_sub(distance)))
    }

    /// The alignment that nearly all called functions share.
    fn usual_alignment(&self) -> u64 {
        let called = self.evidence.iter().filter(|(_, evidence)| **evidence == Evidence::Called);
        let called: Vec<u64> = called.map(|(place, _)| place.address).collect();
        let is_usual = |alignment: &u64| {
            let aligned = called.iter().filter(|address| address.is_multiple_of(*alignment)).count();
            called.len() >= SAMPLE && aligned * 100 >= called.len() * 98
        };
        [16, 8, 4, 2].into_iter().find(is_usual).unwrap_or(1)
    }

    /// The most common context.
    fn usual_context(&self) -> Context {
        let mut counts: BTreeMap<Context, usize> = BTreeMap::new();
        for node in &self.graph.nodes {
            *counts.entry(node.place.context).or_default() += 1;
        }
        let most = counts.into_iter().max_by_key(|(_, count)| *count);
        most.map_or_else(|| self.program.architecture().default_context(), |(context, _)| context)
    }

    /// Returns true if the block at a place would overlap a known instruction at another boundary.
    fn overlaps(&mut self, covered: &BTreeMap<u64, u64>, place: Place) -> bool {
        let Some(block) = self.speculate(place) else { return true };
        block.instructions().any(|(address, _)| {
            is_covered(covered, address)
                && self.graph.containing(Place::new(address, place.context)).is_none()
        })
    }

    /// The address ranges of all blocks.
    fn covered(&self) -> BTreeMap<u64, u64> {
        let mut covered = BTreeMap::new();
        for id in self.graph.blocks() {
            let node = self.graph.block(id);
            let end = covered.entry(node.place.address).or_insert(node.end);
            *end = node.end.max(*end);
        }
        covered
    }

    /// Returns true if a function can start at a place: some blocks of it decode as valid code and lead only to code.
    fn is_plausible(&mut self, place: Place) -> bool {
        let mut seen: Vec<Place> = vec![place];
        let mut next = 0;
        let mut instructions = 0;
        while let Some(place) = seen.get(next).copied() {
            next += 1;
            if self.graph.containing(place).is_some() {
                continue;
            }
            let Some(block) = self.speculate(place) else { return false };
            // Padding between functions often repeats one byte, which may decode as an instruction.
            let mut bytes = [0; 8];
            self.program.image().read_at(place.address, &mut bytes);
            if next == 1 && bytes.iter().all(|byte| *byte == bytes[0]) {
                return false;
            }
            instructions += block.instructions().count();
            for exit in &block.exits {
                if let Target::Place(to) = exit.target
                    && seen.len() < LOOKED_AT
                    && !seen.contains(&to)
                {
                    if !self.program.is_code(to.address) {
                        return false;
                    }
                    if exit.kind != ExitKind::Call {
                        seen.push(to);
                    }
                }
            }
        }
        instructions > 0
    }
}

/// Removes numbers that differ by one from a neighbour: no two functions start at adjacent bytes, but characters and
/// the like are often listed consecutively.
fn without_runs(numbers: &[u64]) -> Vec<u64> {
    let is_neighbour = |index: Option<usize>, number: u64| {
        index.and_then(|index| numbers.get(index)).is_some_and(|other| other.abs_diff(number) == 1)
    };
    let alone = |(index, number): &(usize, &u64)| {
        !is_neighbour(index.checked_sub(1), **number) && !is_neighbour(Some(index + 1), **number)
    };
    numbers.iter().enumerate().filter(alone).map(|(_, number)| *number).collect()
}

fn is_covered(covered: &BTreeMap<u64, u64>, address: u64) -> bool {
    covered.range(..=address).next_back().is_some_and(|(_, end)| address < *end)
}

#[cfg(test)]
mod tests {
    use super::without_runs;

    #[test]
    fn numbers_in_a_row_are_no_pointers() {
        assert_eq!(without_runs(&[1, 2, 3, 9, 11, 20, 30, 31]), [9, 11, 20]);
        assert_eq!(without_runs(&[5]), [5]);
    }
}

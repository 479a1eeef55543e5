//! Code that no entry reaches: function symbols and unwind tables held against the control-flow graph of the entries, for the
//! analysis of dead and deactivated code (DO-178C, 6.4.4.3).
//!
//! The graph is recovered from the entries and interrupt vectors alone, without symbols and unwind tables, which name dead functions,
//! too; but with the addresses that code and data hold, because an indirect call may lead there. What a run has shown is reached as
//! well. So a function that is called unreached is neither called, nor jumped to, nor referred to, as far as the graph goes.

use crate::binary::Binary;
use crate::locator::function_name;
use everypath_analyze::{BlockId, Evidence, FunctionId, Graph, Settings};
use everypath_image::{Image, SegmentPermissions, SymbolKind};
use everypath_ir::{AddressRange, AddressSet, Location, Place, SpaceId};
use everypath_lift::CodeMap;
use everypath_record::{Address, CodeRange, SourcePosition, Summary, UnreachedCode, UnreachedFunction};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Maximum number of basic blocks of the graph: a larger one is given up, and nothing is said of unreached code.
const BLOCKS: usize = 200_000;

/// Minimum size of a range of unassigned bytes that is listed; a shorter one may be padding between functions.
const LISTED: u64 = 16;

/// Names of sections with stubs of the linker, which no source function stands for.
const STUBS: &[&str] = &[".plt", ".iplt", ".init", ".fini", ".text.stub"];

/// The code that the entries of a program reach.
pub(crate) struct CodeReach<'b> {
    binary: &'b Binary,
    /// The graph of the entries, and of the functions whose addresses code or data holds.
    graph: Graph,
    /// The blocks that control flow from the entries and from what runs have shown leads to.
    reached: BTreeSet<BlockId>,
    /// The ranges of all blocks of the graph.
    blocks: AddressSet,
}

impl Binary {
    /// The code that the entries reach; `None` if one function is tested by itself, the search is for targets, or the graph is too
    /// large.
    pub(crate) fn code_reach(&self, summary: &Summary) -> Option<CodeReach<'_>> {
        if self.configuration.call.is_some() || !summary.targets.is_empty() {
            return None;
        }
        let shown = shown(self.image(), summary);
        let mut map = CodeMap::new(self.architecture(), self.image());
        let mut entries: Vec<Place> =
            self.guest.handlers().into_iter().map(|handler| handler.place).collect();
        let table = map.vector_table(self.image()).map(|table| table.handlers).unwrap_or_default();
        entries.extend(table.into_iter().map(|(_, handler)| map.given(handler)));
        let start = self.guest.entry(&self.configuration).ok();
        entries.extend(start.filter(|start| is_code(self.image(), start.address)));
        let graph = self.graph_of(entries.clone())?;
        let space = self.guest.code_space();
        let blocks = block_ranges(&graph, space);
        let is_missed = |at: &&u64| !blocks.contains(Location { space, offset: **at });
        let missed: Vec<Place> = shown.iter().filter(is_missed).map(|at| map.place(*at)).collect();
        let graph = match missed.is_empty() {
            true => graph,
            false => self.graph_of(entries.into_iter().chain(missed).collect())?,
        };
        let roots = shown.iter().filter_map(|at| graph.containing_anyhow(map.place(*at)));
        let reached = reached(&graph, roots.collect());
        Some(CodeReach { binary: self, blocks: block_ranges(&graph, space), graph, reached })
    }

    /// The graph of these entries and of those of the file; `None` if it reaches a limit.
    fn graph_of(&self, entries: Vec<Place>) -> Option<Graph> {
        let mut settings = Settings { entries, unwind: false, ..Settings::default() };
        settings.limits.blocks = BLOCKS;
        self.graph_with(settings).ok().filter(|graph| !graph.limit_reached())
    }

    /// The code that no entry reaches, if it is known.
    pub(crate) fn unreached_code(&self, summary: &Summary) -> Option<UnreachedCode> {
        Some(self.code_reach(summary)?.unreached())
    }
}

/// The addresses that runs or the exploration have shown to be code that may run.
fn shown(image: &Image, summary: &Summary) -> BTreeSet<u64> {
    let directions = summary.directions.iter().map(|judged| judged.direction);
    let directions = directions.flat_map(|direction| [direction.branch, direction.target]);
    let exits = summary.indirect_exits.iter();
    let exits = exits.flat_map(|exit| exit.targets.iter().copied().chain([exit.branch]));
    // Ranges of traced code may join functions: each of them was entered.
    let traced = |address: &u64| CodeRange::any_contains(&summary.traced_code, Address(*address));
    let named = match summary.traced_code.is_empty() {
        true => BTreeMap::new(),
        false => named_functions(image),
    };
    let starts = summary.traced_code.iter().map(|range| range.start.0);
    let traced = named.into_keys().filter(traced).chain(starts);
    let all = directions.chain(exits).map(|address| address.0).chain(traced);
    all.filter(|address| is_code(image, *address)).collect()
}

fn is_code(image: &Image, address: u64) -> bool {
    image.segment_at(address).is_some_and(|segment| segment.permissions().execute)
}

fn block_ranges(graph: &Graph, space: SpaceId) -> AddressSet {
    let decoded = graph.blocks().map(|block| graph.block(block)).filter(|node| node.decoded);
    decoded.filter_map(|node| bytes_of(space, node.place.address..node.end)).collect()
}

/// Some addresses of the code space; `None` if the range is empty.
fn bytes_of(space: SpaceId, range: Range<u64>) -> Option<AddressRange> {
    let start = Location { space, offset: range.start };
    AddressRange::of_bytes(start, range.end.saturating_sub(range.start))
}

/// The parts of a range that are not in a set.
fn gaps(range: AddressRange, set: &AddressSet) -> Vec<AddressRange> {
    range.without(&set.iter().collect::<Vec<_>>())
}

/// The blocks that the entries and some other blocks lead to.
fn reached(graph: &Graph, mut open: Vec<BlockId>) -> BTreeSet<BlockId> {
    let is_root = |evidence: Evidence| matches!(evidence, Evidence::Entry | Evidence::Relocation);
    let roots = graph.functions().iter().filter(|function| is_root(function.evidence));
    open.extend(roots.map(|function| function.entry));
    let mut reached = BTreeSet::new();
    while let Some(block) = open.pop() {
        if reached.insert(block) {
            open.extend(graph.successors(block).map(|edge| edge.to));
        }
    }
    reached
}

impl CodeReach<'_> {
    /// The entries of all functions of the graph.
    pub(crate) fn function_entries(&self) -> BTreeSet<u64> {
        let functions = self.graph.functions().iter();
        functions.map(|function| self.graph.block(function.entry).place.address).collect()
    }

    fn unreached(&self) -> UnreachedCode {
        let (image, space) = (self.binary.image(), self.binary.guest.code_space());
        let named = named_functions(image);
        let pointers = self.pointers_of(&named.keys().copied().collect());
        let (mut functions, mut referenced) = (Vec::new(), self.referenced());
        for (address, (size, evidence)) in &named {
            if !self.blocks.contains(Location { space, offset: *address }) {
                match pointers.contains(address) {
                    true => referenced.push(self.function(*address, *size, Evidence::DataPointer.name())),
                    false => functions.push(self.function(*address, *size, evidence)),
                }
            }
        }
        referenced.sort_by_key(|function| function.address);
        let symbols = image.symbols().iter().filter(|symbol| symbol.kind.is_address());
        let symbols = symbols.map(|symbol| symbol.address..symbol.address.saturating_add(symbol.size));
        let named = named.iter().map(|(address, (size, _))| *address..address.saturating_add(*size));
        let named = symbols.chain(named).filter_map(|range| bytes_of(space, range));
        let assigned: AddressSet = named.chain(self.blocks.iter()).collect();
        let executable = executable(image).into_iter().filter_map(|range| bytes_of(space, range));
        let gaps: Vec<AddressRange> = executable.flat_map(|range| gaps(range, &assigned)).collect();
        let size = |range: &AddressRange| range.last - range.first + 1;
        let listed = gaps.iter().filter(|range| size(range) >= LISTED);
        UnreachedCode {
            functions,
            referenced,
            unassigned_bytes: gaps.iter().map(size).sum(),
            unassigned: listed
                .map(|range| CodeRange { start: Address(range.first), size: size(range) })
                .collect(),
        }
    }

    /// The functions of the graph that no control flow from an entry leads to.
    fn referenced(&self) -> Vec<UnreachedFunction> {
        let functions = (0..self.graph.functions().len() as u32).map(FunctionId);
        let functions = functions.map(|id| self.graph.function(id));
        // What is called by a library, such as `main`, is known from inside.
        let is_reached = |block: &BlockId| self.reached.contains(block);
        let unreached = functions.filter(|function| !function.blocks.iter().any(is_reached));
        let shown = unreached.map(|function| {
            let address = self.graph.block(function.entry).place.address;
            let blocks = function.blocks.iter().map(|block| self.graph.block(*block));
            let size: u64 = blocks.map(|node| node.end.saturating_sub(node.place.address)).sum();
            let symbol = self.binary.image().function_symbol_at(address);
            let sized = symbol.filter(|symbol| symbol.address == address && symbol.size > 0);
            self.function(address, sized.map_or(size, |symbol| symbol.size), function.evidence.name())
        });
        shown.collect()
    }

    fn function(&self, address: u64, size: u64, evidence: &str) -> UnreachedFunction {
        let image = self.binary.image();
        let source = image.source_line(address).map(|line| SourcePosition {
            file: line.file.to_owned(),
            line: line.line,
            column: line.column,
        });
        UnreachedFunction {
            name: function_name(image, address),
            address: Address(address),
            size,
            source,
            evidence: evidence.to_owned(),
        }
    }

    /// Those of some addresses that an aligned word of the file holds. The graph takes only credible ones for pointers; a function
    /// whose address is anywhere in the file is not called unreached. Words of two bytes in code are instructions, as a rule.
    fn pointers_of(&self, wanted: &BTreeSet<u64>) -> BTreeSet<u64> {
        let image = self.binary.image();
        let size = CodeMap::new(self.binary.architecture(), image).pointer_size();
        let is_read = |permissions: SegmentPermissions| size >= 4 || !permissions.execute;
        let mut found = BTreeSet::new();
        for segment in image.segments().iter().filter(|segment| is_read(segment.permissions())) {
            let skipped = (size - segment.address() as usize % size) % size;
            let data = segment.data().get(skipped..).unwrap_or_default();
            for word in data.chunks_exact(size) {
                let bytes = |all: u64, byte: &u8| all << 8 | u64::from(*byte);
                // In either byte order: a chance match only keeps a function from the list.
                for number in [word.iter().fold(0, bytes), word.iter().rev().fold(0, bytes)] {
                    found.extend([number, number & !1].into_iter().filter(|at| wanted.contains(at)));
                }
            }
        }
        found
    }
}

/// The functions that symbols and unwind tables name, by their addresses, each with its size and the evidence.
fn named_functions(image: &Image) -> BTreeMap<u64, (u64, &'static str)> {
    let mut functions = BTreeMap::new();
    let is_stub = |address: u64| {
        let mut sections = image.sections().iter().filter(|section| section.allocated());
        let section = sections.find(|section| address.wrapping_sub(section.address()) < section.size());
        section.is_some_and(|section| STUBS.iter().any(|stub| section.name().starts_with(stub)))
    };
    let is_function = |address: u64| is_code(image, address) && !is_stub(address);
    for (start, end) in image.unwind_ranges() {
        let start = start & !1;
        // A table without ends has only starts: then a symbol gives the size, or nothing does.
        if *end > start + 1 && is_function(start) {
            functions.insert(start, (end - start, Evidence::Unwind.name()));
        }
    }
    for symbol in image.symbols() {
        let is_named = matches!(symbol.kind, SymbolKind::Function | SymbolKind::IndirectFunction);
        if is_named && is_function(symbol.address) {
            let size = if symbol.size > 0 { symbol.size } else { unsized_extent(image, symbol.address) };
            let known = functions.entry(symbol.address).or_insert((size, Evidence::Symbol.name()));
            known.1 = Evidence::Symbol.name();
            if symbol.size > 0 {
                known.0 = size;
            }
        }
    }
    functions
}

/// The size of a function whose symbol has none: up to the next symbol, or to the end of the section.
fn unsized_extent(image: &Image, address: u64) -> u64 {
    let after = image.symbols().partition_point(|symbol| symbol.address <= address);
    let next = image.symbols()[after..].iter().find(|symbol| symbol.kind.is_address());
    let ends = executable(image).into_iter().filter(|range| range.contains(&address)).map(|range| range.end);
    let end = ends.chain(next.map(|symbol| symbol.address)).min().unwrap_or(address);
    end - address
}

/// The executable sections, or the segments of a file without sections, as ranges of addresses.
fn executable(image: &Image) -> Vec<Range<u64>> {
    let sections = image.sections().iter().filter(|section| section.executable() && section.allocated());
    let sections = sections.filter(|section| section.size() > 0 && !section.name().starts_with(".plt"));
    let mut ranges: Vec<Range<u64>> =
        sections.map(|section| section.address()..section.address().saturating_add(section.size())).collect();
    if ranges.is_empty() {
        let segments = image.segments().iter();
        let segments =
            segments.filter(|segment| segment.permissions().execute && segment.copy_of().is_none());
        let end = |address: u64, length: usize| address.saturating_add(length as u64);
        ranges =
            segments.map(|segment| segment.address()..end(segment.address(), segment.data().len())).collect();
    }
    ranges.sort_unstable_by_key(|range| range.start);
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_what_no_range_covers() {
        let space = SpaceId(0);
        let bytes = |range: Range<u64>| bytes_of(space, range).expect("a range of bytes");
        let set: AddressSet = [4..8, 6..10, 20..24, 24..30].map(bytes).into_iter().collect();
        assert_eq!(set.iter().count(), 2);
        assert_eq!(gaps(bytes(0..40), &set), [0..4, 10..20, 30..40].map(bytes));
        assert_eq!(gaps(bytes(5..22), &set), [bytes(10..20)]);
        assert_eq!(gaps(bytes(21..23), &set), []);
        assert!(set.contains(Location { space, offset: 9 }) && !set.contains(Location { space, offset: 10 }));
        assert_eq!(bytes_of(space, 4..4), None);
    }
}

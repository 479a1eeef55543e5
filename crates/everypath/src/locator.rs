//! Code locations of addresses: the function from symbols or the recovered graph, the source line from debug information.

use crate::binary::Binary;
use everypath_analyze::{BlockId, Graph};
use everypath_explore::FunctionCode;
use everypath_image::{Image, SymbolKind};
use everypath_record::{Address, CodeLocation, FunctionOffset, SourcePosition, Summary};
use std::cell::OnceCell;
use std::ops::Range;

/// Maximum number of blocks before an address that are searched for one that contains it.
const OVERLAPPING: usize = 16;

/// Finds the code locations of addresses of a program.
pub struct Locator<'b> {
    binary: &'b Binary,
    /// The blocks of the recovered graph, once a function without a symbol is looked up.
    blocks: OnceCell<Vec<BlockRange>>,
}

/// The addresses of a basic block, and the entry of its function.
pub(crate) struct BlockRange {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) entry: u64,
}

impl<'b> Locator<'b> {
    /// A locator for a program.
    #[must_use]
    pub fn new(binary: &'b Binary) -> Locator<'b> {
        Locator { binary, blocks: OnceCell::new() }
    }

    /// The code location of an address.
    ///
    /// ```
    /// // movx a,@dptr; jz 3; sjmp 3
    /// let binary = everypath::Binary::options().architecture("8051").raw(0).read(b"\xe0\x60\x00\x80\xfe")?;
    /// let location = everypath::Locator::new(&binary).at(1);
    /// assert_eq!(location.to_string(), "sub_0+0x1");
    /// # Ok::<(), everypath::Error>(())
    /// ```
    #[must_use]
    pub fn at(&self, address: u64) -> CodeLocation {
        let image = self.binary.image();
        let function = self
            .entry(address)
            .map(|entry| FunctionOffset { name: function_name(image, entry), offset: address - entry });
        let source = image.source_line(address).map(|line| SourcePosition {
            file: line.file.to_owned(),
            line: line.line,
            column: line.column,
        });
        CodeLocation { address: Address(address), function, source }
    }

    /// The code of the function that an instruction belongs to, for [`Steering`](everypath_explore::Steering): the extent of
    /// its symbol, or its blocks in the recovered graph.
    #[must_use]
    pub fn function_code(&self, address: u64) -> Option<FunctionCode> {
        let (image, entry) = (self.binary.image(), self.entry(address)?);
        let name = function_name(image, entry);
        let symbol = image.function_symbol_at(entry);
        let sized = symbol.filter(|symbol| symbol.address == entry && symbol.size > 0);
        if let Some(symbol) = sized {
            return Some(FunctionCode::in_one_piece(name, entry..entry.saturating_add(symbol.size)));
        }
        let blocks = self.recovered_blocks().iter().filter(|block| self.entry(block.start) == Some(entry));
        let mut ranges: Vec<Range<u64>> = blocks.map(|block| block.start..block.end).collect();
        // An address that no recovered block has, such as one that only a run has shown.
        if !ranges.iter().any(|range| range.contains(&address)) {
            ranges.push(address..address.saturating_add(1));
        }
        Some(FunctionCode { name, ranges })
    }

    /// The entry of the function that an instruction belongs to.
    pub(crate) fn entry(&self, address: u64) -> Option<u64> {
        let symbol = self.binary.image().function_symbol_at(address);
        match symbol {
            // A label in assembly may be the target of a jump, and no function.
            Some(symbol) if symbol.kind == SymbolKind::Label => {
                self.recovered_entry(address).or(Some(symbol.address))
            }
            Some(symbol) => Some(symbol.address),
            None => self.recovered_entry(address),
        }
    }

    /// The program.
    pub(crate) fn image(&self) -> &'b Image {
        self.binary.image()
    }

    /// The blocks of the recovered graph that belong to a function, in the order of their addresses.
    pub(crate) fn recovered_blocks(&self) -> &[BlockRange] {
        self.blocks.get_or_init(|| {
            // Without a graph there are no functions to name; the address stands alone.
            self.binary.graph_with_symbols().map_or_else(|_| Vec::new(), |graph| block_ranges(&graph))
        })
    }

    /// The entry of the function of the recovered graph.
    fn recovered_entry(&self, address: u64) -> Option<u64> {
        let blocks = self.recovered_blocks();
        let after = blocks.partition_point(|block| block.start <= address);
        // Blocks may overlap.
        let mut before = blocks[..after].iter().rev().take(OVERLAPPING);
        let block = before.find(|block| address < block.end)?;
        (block.entry <= address).then_some(block.entry)
    }

    /// Fills in the code locations of a summary.
    pub(crate) fn locate(&self, summary: &mut Summary) {
        let locations = summary.addresses().into_iter().map(|address| self.at(address.0));
        summary.locations =
            locations.filter(|location| location.function.is_some() || location.source.is_some()).collect();
    }
}

/// The name of a function: its symbol, otherwise one made from the address of its entry.
pub(crate) fn function_name(image: &Image, entry: u64) -> String {
    let symbol = image.function_symbol_at(entry).filter(|symbol| symbol.address == entry);
    symbol.map_or_else(|| format!("sub_{entry:x}"), |symbol| symbol.name.clone())
}

/// The blocks of a graph that belong to a function, in the order of their addresses.
fn block_ranges(graph: &Graph) -> Vec<BlockRange> {
    let range = |block: BlockId| {
        let function = graph.function(graph.function_of(block)?);
        let (node, entry) = (graph.block(block), graph.block(function.entry).place.address);
        Some(BlockRange { start: node.place.address, end: node.end, entry })
    };
    let mut blocks: Vec<BlockRange> = graph.blocks().filter_map(range).collect();
    blocks.sort_by_key(|block| block.start);
    blocks
}

//! The control-flow graph as JSON (`everypath.graph`, version 3), for programs of millions of instructions: blocks are
//! rows that refer to each other by number, and are streamed.
//!
//! `docs/guide/graph-json.md` is the schema.

use crate::document::Hexadecimal;
use crate::failure::Failure;
use crate::stream::Stream;
use everypath_analyze::{BlockId, EdgeKind, EdgeOrigin, Graph, IndirectExit, Resolution};
use everypath_ir::Context;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;

/// Version 1 named blocks by address and repeated every field name.
const VERSION: u32 = 3;
const KINDS: [EdgeKind; 6] = [
    EdgeKind::Fall,
    EdgeKind::Jump,
    EdgeKind::Call,
    EdgeKind::CallFallThrough,
    EdgeKind::TailCall,
    EdgeKind::Unwind,
];
/// The row number of a block that is not listed.
const UNLISTED: u32 = u32::MAX;

#[derive(Serialize)]
struct Function {
    address: Hexadecimal,
    block: u32,
    evidence: &'static str,
    blocks: usize,
    returns: bool,
}

/// Writes the document.
pub(super) fn write(graph: &Graph, architecture: &str, out: &mut dyn Write) -> Result<(), Failure> {
    let rows = Rows::new(graph);
    let mut stream = Stream::begin(out, "everypath.graph", VERSION)?;
    stream.field("architecture", &architecture)?;
    stream.field("limit_reached", &graph.limit_reached())?;
    stream.field("assumptions", &graph.assumptions())?;
    let contexts: Vec<String> = rows.contexts.keys().map(|context| format!("{:#x}", context.0)).collect();
    stream.field("contexts", &contexts)?;
    stream.field("edge_kinds", &KINDS.map(EdgeKind::name))?;
    stream.field("edge_origins", &EdgeOrigin::ALL.map(EdgeOrigin::name))?;
    let mut reasons: Vec<String> = graph.indirect_exits().map(reason).collect();
    reasons.sort_unstable();
    reasons.dedup();
    stream.field("reasons", &reasons)?;
    let functions = graph.functions().iter().map(|function| Function {
        address: Hexadecimal(graph.block(function.entry).place.address),
        block: rows.row(function.entry),
        evidence: function.evidence.name(),
        blocks: function.blocks.len(),
        returns: function.returns,
    });
    stream.rows("functions", functions)?;
    stream.field("block_columns", &["address", "context", "function", "instructions", "edges"])?;
    stream.field("edge_columns", &["to", "kind", "origin"])?;
    stream.rows("blocks", rows.order.iter().map(|block| rows.block(*block)))?;
    let holes = rows.order.iter().filter_map(|block| Some((rows.row(*block), graph.hole(*block)?)));
    stream.field("hole_columns", &["block", "reason"])?;
    stream.rows("holes", holes)?;
    stream
        .field("indirect_exit_columns", &["block", "instruction", "kind", "resolved", "reason", "targets"])?;
    stream
        .rows("indirect_exits", rows.order.iter().flat_map(|block| rows.indirect_exits(*block, &reasons)))?;
    let imports = rows.order.iter().flat_map(|block| {
        let imports = graph.indirect_exits_of(*block).iter().filter_map(|exit| exit.import.as_ref());
        imports.map(|import| (rows.row(*block), import.name.to_string(), import.returns))
    });
    stream.field("import_columns", &["block", "name", "returns"])?;
    stream.rows("imports", imports)?;
    stream.end()
}

fn reason(exit: &IndirectExit) -> String {
    match &exit.state {
        Resolution::Resolved(reason) => reason.to_string(),
        Resolution::Unresolved(doubt) => doubt.to_string(),
    }
}

/// The blocks in the order of their addresses, and the number of each in that order.
struct Rows<'g> {
    graph: &'g Graph,
    order: Vec<BlockId>,
    numbers: Vec<u32>,
    contexts: BTreeMap<Context, usize>,
}

type Edge = (u32, u8, u8);

impl<'g> Rows<'g> {
    fn new(graph: &'g Graph) -> Self {
        // A block without code is listed if it has a predecessor.
        let is_listed =
            |block: &BlockId| graph.block(*block).decoded || graph.predecessors(*block).next().is_some();
        let mut order: Vec<BlockId> = graph.blocks().filter(is_listed).collect();
        order.sort_unstable_by_key(|block| graph.block(*block).place);
        let mut numbers = vec![UNLISTED; graph.len()];
        let mut contexts = BTreeMap::new();
        for (number, block) in order.iter().enumerate() {
            numbers[block.0 as usize] = number as u32;
            contexts.insert(graph.block(*block).place.context, 0);
        }
        for (number, index) in contexts.values_mut().enumerate() {
            *index = number;
        }
        Self { graph, order, numbers, contexts }
    }

    fn row(&self, block: BlockId) -> u32 {
        self.numbers[block.0 as usize]
    }

    fn block(&self, block: BlockId) -> (Hexadecimal, usize, Option<u32>, Vec<u8>, Vec<Edge>) {
        let graph = self.graph;
        let place = graph.block(block).place;
        let mut edges: Vec<Edge> = graph
            .successors(block)
            .map(|edge| {
                let kind = KINDS.iter().position(|kind| *kind == edge.kind).unwrap_or_default();
                let origin =
                    EdgeOrigin::ALL.iter().position(|origin| *origin == edge.origin).unwrap_or_default();
                (self.row(edge.to), kind as u8, origin as u8)
            })
            .collect();
        edges.sort_unstable();
        let lengths = graph.instructions(block).map(|(_, length)| length).collect();
        let function = graph.function_of(block).map(|function| function.0);
        (Hexadecimal(place.address), self.contexts[&place.context], function, lengths, edges)
    }

    /// The indirect exits of a block: the address of the instruction, and the known targets.
    fn indirect_exits<'r>(
        &'r self,
        block: BlockId,
        reasons: &'r [String],
    ) -> impl Iterator<Item = (u32, Hexadecimal, &'static str, bool, usize, Vec<Hexadecimal>)> + 'r {
        let last = self.graph.instructions(block).last().map_or(0, |(address, _)| address);
        self.graph.indirect_exits_of(block).iter().map(move |exit| {
            let targets = self.graph.propose(block, exit.exit).into_iter();
            let targets = targets.map(|(place, _)| Hexadecimal(place.address)).collect();
            let reason = reasons.binary_search(&reason(exit)).unwrap_or_default();
            let resolved = exit.state.is_resolved();
            (self.row(block), Hexadecimal(last), exit.kind.name(), resolved, reason, targets)
        })
    }
}

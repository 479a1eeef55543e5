//! Export to DOT, the graph language of Graphviz.

use crate::graph::{EdgeKind, EdgeOrigin, FunctionId, Graph};
use std::io::{self, Write};

/// Writes a graph, or one function of it, as DOT. Calls are dashed; edges known only from static analysis are dotted.
///
/// # Errors
/// If writing fails.
pub fn dot(graph: &Graph, only: Option<FunctionId>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "digraph program {{\n  node [shape=box fontname=monospace];")?;
    let is_shown = |block| only.is_none() || graph.function_of(block) == only;
    for (number, function) in graph.functions().iter().enumerate() {
        if only.is_some_and(|only| only != FunctionId(number as u32)) {
            continue;
        }
        writeln!(out, "  subgraph cluster_{number} {{")?;
        writeln!(out, "    label=\"{:#x}\";", graph.block(function.entry).place.address)?;
        for block in &function.blocks {
            let node = graph.block(*block);
            let count = graph.instructions(*block).count();
            let word = if count == 1 { "instruction" } else { "instructions" };
            writeln!(out, "    b{} [label=\"{:#x}\\n{count} {word}\"];", block.0, node.place.address)?;
        }
        writeln!(out, "  }}")?;
    }
    for edge in graph.edges().filter(|edge| is_shown(edge.from) && is_shown(edge.to)) {
        let style = match (edge.kind, edge.origin) {
            (_, EdgeOrigin::Static) => "dotted",
            (EdgeKind::Call | EdgeKind::TailCall, _) => "dashed",
            _ => "solid",
        };
        let (kind, origin) = (edge.kind.name(), edge.origin.name());
        writeln!(out, "  b{} -> b{} [style={style} tooltip=\"{kind}, {origin}\"];", edge.from.0, edge.to.0)?;
    }
    for exit in graph.indirect_exits().filter(|exit| is_shown(exit.block) && !exit.state.is_resolved()) {
        if exit.kind != everypath_ir::ExitKind::Return {
            let block = exit.block.0;
            writeln!(out, "  u{block} [label=\"?\" shape=circle];\n  b{block} -> u{block} [style=dotted];")?;
        }
    }
    writeln!(out, "}}")
}

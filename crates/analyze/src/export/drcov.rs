//! Export to drcov, the coverage format that disassembler plugins load: every block of the graph.

use crate::graph::Graph;
use std::io::{self, Write};

/// Writes the blocks of a graph as if all of them had been executed. `base` and `end` are the first address of the
/// program and the one after its last. A block outside is omitted; one longer than the format can express is truncated.
///
/// # Errors
/// If writing fails.
pub fn drcov(graph: &Graph, name: &str, base: u64, end: u64, out: &mut dyn Write) -> io::Result<()> {
    let mut blocks: Vec<(u32, u16)> = Vec::new();
    for id in graph.blocks() {
        let node = graph.block(id);
        let start = node.place.address.checked_sub(base).and_then(|start| u32::try_from(start).ok());
        if let Some(start) = start.filter(|_| node.decoded && node.place.address < end) {
            let size = node.end.saturating_sub(node.place.address);
            blocks.push((start, u16::try_from(size).unwrap_or(u16::MAX)));
        }
    }
    blocks.sort_unstable();
    blocks.dedup();
    let name: String = name.chars().filter(|letter| !letter.is_control() && *letter != ',').collect();
    writeln!(out, "DRCOV VERSION: 2\nDRCOV FLAVOR: everypath")?;
    writeln!(out, "Module Table: version 2, count 1\nColumns: id, base, end, entry, path")?;
    writeln!(out, " 0, {base:#018x}, {end:#018x}, {:#018x}, {name}", 0)?;
    writeln!(out, "BB Table: {} bbs", blocks.len())?;
    for (start, size) in blocks {
        out.write_all(&start.to_le_bytes())?;
        out.write_all(&size.to_le_bytes())?;
        out.write_all(&0_u16.to_le_bytes())?;
    }
    Ok(())
}

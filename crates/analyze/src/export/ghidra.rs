//! Export to a Ghidra script that creates the functions and the targets of indirect jumps.

use crate::graph::{EdgeKind, EdgeOrigin, Graph};
use std::io::{self, Write};

const BEFORE: &str = "\
# Functions and targets of computed jumps, for Ghidra: Window > Script Manager, then run this file.
#@category Everypath
from ghidra.program.model.symbol import RefType, SourceType
from ghidra.app.cmd.disassemble import DisassembleCommand

space = currentProgram.getAddressFactory().getDefaultAddressSpace()
references = currentProgram.getReferenceManager()

def function(address):
    address = space.getAddress(address)
    DisassembleCommand(address, None, True).applyTo(currentProgram)
    if getFunctionAt(address) is None:
        createFunction(address, None)

def jump(source, target, kind):
    source, target = space.getAddress(source), space.getAddress(target)
    DisassembleCommand(target, None, True).applyTo(currentProgram)
    references.addMemoryReference(source, target, kind, SourceType.ANALYSIS, 0)

";

/// Writes the script.
///
/// # Errors
/// If writing fails.
pub fn ghidra(graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(BEFORE.as_bytes())?;
    for function in graph.functions() {
        writeln!(out, "function({:#x})", graph.block(function.entry).place.address)?;
    }
    let mut jumps: Vec<(u64, u64, &str)> = Vec::new();
    for edge in graph.edges().filter(|edge| edge.origin != EdgeOrigin::Decoded) {
        let kind =
            if edge.kind == EdgeKind::Call { "RefType.COMPUTED_CALL" } else { "RefType.COMPUTED_JUMP" };
        if let Some((source, _)) = graph.instructions(edge.from).last() {
            jumps.push((source, graph.block(edge.to).place.address, kind));
        }
    }
    jumps.sort_unstable();
    for (source, target, kind) in jumps {
        writeln!(out, "jump({source:#x}, {target:#x}, {kind})")?;
    }
    Ok(())
}

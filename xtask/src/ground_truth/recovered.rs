//! The graph that a tool recovered from a stripped program: Everypath, or another tool.

use everypath_analyze::{EdgeKind, Graph, Resolution};
use everypath_ir::ExitKind;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Functions, instructions and indirect jumps.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recovered {
    /// The starts of functions.
    pub functions: BTreeSet<u64>,
    /// The starts of instructions.
    pub instructions: BTreeSet<u64>,
    /// The indirect jumps.
    pub jumps: Vec<Jump>,
    /// The time it took, in seconds.
    pub seconds: f64,
}

/// An indirect jump.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Jump {
    /// The block that ends with it.
    pub block: u64,
    /// Its targets.
    pub targets: BTreeSet<u64>,
    /// Whether it is fully resolved: no other target is possible.
    #[serde(default)]
    pub saturated: bool,
    /// A remark.
    #[serde(default)]
    pub remark: String,
}

impl Recovered {
    /// The functions, instructions and indirect jumps of a graph.
    pub fn of(graph: &Graph, seconds: f64) -> Self {
        let address = |id| graph.block(id).place.address;
        let blocks = graph.blocks();
        let jumps = graph.indirect_exits().filter(|exit| exit.kind == ExitKind::Jump).map(|exit| {
            let edges = graph.successors(exit.block).filter(|edge| edge.exit == exit.exit);
            let edges = edges.filter(|edge| matches!(edge.kind, EdgeKind::Jump | EdgeKind::TailCall));
            Jump {
                block: address(exit.block),
                targets: edges.map(|edge| address(edge.to)).collect(),
                saturated: exit.state.is_resolved(),
                remark: match exit.state {
                    Resolution::Resolved(why) => why.to_string(),
                    Resolution::Unresolved(why) => why.to_string(),
                },
            }
        });
        Self {
            functions: graph.functions().iter().map(|function| address(function.entry)).collect(),
            instructions: blocks
                .flat_map(|block| graph.instructions(block).map(|(address, _)| address))
                .collect(),
            jumps: jumps.collect(),
            seconds,
        }
    }

    /// The graph that angr recovers from a file.
    ///
    /// # Errors
    /// If it cannot be run.
    pub fn by_angr(root: &Path, python: &Path, file: &Path) -> Result<Self, String> {
        let script = root.join("tests/peers/angr_graph.py");
        let run = Command::new(python).arg(script).arg(file).output();
        let run = run.map_err(|error| format!("{}: {error}", python.display()))?;
        serde_json::from_slice(&run.stdout)
            .map_err(|error| format!("angr: {error}: {}", String::from_utf8_lossy(&run.stderr)))
    }
}

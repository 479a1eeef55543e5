//! What somebody made of a stripped program: us, or another tool.

use everypath_analyze::{EdgeKind, Graph, Saturation};
use everypath_ir::ExitKind;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Functions, instructions and computed jumps.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recovered {
    /// Where functions begin.
    pub functions: BTreeSet<u64>,
    /// Where instructions begin.
    pub instructions: BTreeSet<u64>,
    /// The jumps whose target is computed.
    pub jumps: Vec<Jump>,
    /// How long it took, in seconds.
    pub seconds: f64,
}

/// A computed jump.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Jump {
    /// The block that ends with it.
    pub block: u64,
    /// Where it leads to.
    pub targets: BTreeSet<u64>,
    /// Whether no other target is possible.
    #[serde(default)]
    pub saturated: bool,
    /// What else is known of it.
    #[serde(default)]
    pub remark: String,
}

impl Recovered {
    /// What a graph says.
    pub fn of(graph: &Graph, seconds: f64) -> Self {
        let address = |id| graph.block(id).place.address;
        let blocks = graph.blocks();
        let jumps = graph.dynamics().filter(|dynamic| dynamic.kind == ExitKind::Jump).map(|dynamic| {
            let edges = graph.successors(dynamic.block).filter(|edge| edge.exit == dynamic.exit);
            let edges = edges.filter(|edge| matches!(edge.kind, EdgeKind::Jump | EdgeKind::TailCall));
            Jump {
                block: address(dynamic.block),
                targets: edges.map(|edge| address(edge.to)).collect(),
                saturated: dynamic.state.is_saturated(),
                remark: match dynamic.state {
                    Saturation::Saturated(why) => why.to_string(),
                    Saturation::Unsaturated(why) => why.to_string(),
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

    /// What angr says of a file.
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

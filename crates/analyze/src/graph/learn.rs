//! The two ways between the graph and exploration: what may be tried, and what was found.

use super::build::{Builder, Settings};
use super::node::{BlockId, Evidence, Origin};
use super::whole::Graph;
use crate::program::Program;
use everypath_ir::Place;

/// A way from a block to a place that somebody found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Finding {
    /// An instruction of the block.
    pub from: Place,
    /// Which exit of the block.
    pub exit: u8,
    /// Where it leads to.
    pub to: Place,
    /// Who found it.
    pub origin: Origin,
}

impl Graph {
    /// The targets of a computed exit that are known or thought possible, with who says so: what to ask a solver for first.
    pub fn propose(&self, block: BlockId, exit: u8) -> Vec<(Place, Origin)> {
        let edges = self.successors(block).filter(|edge| edge.exit == exit);
        let edges = edges.filter(|edge| edge.kind != super::EdgeKind::Resume);
        let mut targets: Vec<_> = edges.map(|edge| (self.block(edge.to).place, edge.origin)).collect();
        targets.sort_unstable();
        targets
    }

    /// Takes in what runs or a solver found, and decodes what it leads to. Nothing that is known is ever lost. Says whether
    /// anything was new.
    pub fn learn(&mut self, program: &Program<'_>, findings: &[Finding]) -> bool {
        let mut builder = Builder::new(program, Settings::default());
        builder.graph = std::mem::take(self);
        for function in builder.graph.functions() {
            let place = builder.graph.block(function.entry).place;
            builder.evidence.insert(place, function.evidence);
        }
        let before = (builder.graph.edges.len(), builder.graph.len());
        for finding in findings {
            if let Some(from) = builder.graph.containing_anyhow(finding.from) {
                builder.add_targets(from, finding.exit, &[finding.to], finding.origin);
                builder.run();
            }
        }
        let is_new = before != (builder.graph.edges.len(), builder.graph.len());
        if is_new {
            builder.partition();
        }
        *self = builder.graph;
        is_new
    }

    /// How sure it is that a function begins at a place.
    pub fn evidence(&self, place: Place) -> Option<Evidence> {
        self.function_at(place).map(|function| self.function(function).evidence)
    }
}

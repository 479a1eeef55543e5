//! Indirect exits of open functions, in which an unresolved jump or an instruction that does not decode may lead past the comparison
//! that bounds a jump table.

use super::build::Builder;
use crate::graph::{
    BlockId, EdgeKind, Evidence, IndirectExit, NONE, Resolution, ResolutionEvidence, UnresolvedReason,
};
use everypath_ir::ExitKind;

impl Builder<'_> {
    /// Leaves the jump tables of open functions unresolved, but for those that the jump's own block bounds.
    pub(super) fn doubt_in_open_functions(&mut self) {
        let is_open = self.open();
        let by_paths = Resolution::Resolved(ResolutionEvidence::Table);
        let doubted: Vec<(BlockId, u8)> = self
            .graph
            .indirect_exits()
            .filter(|exit| exit.state == by_paths)
            .filter(|exit| is_open.get(self.function(exit.block)).copied().unwrap_or(true))
            .map(|exit| (exit.block, exit.exit))
            .collect();
        for (block, exit) in doubted {
            if let Some(exit) = self.graph.indirect_exit_mut(block, exit) {
                exit.state = Resolution::Unresolved(UnresolvedReason::OpenFunction);
            }
        }
    }

    fn function(&self, block: BlockId) -> usize {
        self.graph.nodes[block.index()].function as usize
    }

    /// For each function, whether it is open. The cold part that a compiler has split off a function is open with it.
    fn open(&self) -> Vec<bool> {
        let graph = &self.graph;
        let mut is_open = vec![false; graph.functions.len()];
        let mut mark = |block: BlockId| {
            if let Some(is_open) = is_open.get_mut(graph.nodes[block.index()].function as usize) {
                *is_open = true;
            }
        };
        let leads_anywhere = |exit: &&IndirectExit| {
            let is_jump = matches!(exit.kind, ExitKind::Jump | ExitKind::Fall);
            let is_elsewhere = matches!(
                exit.state,
                Resolution::Unresolved(UnresolvedReason::Imported | UnresolvedReason::Outside)
            );
            is_jump && exit.import.is_none() && !exit.state.is_resolved() && !is_elsewhere
        };
        graph.indirect_exits().filter(leads_anywhere).for_each(|exit| mark(exit.block));
        for hole in graph.holes().filter(|(place, _)| self.program.is_code(place.address)) {
            let block = graph.find(hole.0);
            for edge in block.into_iter().flat_map(|block| graph.predecessors(block)) {
                if edge.kind != EdgeKind::Call {
                    mark(edge.from);
                }
            }
        }
        let parts: Vec<(usize, usize)> = graph
            .edges
            .iter()
            .filter(|edge| edge.kind == EdgeKind::TailCall && edge.from != BlockId(NONE))
            .map(|edge| (self.function(edge.from), self.function(edge.to)))
            .filter(|(from, _)| *from < graph.functions.len())
            .filter(|(_, to)| graph.functions.get(*to).is_some_and(|to| to.evidence == Evidence::Unwind))
            .collect();
        loop {
            let before = is_open.iter().filter(|is_open| **is_open).count();
            for (from, to) in &parts {
                let either = is_open[*from] || is_open[*to];
                (is_open[*from], is_open[*to]) = (either, either);
            }
            if is_open.iter().filter(|is_open| **is_open).count() == before {
                return is_open;
            }
        }
    }
}

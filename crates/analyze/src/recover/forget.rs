//! Retracts blocks that turned out to be data, and blocks that became unreachable.

use super::build::Builder;
use crate::graph::{BlockId, EdgeKind, Evidence};
use everypath_ir::Place;

impl Builder<'_> {
    /// Ends blocks before words that instructions read as data and only fall-through reaches, and erases blocks that
    /// are reachable only through them.
    ///
    /// Recovery often decodes such a word before it learns better, because it follows a call that was not known never
    /// to return.
    pub(super) fn forget_literals(&mut self) {
        let mut literals: Vec<u64> = self.literals.iter().copied().collect();
        literals.sort_unstable();
        let contexts: Vec<_> = self.graph.contexts().collect();
        let mut doubtful: Vec<BlockId> = Vec::new();
        for address in literals {
            for context in &contexts {
                let place = Place::new(address, *context);
                if let Some(front) = self.graph.around(place)
                    && let Some(back) = self.divide(front, place)
                {
                    doubtful.push(back);
                } else if let Some(block) = self.graph.find(place)
                    && self.graph.block(block).decoded
                    && self.is_only_fallen_to(block)
                {
                    doubtful.push(block);
                }
            }
        }
        while let Some(block) = doubtful.pop() {
            let place = self.graph.block(block).place;
            self.graph.add_hole(place, "instructions read it as data".to_owned());
            for (to, kind) in self.graph.erase(block) {
                let place = self.graph.block(to).place;
                let left = self.graph.predecessors(to).next().is_some();
                if left || to == block || !self.graph.block(to).decoded {
                    continue;
                }
                match kind {
                    EdgeKind::Call if self.evidence.get(&place) == Some(&Evidence::Called) => {
                        self.evidence.remove(&place);
                        doubtful.push(to);
                    }
                    _ if !self.evidence.contains_key(&place) => doubtful.push(to),
                    _ => {}
                }
            }
        }
    }

    /// Erases blocks that no function reaches, such as targets of jumps that were split or got other targets.
    pub(super) fn forget_orphans(&mut self) {
        let entries = self.evidence.keys().filter_map(|place| self.graph.find(*place));
        let is_reached = self.graph.reachable_from(entries);
        let is_orphan = |block: &BlockId| !is_reached[block.index()] && self.graph.block(*block).decoded;
        let orphans: Vec<BlockId> = self.graph.blocks().filter(is_orphan).collect();
        for block in orphans {
            self.graph.erase(block);
        }
    }
}

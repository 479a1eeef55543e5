//! Takes back what was decoded where instructions turned out to read data.

use super::build::Builder;
use super::node::{BlockId, EdgeKind, Evidence};
use everypath_ir::Place;

impl Builder<'_> {
    /// Ends blocks before words that instructions read, where nothing but what lies before leads to them; and forgets what
    /// only those words led to.
    ///
    /// Such a word is often known only after what lies before it: a call that never returns, as nobody could see.
    pub(super) fn forget_literals(&mut self) {
        let mut literals: Vec<u64> = self.literals.iter().copied().collect();
        literals.sort_unstable();
        let contexts: Vec<_> = self.graph.contexts.iter().copied().collect();
        let mut doubtful: Vec<BlockId> = Vec::new();
        for address in literals {
            for context in &contexts {
                let place = Place::new(address, *context);
                if let Some(front) = self.graph.inside.get(&place).copied()
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
            self.graph.holes.insert(place, "instructions read it as data".to_owned());
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
}

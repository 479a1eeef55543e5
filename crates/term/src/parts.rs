//! Topological traversal of the subterms of a term, arguments first.

use rustc_hash::FxHashSet;

use crate::node::Kind;
use crate::{Array, Term, Terms};

/// A term or an array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Part {
    /// A term.
    Term(Term),
    /// An array.
    Array(Array),
}

impl Terms {
    /// The subterms of these terms, each once and after its arguments; the order depends on the terms alone. The
    /// traversal is iterative, so terms may be deep.
    #[must_use]
    pub fn parts(&self, roots: &[Term]) -> Vec<Part> {
        let mut done = FxHashSet::default();
        let mut parts = Vec::new();
        let mut work: Vec<(u32, bool)> = Vec::new();
        for root in roots {
            work.push((root.slot(), false));
            while let Some((slot, complete)) = work.pop() {
                if complete {
                    parts.push(self.part(slot));
                } else if done.insert(slot) {
                    work.push((slot, true));
                    let node = &self.nodes[slot as usize];
                    work.extend(node.slots().iter().rev().map(|&slot| (slot, false)));
                }
            }
        }
        parts
    }

    fn part(&self, slot: u32) -> Part {
        match self.nodes[slot as usize].kind {
            Kind::Table | Kind::Store => Part::Array(Array::new(slot)),
            _ => Part::Term(Term::new(slot)),
        }
    }

    /// The direct arguments of a part.
    pub(crate) fn direct(&self, part: Part) -> impl Iterator<Item = Part> + '_ {
        let slot = match part {
            Part::Term(term) => term.slot(),
            Part::Array(array) => array.slot(),
        };
        self.nodes[slot as usize].slots().iter().map(|&slot| self.part(slot))
    }
}

//! Mark-and-sweep garbage collection of the term pool.

use crate::node::Kind;
use crate::{Array, Term, Terms};

/// The result of a collection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Collected {
    /// The number of terms and arrays freed.
    pub freed: usize,
    /// The number of live terms and arrays.
    pub live: usize,
}

impl Terms {
    /// Frees all terms and arrays unreachable from these roots. Live terms keep their numbers; all others become
    /// invalid, and their numbers are reused.
    ///
    /// The cost is linear in the size of the pool: call it when the pool has doubled since the last collection.
    pub fn collect(
        &mut self,
        roots: impl IntoIterator<Item = Term>,
        arrays: impl IntoIterator<Item = Array>,
    ) -> Collected {
        let mut marked = vec![0_u64; self.nodes.len().div_ceil(64)];
        let mut mark = |slot: u32| {
            let (word, bit) = (&mut marked[slot as usize / 64], 1 << (slot % 64));
            let fresh = *word & bit == 0;
            *word |= bit;
            fresh
        };
        let mut work = Vec::new();
        let slots = roots.into_iter().map(Term::slot).chain(arrays.into_iter().map(Array::slot));
        for root in slots {
            if mark(root) {
                work.push(root);
            }
            while let Some(slot) = work.pop() {
                let node = &self.nodes[slot as usize];
                debug_assert!(node.kind != Kind::Free, "slot {slot} was collected before");
                work.extend(node.slots().iter().copied().filter(|&slot| mark(slot)));
            }
        }
        self.sweep(|slot| marked[slot as usize / 64] >> (slot % 64) & 1 == 1)
    }

    fn sweep(&mut self, lives: impl Fn(u32) -> bool) -> Collected {
        let before = self.live();
        self.interned.retain(|&mut slot| lives(slot));
        self.wide_interned.retain(|_, slot| lives(*slot));
        self.tables_interned.retain(|_, slot| lives(*slot));
        // From the end, so that low slots are reused first and the pool stays dense.
        for slot in (1..self.nodes.len()).rev() {
            let node = &mut self.nodes[slot];
            if node.kind == Kind::Free || lives(slot as u32) {
                continue;
            }
            match node.kind {
                Kind::Wide => self.wide_free.push(node.arguments[0]),
                Kind::Table => {
                    self.tables[node.arguments[0] as usize] = [].into();
                    self.tables_free.push(node.arguments[0]);
                }
                _ => {}
            }
            self.facts.remove(node.facts);
            node.kind = Kind::Free;
            self.free.push(slot as u32);
        }
        let live = self.nodes.iter().filter(|node| node.kind != Kind::Free);
        self.sets.collect(live.map(|node| node.inputs));
        self.collections = self.collections.wrapping_add(1);
        Collected { freed: before - self.live(), live: self.live() }
    }

    /// The number of collections: caches keyed by term number are valid while it does not change.
    #[must_use]
    pub fn collections(&self) -> u32 {
        self.collections
    }
}

//! Hash-consed sets of input bytes as big-endian Patricia tries (Okasaki and Gill 1998).
//!
//! They are the free variables of terms. A leaf holds a 64-bit mask of one block of bytes; a branch splits at the
//! highest bit in which block numbers differ. Equal sets are the same handle, and a union shares subtrees: a chain of
//! sums over thousands of bytes costs a few nodes per new byte, not a copy of the set.

use std::hash::{Hash, Hasher};

use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};

use crate::Input;

/// A handle of a set of input bytes in a pool of terms; equal sets are equal handles.
///
/// It is valid until a collection that no term with this set survives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct InputSet(u32);

impl InputSet {
    /// The empty set, of any pool.
    pub const EMPTY: InputSet = InputSet(0);

    /// Returns true if the set is empty.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self == InputSet::EMPTY
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Tree {
    Free,
    /// Bytes `64 * block + i` for the bits `i` of the mask, of which there is at least one.
    Leaf {
        block: u32,
        mask: u64,
    },
    /// Sets whose block numbers agree above the bit, which is zero in those of `low` and one in those of `high`.
    Branch {
        bit: u32,
        prefix: u32,
        low: InputSet,
        high: InputSet,
    },
}

impl Tree {
    fn key(&self) -> u64 {
        let mut hasher = FxHasher::default();
        self.hash(&mut hasher);
        hasher.finish()
    }

    /// A block number of the set, or its common prefix.
    fn representative(&self) -> u32 {
        match *self {
            Tree::Free => 0,
            Tree::Leaf { block, .. } => block,
            Tree::Branch { prefix, .. } => prefix,
        }
    }
}

/// The part of a block number above the bit.
fn above(block: u32, bit: u32) -> u32 {
    block & !(bit | (bit - 1))
}

/// The capacity of the union cache.
const REMEMBERED: usize = 1 << 16;

/// All sets of a pool.
#[derive(Clone, Debug)]
pub(crate) struct InputSets {
    trees: Vec<Tree>,
    interned: HashTable<u32>,
    free: Vec<u32>,
    unions: FxHashMap<(InputSet, InputSet), InputSet>,
}

impl InputSets {
    pub(crate) fn new() -> InputSets {
        InputSets {
            trees: vec![Tree::Free],
            interned: HashTable::new(),
            free: Vec::new(),
            unions: FxHashMap::default(),
        }
    }

    fn tree(&self, set: InputSet) -> Tree {
        self.trees[set.0 as usize]
    }

    fn intern(&mut self, tree: Tree) -> InputSet {
        let hash = tree.key();
        if let Some(&known) = self.interned.find(hash, |&slot| self.trees[slot as usize] == tree) {
            return InputSet(known);
        }
        let slot = match self.free.pop() {
            Some(slot) => {
                self.trees[slot as usize] = tree;
                slot
            }
            None => {
                self.trees.push(tree);
                u32::try_from(self.trees.len() - 1).expect("fewer sets than terms")
            }
        };
        let trees = &self.trees;
        self.interned.insert_unique(hash, slot, |&slot| trees[slot as usize].key());
        InputSet(slot)
    }

    pub(crate) fn single(&mut self, input: Input) -> InputSet {
        self.intern(Tree::Leaf { block: input.0 / 64, mask: 1 << (input.0 % 64) })
    }

    #[inline]
    pub(crate) fn union(&mut self, a: InputSet, b: InputSet) -> InputSet {
        if a == b || b.is_empty() {
            return a;
        }
        if a.is_empty() { b } else { self.union_of_different(a, b) }
    }

    fn union_of_different(&mut self, a: InputSet, b: InputSet) -> InputSet {
        let (a, b) = (a.min(b), a.max(b));
        if let Some(&known) = self.unions.get(&(a, b)) {
            return known;
        }
        let both = self.merge(a, b);
        if self.unions.len() >= REMEMBERED {
            self.unions.clear();
        }
        self.unions.insert((a, b), both);
        both
    }

    fn merge(&mut self, a: InputSet, b: InputSet) -> InputSet {
        match (self.tree(a), self.tree(b)) {
            (Tree::Leaf { block, mask }, Tree::Leaf { block: other, mask: more }) if block == other => {
                self.intern(Tree::Leaf { block, mask: mask | more })
            }
            (
                Tree::Branch { bit, prefix, low, high },
                Tree::Branch { bit: same, prefix: other, low: more_low, high: more_high },
            ) if bit == same && prefix == other => {
                let low = self.union(low, more_low);
                let high = self.union(high, more_high);
                self.intern(Tree::Branch { bit, prefix, low, high })
            }
            (x, y) => {
                let (key, other) = (x.representative(), y.representative());
                if let Tree::Branch { bit, prefix, .. } = x
                    && above(other, bit) == prefix
                    && !matches!(y, Tree::Branch { bit: inner, .. } if inner >= bit)
                {
                    return self.extend_branch(x, b, other);
                }
                if let Tree::Branch { bit, prefix, .. } = y
                    && above(key, bit) == prefix
                    && !matches!(x, Tree::Branch { bit: inner, .. } if inner >= bit)
                {
                    return self.extend_branch(y, a, key);
                }
                let bit = 1 << (key ^ other).ilog2();
                let (low, high) = if key & bit == 0 { (a, b) } else { (b, a) };
                self.intern(Tree::Branch { bit, prefix: above(key, bit), low, high })
            }
        }
    }

    /// Adds a set that is within one side of the branch.
    fn extend_branch(&mut self, branch: Tree, set: InputSet, key: u32) -> InputSet {
        let Tree::Branch { bit, prefix, mut low, mut high } = branch else {
            unreachable!("called with a branch")
        };
        let side = if key & bit == 0 { &mut low } else { &mut high };
        let old = *side;
        *side = self.union(old, set);
        self.intern(Tree::Branch { bit, prefix, low, high })
    }

    fn intersect(&self, a: InputSet, b: InputSet) -> bool {
        if a.is_empty() || b.is_empty() {
            return false;
        }
        if a == b {
            return true;
        }
        let side = |bit: u32, prefix: u32, low: InputSet, high: InputSet, other: u32| {
            (above(other, bit) == prefix).then_some(if other & bit == 0 { low } else { high })
        };
        match (self.tree(a), self.tree(b)) {
            (Tree::Leaf { block, mask }, Tree::Leaf { block: other, mask: more }) => {
                block == other && mask & more != 0
            }
            (
                Tree::Branch { bit, prefix, low, high },
                Tree::Branch { bit: same, prefix: other, low: more_low, high: more_high },
            ) if bit == same => {
                prefix == other && (self.intersect(low, more_low) || self.intersect(high, more_high))
            }
            (Tree::Branch { bit, prefix, low, high }, y) if !matches!(y, Tree::Branch { bit: inner, .. } if inner > bit) => {
                side(bit, prefix, low, high, y.representative()).is_some_and(|set| self.intersect(set, b))
            }
            (x, Tree::Branch { bit, prefix, low, high }) => {
                side(bit, prefix, low, high, x.representative()).is_some_and(|set| self.intersect(a, set))
            }
            _ => false,
        }
    }

    /// Frees the nodes unreachable from these sets.
    pub(crate) fn collect(&mut self, roots: impl Iterator<Item = InputSet>) {
        let mut marked = vec![false; self.trees.len()];
        let mut work = Vec::new();
        for root in roots {
            work.push(root);
            while let Some(set) = work.pop() {
                if std::mem::replace(&mut marked[set.0 as usize], true) {
                    continue;
                }
                if let Tree::Branch { low, high, .. } = self.tree(set) {
                    work.extend([low, high]);
                }
            }
        }
        self.unions.clear();
        self.interned.retain(|&mut slot| marked[slot as usize]);
        for slot in (1..self.trees.len()).rev() {
            if !marked[slot] && self.trees[slot] != Tree::Free {
                self.trees[slot] = Tree::Free;
                self.free.push(slot as u32);
            }
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.trees.capacity() * size_of::<Tree>()
            + self.interned.allocation_size()
            + self.free.capacity() * 4
            + self.unions.capacity() * 13
    }

    pub(crate) fn view(&self, set: InputSet) -> Inputs<'_> {
        Inputs { sets: self, set }
    }
}

/// The input bytes that a term depends on.
#[derive(Clone, Copy)]
pub struct Inputs<'a> {
    sets: &'a InputSets,
    set: InputSet,
}

impl<'a> Inputs<'a> {
    /// The handle of the set.
    #[must_use]
    pub fn set(self) -> InputSet {
        self.set
    }

    /// Returns true if there is none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.set.is_empty()
    }

    /// Returns true if the byte is in the set.
    #[must_use]
    pub fn contains(self, input: Input) -> bool {
        let mut set = self.set;
        loop {
            match self.sets.tree(set) {
                Tree::Free => return false,
                Tree::Leaf { block, mask } => {
                    return block == input.0 / 64 && mask >> (input.0 % 64) & 1 == 1;
                }
                Tree::Branch { bit, low, high, .. } => {
                    set = if (input.0 / 64) & bit == 0 { low } else { high }
                }
            }
        }
    }

    /// Returns true if the sets, which belong to one pool, intersect.
    #[must_use]
    pub fn intersects(self, other: Inputs<'_>) -> bool {
        self.sets.intersect(self.set, other.set)
    }

    /// The bytes in ascending order.
    pub fn iter(self) -> impl Iterator<Item = Input> + 'a {
        // Most sets are one leaf, for which nothing is allocated.
        let mut first = (!self.is_empty()).then_some(self.set);
        let mut work = Vec::new();
        let (mut block, mut mask) = (0, 0_u64);
        std::iter::from_fn(move || {
            while mask == 0 {
                match self.sets.tree(first.take().or_else(|| work.pop())?) {
                    Tree::Free => {}
                    Tree::Leaf { block: next, mask: bytes } => (block, mask) = (next, bytes),
                    Tree::Branch { low, high, .. } => work.extend([high, low]),
                }
            }
            let bit = mask.trailing_zeros();
            mask &= mask - 1;
            Some(Input(block * 64 + bit))
        })
    }

    /// The number of bytes.
    #[must_use]
    pub fn count(self) -> usize {
        self.iter().count()
    }
}

#[cfg(test)]
mod checks {
    use std::collections::BTreeSet;

    use super::{InputSet, InputSets};
    use crate::Input;

    /// A pseudo-random sequence from a seed.
    fn sequence(mut state: u64) -> impl FnMut(u64) -> u64 {
        move |limit| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % limit
        }
    }

    #[test]
    fn unions_and_intersections_are_those_of_sets() {
        let mut next = sequence(1);
        let mut sets = InputSets::new();
        let mut known: Vec<(InputSet, BTreeSet<u32>)> = vec![(InputSet::EMPTY, BTreeSet::new())];
        for step in 0..4000 {
            let fresh = if next(3) == 0 {
                let input = [next(70), next(5000), next(1 << 32)][next(3) as usize] as u32;
                (sets.single(Input(input)), BTreeSet::from([input]))
            } else {
                let (a, b) = (next(known.len() as u64) as usize, next(known.len() as u64) as usize);
                let expected: BTreeSet<u32> = &known[a].1 | &known[b].1;
                let (x, y) = (known[a].0, known[b].0);
                assert_eq!(sets.intersect(x, y), !known[a].1.is_disjoint(&known[b].1));
                (sets.union(x, y), expected)
            };
            let found: Vec<u32> = sets.view(fresh.0).iter().map(|input| input.0).collect();
            assert!(found.iter().eq(fresh.1.iter()), "in order and complete");
            let probe = next(5000) as u32;
            assert_eq!(sets.view(fresh.0).contains(Input(probe)), fresh.1.contains(&probe));
            for (set, bytes) in &known {
                assert_eq!(*set == fresh.0, *bytes == fresh.1, "equal sets are equal numbers");
            }
            known.push(fresh);
            if step % 500 == 499 {
                let keep = next(20) as usize;
                known.truncate(keep + 1);
                sets.collect(known.iter().map(|pair| pair.0));
                for (set, bytes) in &known {
                    assert!(sets.view(*set).iter().map(|input| input.0).eq(bytes.iter().copied()));
                }
            } else if known.len() > 200 {
                known.truncate(100);
            }
        }
    }

    #[test]
    fn a_chain_over_many_inputs_stays_small() {
        let mut sets = InputSets::new();
        let mut all = InputSet::EMPTY;
        for number in 0..100_000 {
            let byte = sets.single(Input(number));
            all = sets.union(all, byte);
        }
        assert_eq!(sets.view(all).count(), 100_000);
        assert!(sets.trees.len() < 100_000 * 14, "{} nodes", sets.trees.len());
    }
}

//! The hash-consing pool of terms.

use std::sync::Arc;

use everypath_ir::{Bits, Width};
use hashbrown::HashTable;
use rustc_hash::FxHashMap;

use crate::facts::{FactStore, Facts};
use crate::input_set::{InputSet, InputSets, Inputs};
use crate::node::{Kind, Node, key_hash};
use crate::{Array, Input, Term};

/// A pool of terms.
///
/// Term numbers are deterministic: they depend only on the sequence of calls.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The first slot is never used.
    pub(crate) nodes: Vec<Node>,
    pub(crate) interned: HashTable<u32>,
    pub(crate) free: Vec<u32>,
    pub(crate) facts: FactStore,
    pub(crate) sets: InputSets,
    pub(crate) wide: Vec<Bits>,
    pub(crate) wide_free: Vec<u32>,
    pub(crate) wide_interned: FxHashMap<Bits, u32>,
    pub(crate) tables: Vec<Arc<[u8]>>,
    pub(crate) tables_free: Vec<u32>,
    pub(crate) tables_interned: FxHashMap<(Arc<[u8]>, Width), u32>,
    /// The number of collections.
    pub(crate) collections: u32,
    /// The remaining rewriting steps for the current term.
    pub(crate) fuel: u32,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms::new()
    }
}

impl Terms {
    /// An empty pool.
    #[must_use]
    pub fn new() -> Terms {
        let nothing = Node {
            kind: Kind::Free,
            width: Width::W1,
            simplest: true,
            arguments: [0; 3],
            facts: 0,
            inputs: InputSet::EMPTY,
        };
        Terms {
            nodes: vec![nothing],
            interned: HashTable::new(),
            free: Vec::new(),
            facts: FactStore::new(),
            sets: InputSets::new(),
            wide: Vec::new(),
            wide_free: Vec::new(),
            wide_interned: FxHashMap::default(),
            tables: Vec::new(),
            tables_free: Vec::new(),
            tables_interned: FxHashMap::default(),
            collections: 0,
            fuel: 0,
        }
    }

    #[inline]
    pub(crate) fn node(&self, term: Term) -> &Node {
        let node = &self.nodes[term.index()];
        debug_assert!(node.kind != Kind::Free, "{term:?} was collected");
        node
    }

    #[inline]
    pub(crate) fn array_node(&self, array: Array) -> &Node {
        let node = &self.nodes[array.index()];
        debug_assert!(matches!(node.kind, Kind::Table | Kind::Store), "{array:?} was collected");
        node
    }

    /// The slot of the node with this structural key, if there is one.
    #[inline]
    pub(crate) fn find(&self, kind: Kind, width: Width, arguments: [u32; 3]) -> Option<u32> {
        let hash = key_hash(kind, width, arguments);
        self.interned.find(hash, |&slot| self.nodes[slot as usize].is(kind, width, arguments)).copied()
    }

    /// Inserts a node that is not in the pool.
    pub(crate) fn insert(&mut self, node: Node) -> u32 {
        let slot = match self.free.pop() {
            Some(slot) => {
                self.nodes[slot as usize] = node;
                slot
            }
            None => {
                self.nodes.push(node);
                u32::try_from(self.nodes.len() - 1).expect("a pool has fewer than 2^32 terms")
            }
        };
        if self.interned.len() == self.interned.capacity() {
            self.grow();
        } else {
            let nodes = &self.nodes;
            self.interned.insert_unique(node.hash_key(), slot, |&slot| nodes[slot as usize].hash_key());
        }
        slot
    }

    /// Rebuilds the hash table with more capacity, in node order: the table's own growth would visit the nodes in hash
    /// order, with random memory accesses.
    fn grow(&mut self) {
        let capacity = self.interned.capacity() * 2 + 16;
        self.interned = HashTable::new();
        self.interned.reserve(capacity, |_| unreachable!("an empty table"));
        for (slot, node) in self.nodes.iter().enumerate().skip(1) {
            if node.kind != Kind::Free {
                self.interned.insert_unique(node.hash_key(), slot as u32, |_| unreachable!("large enough"));
            }
        }
    }

    /// A constant.
    pub fn constant(&mut self, bits: &Bits) -> Term {
        match bits.to_u64() {
            Some(value) if bits.width() <= Width::W64 => self.narrow(value, bits.width()),
            _ => self.wide_constant(bits),
        }
    }

    /// The constant of the low `width` bits of a number.
    pub fn constant_u64(&mut self, value: u64, width: Width) -> Term {
        if width <= Width::W64 {
            let shift = 64 - width.bits();
            self.narrow(value << shift >> shift, width)
        } else {
            self.wide_constant(&Bits::from_u64(value, width))
        }
    }

    /// The constant of a truth value.
    pub fn truth(&mut self, value: bool) -> Term {
        self.narrow(u64::from(value), Width::W1)
    }

    fn narrow(&mut self, value: u64, width: Width) -> Term {
        let arguments = [value as u32, (value >> 32) as u32, 0];
        self.leaf(Kind::Narrow, width, arguments, InputSet::EMPTY)
    }

    fn wide_constant(&mut self, bits: &Bits) -> Term {
        if let Some(&slot) = self.wide_interned.get(bits) {
            return Term::new(slot);
        }
        let place = match self.wide_free.pop() {
            Some(place) => {
                self.wide[place as usize] = bits.clone();
                place
            }
            None => {
                self.wide.push(bits.clone());
                self.wide.len() as u32 - 1
            }
        };
        let term = self.leaf(Kind::Wide, bits.width(), [place, 0, 0], InputSet::EMPTY);
        self.wide_interned.insert(bits.clone(), term.slot());
        term
    }

    /// An input byte.
    pub fn input(&mut self, input: Input) -> Term {
        if let Some(slot) = self.find(Kind::Input, Width::W8, [input.0, 0, 0]) {
            return Term::new(slot);
        }
        let inputs = self.sets.single(input);
        self.leaf(Kind::Input, Width::W8, [input.0, 0, 0], inputs)
    }

    fn leaf(&mut self, kind: Kind, width: Width, arguments: [u32; 3], inputs: InputSet) -> Term {
        match self.find(kind, width, arguments) {
            Some(slot) => Term::new(slot),
            None => Term::new(self.insert(Node { kind, width, simplest: true, arguments, facts: 0, inputs })),
        }
    }

    /// The width of a term.
    #[inline]
    #[must_use]
    pub fn width(&self, term: Term) -> Width {
        self.node(term).width
    }

    /// The value of a constant.
    #[must_use]
    pub fn as_constant(&self, term: Term) -> Option<Bits> {
        let node = self.node(term);
        match node.kind {
            Kind::Narrow => Some(Bits::from_u64(node.word(), node.width)),
            Kind::Wide => Some(self.wide[node.arguments[0] as usize].clone()),
            _ => None,
        }
    }

    /// The value of a constant of at most 64 bits.
    #[inline]
    #[must_use]
    pub fn as_u64(&self, term: Term) -> Option<u64> {
        let node = self.node(term);
        (node.kind == Kind::Narrow).then(|| node.word())
    }

    /// Returns true if a term is a constant.
    #[inline]
    #[must_use]
    pub fn is_constant(&self, term: Term) -> bool {
        matches!(self.node(term).kind, Kind::Narrow | Kind::Wide)
    }

    /// The input bytes that a term depends on, in constant time.
    #[inline]
    #[must_use]
    pub fn inputs(&self, term: Term) -> Inputs<'_> {
        self.sets.view(self.node(term).inputs)
    }

    /// The input bytes that an array depends on.
    #[must_use]
    pub fn array_inputs(&self, array: Array) -> Inputs<'_> {
        self.sets.view(self.array_node(array).inputs)
    }

    /// The view of a set.
    #[must_use]
    pub fn input_set(&self, set: InputSet) -> Inputs<'_> {
        self.sets.view(set)
    }

    /// The union of two sets.
    pub fn union(&mut self, a: InputSet, b: InputSet) -> InputSet {
        self.sets.union(a, b)
    }

    /// The known bits and range of a term, valid for every input; nothing is known of terms wider than 64 bits.
    #[inline]
    #[must_use]
    pub fn facts(&self, term: Term) -> Facts {
        self.facts_of(self.node(term))
    }

    /// The known bits `(zeros, ones)`: masks of those that are always zero and always one.
    #[must_use]
    pub fn known_bits(&self, term: Term) -> (u64, u64) {
        let facts = self.facts(term);
        (facts.zeros, facts.ones)
    }

    /// The unsigned range of a term of at most 64 bits.
    #[must_use]
    pub fn unsigned_range(&self, term: Term) -> Option<(u64, u64)> {
        let facts = self.facts(term);
        (self.width(term) <= Width::W64).then_some((facts.least, facts.greatest))
    }

    /// The number of live terms and arrays.
    #[must_use]
    pub fn live(&self) -> usize {
        self.nodes.len() - 1 - self.free.len()
    }

    /// The memory of the pool in bytes, without its constant tables.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.interned.allocation_size()
            + self.free.capacity() * 4
            + self.facts.bytes()
            + self.sets.bytes()
            + self.wide.capacity() * (size_of::<Bits>() + 64)
    }
}

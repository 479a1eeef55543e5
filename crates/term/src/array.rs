//! Byte arrays of the theory of arrays: constant tables, and chains of stores over them.

use std::sync::Arc;

use everypath_ir::{Bits, Width};

use crate::input_set::InputSet;
use crate::node::{Kind, Node};
use crate::{Array, ArrayView, Term, Terms};

/// The maximum number of stores that a read skips in search of its source.
const LOOK_BACK: usize = 64;

impl Terms {
    /// A constant table as an array, with indices of the given width. Bytes beyond the table are zero.
    ///
    /// Hash-consed: the same data with the same width is the same array.
    ///
    /// # Panics
    /// If the width is above 64 bits.
    pub fn table(&mut self, bytes: &[u8], index: Width) -> Array {
        assert!(index <= Width::W64, "an index has at most 64 bits");
        let bytes: Arc<[u8]> = bytes.into();
        let key = (bytes, index);
        if let Some(&slot) = self.tables_interned.get(&key) {
            return Array::new(slot);
        }
        let place = match self.tables_free.pop() {
            Some(place) => {
                self.tables[place as usize] = key.0.clone();
                place
            }
            None => {
                self.tables.push(key.0.clone());
                self.tables.len() as u32 - 1
            }
        };
        let slot = self.insert(Node {
            kind: Kind::Table,
            width: index,
            simplest: true,
            arguments: [place, 0, 0],
            facts: 0,
            inputs: InputSet::EMPTY,
        });
        self.tables_interned.insert(key, slot);
        Array::new(slot)
    }

    /// The width of an index into the array.
    #[must_use]
    pub fn index_width(&self, array: Array) -> Width {
        self.array_node(array).width
    }

    /// The array with a byte stored at an index.
    ///
    /// # Panics
    /// With debug assertions, if the index does not have the array's index width, or the value is not a byte.
    pub fn store(&mut self, array: Array, index: Term, value: Term) -> Array {
        let width = self.index_width(array);
        debug_assert_eq!(self.width(index), width, "the array says how wide an index is");
        debug_assert_eq!(self.width(value), Width::W8, "elements are bytes");
        // A store at the same index shadows the previous one.
        let below = match self.array_view(array) {
            ArrayView::Store { array: below, index: same, .. } if same == index => below,
            _ => array,
        };
        let arguments = [below.slot(), index.slot(), value.slot()];
        if let Some(slot) = self.find(Kind::Store, width, arguments) {
            return Array::new(slot);
        }
        let mut inputs = self.nodes[below.index()].inputs;
        inputs = self.sets.union(inputs, self.nodes[index.index()].inputs);
        inputs = self.sets.union(inputs, self.nodes[value.index()].inputs);
        let node = Node { kind: Kind::Store, width, simplest: true, arguments, facts: 0, inputs };
        Array::new(self.insert(node))
    }

    /// The byte of an array at an index.
    ///
    /// Read over write: stores at a provably different index are skipped, and a store at the same index gives its
    /// value.
    ///
    /// # Panics
    /// With debug assertions, if the index does not have the array's index width.
    pub fn read(&mut self, array: Array, index: Term) -> Term {
        debug_assert_eq!(self.width(index), self.index_width(array), "the array says how wide an index is");
        let mut from = array;
        for _ in 0..LOOK_BACK {
            match self.array_view(from) {
                ArrayView::Table(bytes) => {
                    let Some(place) = self.as_u64(index) else { break };
                    let byte = usize::try_from(place).ok().and_then(|place| bytes.get(place)).copied();
                    return self.constant_u64(u64::from(byte.unwrap_or(0)), Width::W8);
                }
                ArrayView::Store { index: stored, value, .. } if stored == index => return value,
                ArrayView::Store { array: below, index: stored, .. } => {
                    if !self.certainly_differ(stored, index) {
                        break;
                    }
                    from = below;
                }
            }
        }
        self.read_plain(from, index)
    }

    /// The byte of an array at an index, without simplification.
    pub fn read_plain(&mut self, array: Array, index: Term) -> Term {
        let arguments = [array.slot(), index.slot(), 0];
        if let Some(slot) = self.find(Kind::Read, Width::W8, arguments) {
            return Term::new(slot);
        }
        let inputs = self.sets.union(self.nodes[array.index()].inputs, self.nodes[index.index()].inputs);
        let facts = self.facts_of_read(array, index);
        let facts = self.facts.insert(facts, Width::W8);
        let node = Node { kind: Kind::Read, width: Width::W8, simplest: true, arguments, facts, inputs };
        Term::new(self.insert(node))
    }

    /// Returns true if the term is a wide constant with this property.
    pub(crate) fn is_wide(&self, term: Term, property: impl FnOnce(&Bits) -> bool) -> bool {
        let node = self.node(term);
        node.kind == Kind::Wide && property(&self.wide[node.arguments[0] as usize])
    }
}

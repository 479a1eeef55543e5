//! Lemmas on demand for the theory of arrays (Brummayer and Biere 2009): a read over stores is a free byte until a
//! candidate model violates an array axiom, which is then added as a clause.

use std::rc::Rc;

use everypath_term::{Array, ArrayView, Evaluation, Term, Terms};
use rustc_hash::FxHashMap;

use super::Translator;
use crate::UnknownReason;
use crate::circuit::{Literal, equal, read_table};
use crate::limits::Budget;

/// The source of a read's value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Hit {
    /// The store at this depth below the array that is read, zero for the topmost.
    Store(u32),
    /// The table below all stores.
    Table,
}

/// An instance of the read-over-write axioms for one read: if the index differs from that of all stores above the hit
/// and equals that of the hit, then the value read is the one stored there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Lemma {
    /// The index of the read in [`Translator::reads`].
    pub(crate) read: usize,
    /// The source of the value.
    pub(crate) hit: Hit,
}

/// An array as a chain of stores over a constant table.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    array: Array,
    /// The number of stores above the constant bytes.
    depth: usize,
    pub(crate) table: Rc<[u8]>,
}

/// The constant tables of arrays already seen, by array.
pub(crate) type Tables = FxHashMap<Array, Rc<[u8]>>;

/// A constant store at an index from here on is not folded into the table.
const GREATEST_TABLE: u64 = 1 << 20;

impl Window {
    pub(crate) fn new(terms: &Terms, array: Array, tables: &mut Tables) -> Window {
        // An array read from text has many constant stores. Those below the lowest symbolic store are folded into the
        // table.
        let (mut depth, mut count, mut top) = (0, 0, array);
        let mut below = array;
        while let ArrayView::Store { array: next, index, value } = terms.array_view(below) {
            count += 1;
            if !(terms.as_u64(index).is_some_and(|index| index < GREATEST_TABLE) && terms.is_constant(value))
            {
                (depth, top) = (count, next);
            }
            below = next;
        }
        let table = tables.entry(top).or_insert_with(|| constant_bytes(terms, top).into());
        Window { array, depth, table: Rc::clone(table) }
    }

    /// Returns true if there is no store above the constant table.
    pub(crate) fn is_constant(&self) -> bool {
        self.depth == 0
    }

    /// The stores from the topmost down, each with index and value.
    fn stores(&self, terms: &Terms) -> impl Iterator<Item = (Term, Term)> {
        let mut array = self.array;
        (0..self.depth).map_while(move |_| match terms.array_view(array) {
            ArrayView::Table(_) => None,
            ArrayView::Store { array: below, index, value } => {
                array = below;
                Some((index, value))
            }
        })
    }

    /// The source of a read's value under the model of the evaluation.
    fn hit(&self, terms: &Terms, evaluation: &mut Evaluation, index: Term) -> Hit {
        let wanted = evaluation.word(terms, index);
        match self.stores(terms).position(|(stored, _)| evaluation.word(terms, stored) == wanted) {
            Some(depth) => Hit::Store(depth as u32),
            None => Hit::Table,
        }
    }
}

/// The bytes of an array whose stores are all constant.
fn constant_bytes(terms: &Terms, mut array: Array) -> Vec<u8> {
    let mut stores = Vec::new();
    let mut table = loop {
        match terms.array_view(array) {
            ArrayView::Table(table) => break table.to_vec(),
            ArrayView::Store { array: below, index, value } => {
                stores.extend(terms.as_u64(index).zip(terms.as_u64(value)));
                array = below;
            }
        }
    };
    for (index, value) in stores.into_iter().rev() {
        let index = index as usize;
        if table.len() <= index {
            table.resize(index + 1, 0);
        }
        table[index] = value as u8;
    }
    table
}

/// The array lemmas that an assignment violates: for each read whose bits disagree with the evaluation, the true source
/// of its value.
///
/// If the conditions are false under these inputs, one of the lemmas is new: the first read in topological order whose
/// bits are wrong has an index and stores whose bits are right.
pub(crate) fn violated(
    terms: &Terms,
    translator: &Translator,
    evaluation: &mut Evaluation,
    mut value: impl FnMut(Literal) -> Option<bool>,
) -> Vec<Lemma> {
    let mut violated = Vec::new();
    for (number, read) in translator.reads().iter().enumerate() {
        let found = read.bits.map(&mut value);
        // A read with no encoded bit does not occur in the query.
        if found.iter().all(Option::is_none) {
            continue;
        }
        let right = evaluation.word(terms, read.term).unwrap_or(0);
        if found
            .iter()
            .enumerate()
            .any(|(bit, found)| found.is_some_and(|found| found != (right >> bit & 1 == 1)))
        {
            violated.push(Lemma { read: number, hit: read.window.hit(terms, evaluation, read.index) });
        }
    }
    violated
}

impl Translator {
    /// The lemma as a clause over the circuit, valid for every input.
    pub(crate) fn lemma(
        &mut self,
        terms: &Terms,
        lemma: Lemma,
        budget: &Budget,
    ) -> Result<Vec<Literal>, UnknownReason> {
        let read = self.reads()[lemma.read].clone();
        let stores: Vec<(Term, Term)> = read.window.stores(terms).collect();
        let index = self.bits(terms, read.index, budget)?.to_vec();
        let above = match lemma.hit {
            Hit::Store(depth) => (depth as usize).min(stores.len()),
            Hit::Table => stores.len(),
        };
        // Built as gates, so that lemmas about other sources of the same read share them.
        let mut misses = Literal::TRUE;
        for &(stored, _) in &stores[..above] {
            let stored = self.bits(terms, stored, budget)?.to_vec();
            let meets = equal(&mut self.circuit, &index, &stored);
            misses = self.circuit.and(misses, !meets);
        }
        let mut clause = vec![!misses];
        let value = match stores.get(above) {
            Some(&(stored, value)) => {
                let stored = self.bits(terms, stored, budget)?.to_vec();
                clause.push(!equal(&mut self.circuit, &index, &stored));
                self.bits(terms, value, budget)?.to_vec()
            }
            None => read_table(&mut self.circuit, &read.window.table, &index),
        };
        clause.push(equal(&mut self.circuit, &read.bits, &value));
        Ok(clause)
    }
}

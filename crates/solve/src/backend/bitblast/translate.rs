//! Bit blasting of terms: each term becomes a vector of circuit literals, memoised per term.

use everypath_ir::Width;
use everypath_term::{Input, Term, Terms, View};
use rustc_hash::FxHashMap;

use super::lazy::{Tables, Window};
use crate::UnknownReason;
use crate::circuit::{Circuit, Literal, UnsupportedOperator, blast, read_table};
use crate::limits::Budget;

/// A read from an array with stores. Its bits are free inputs; array lemmas constrain them when a candidate model is
/// wrong.
#[derive(Clone, Debug)]
pub(crate) struct LazyRead {
    pub(crate) term: Term,
    pub(crate) window: Window,
    pub(crate) index: Term,
    pub(crate) bits: [Literal; 8],
}

/// The deadline is checked each time a circuit has grown by so many gates.
const GATES_BETWEEN_CHECKS: usize = 1 << 14;

/// The range of a term's bits in the literal table.
#[derive(Clone, Copy, Debug)]
struct Place {
    start: u32,
    width: u16,
}

/// Bit-blasts the terms of one pool.
///
/// Entries by term are dropped when the pool collects garbage, because term numbers are reused. The circuit stays:
/// structural hashing maps the same computation to the same gates.
#[derive(Debug, Default)]
pub(crate) struct Translator {
    pub(crate) circuit: Circuit,
    inputs: FxHashMap<Input, [Literal; 8]>,
    places: FxHashMap<Term, Place>,
    literals: Vec<Literal>,
    reads: Vec<LazyRead>,
    tables: Tables,
    /// The pool's collection count when the terms were translated.
    collections: u32,
    /// If true, bits that the pool's known-bits analysis proves constant become constants.
    with_facts: bool,
    work: Vec<Term>,
}

impl Translator {
    /// A translator that uses the pool's known-bits analysis.
    pub(crate) fn new() -> Translator {
        Translator { with_facts: true, ..Translator::default() }
    }

    /// A translator that uses the terms alone, for certificates.
    pub(crate) fn without_facts() -> Translator {
        Translator::default()
    }

    /// The lazy reads in order of translation.
    pub(crate) fn reads(&self) -> &[LazyRead] {
        &self.reads
    }

    /// The bits of an input byte, if a translated term contains it.
    pub(crate) fn input(&self, input: Input) -> Option<[Literal; 8]> {
        self.inputs.get(&input).copied()
    }

    /// Drops the entries of terms that may have been collected; returns true if there was a collection.
    pub(crate) fn follow(&mut self, terms: &Terms) -> bool {
        let stale = self.collections != terms.collections();
        if stale {
            self.collections = terms.collections();
            self.places.clear();
            self.literals.clear();
            self.reads.clear();
            self.tables.clear();
        }
        stale
    }

    /// The bits of a term, the least significant first.
    pub(crate) fn bits(
        &mut self,
        terms: &Terms,
        term: Term,
        budget: &Budget,
    ) -> Result<&[Literal], UnknownReason> {
        let place = match self.places.get(&term) {
            Some(&place) => place,
            None => self.translate(terms, term, budget)?,
        };
        Ok(self.at(place))
    }

    fn at(&self, place: Place) -> &[Literal] {
        &self.literals[place.start as usize..][..usize::from(place.width)]
    }

    fn translate(&mut self, terms: &Terms, root: Term, budget: &Budget) -> Result<Place, UnknownReason> {
        let mut work = std::mem::take(&mut self.work);
        work.clear();
        work.push(root);
        let mut next_check = self.circuit.len() + GATES_BETWEEN_CHECKS;
        while let Some(&term) = work.last() {
            if self.places.contains_key(&term) {
                work.pop();
                continue;
            }
            let view = terms.view(term);
            let before = work.len();
            let missing = |term: &&Term| !self.places.contains_key(term);
            match &view {
                View::Apply { arguments, .. } => work.extend(arguments.iter().filter(missing)),
                View::Read { index, .. } => work.extend(Some(index).filter(missing)),
                View::Constant(_) | View::Input(_) => {}
            }
            if work.len() > before {
                continue;
            }
            work.pop();
            let bits = self
                .build(terms, term, &view)
                .map_err(|UnsupportedOperator(op)| UnknownReason::Unsupported(op))?;
            self.keep(terms, term, bits);
            if self.circuit.len() > budget.gates {
                return Err(UnknownReason::Memory);
            }
            if self.circuit.len() >= next_check {
                next_check = self.circuit.len() + GATES_BETWEEN_CHECKS;
                budget.check_time()?;
            }
        }
        self.work = work;
        Ok(self.places[&root])
    }

    /// Builds the bits of a term whose arguments are translated.
    fn build(&mut self, terms: &Terms, term: Term, view: &View) -> Result<Vec<Literal>, UnsupportedOperator> {
        match view {
            View::Constant(bits) => {
                Ok((0..bits.width().bits()).map(|index| Literal::constant(bits.bit(index))).collect())
            }
            View::Input(input) => {
                let circuit = &mut self.circuit;
                Ok(self.inputs.entry(*input).or_insert_with(|| [(); 8].map(|()| circuit.input())).to_vec())
            }
            View::Apply { op, arguments } => {
                let places: Vec<Place> = arguments.iter().map(|argument| self.places[argument]).collect();
                let literals = &self.literals;
                let bits = |place: &Place| &literals[place.start as usize..][..usize::from(place.width)];
                let arguments: Vec<&[Literal]> = places.iter().map(bits).collect();
                blast(&mut self.circuit, *op, terms.width(term), &arguments)
            }
            View::Read { array, index } => {
                let window = Window::new(terms, *array, &mut self.tables);
                if window.is_constant() {
                    let place = self.places[index];
                    let index = &self.literals[place.start as usize..][..usize::from(place.width)];
                    return Ok(read_table(&mut self.circuit, &window.table, index));
                }
                let bits = [(); 8].map(|()| self.circuit.input());
                self.reads.push(LazyRead { term, window, index: *index, bits });
                Ok(bits.to_vec())
            }
        }
    }

    fn keep(&mut self, terms: &Terms, term: Term, mut bits: Vec<Literal>) {
        if self.with_facts && terms.width(term) <= Width::W64 {
            let (zeros, ones) = terms.known_bits(term);
            for (index, bit) in bits.iter_mut().enumerate() {
                if (zeros | ones) >> index & 1 == 1 {
                    *bit = Literal::constant(ones >> index & 1 == 1);
                }
            }
        }
        let start = u32::try_from(self.literals.len()).expect("fewer bits than gates and constants can name");
        let width = bits.len() as u16;
        self.literals.append(&mut bits);
        self.places.insert(term, Place { start, width });
    }
}

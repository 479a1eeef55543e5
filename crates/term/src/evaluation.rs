//! Concrete evaluation of terms under a model.

use std::cell::Cell;

use everypath_ir::{Bits, Op, Width};

use crate::node::{Kind, Node};
use crate::{Input, Model, Term, Terms};

/// The next step of evaluating a lazy operator: another argument, or its result.
enum Next {
    /// The value of this argument first.
    Slot(u32),
    /// Nothing more: its value, or its index among the wide ones.
    Value(u64),
}

/// Evaluates terms under a model, memoised per term.
///
/// Reuse it for the next model ([`Evaluation::set_model`]): invalidation is free, while a new evaluation allocates
/// memory for the pool. Its values are dropped when the pool collects garbage. Evaluation is iterative, so terms may
/// have any depth.
#[derive(Clone, Debug)]
pub struct Evaluation {
    model: Model,
    /// The round in which the value was computed.
    stamps: Vec<u32>,
    /// The value; of a value wider than 64 bits, its index in `wide`.
    values: Vec<u64>,
    wide: Vec<Bits>,
    round: u32,
    collections: u32,
    work: Vec<u32>,
    /// See `steps`. Reads of arrays count with a shared reference.
    steps: Cell<u64>,
}

impl Default for Evaluation {
    /// Evaluates under the model in which every byte is zero.
    fn default() -> Evaluation {
        Evaluation::new(Model::new())
    }
}

impl Evaluation {
    /// Evaluates under this model.
    #[must_use]
    pub fn new(model: Model) -> Evaluation {
        Evaluation {
            model,
            stamps: Vec::new(),
            values: Vec::new(),
            wide: Vec::new(),
            round: 1,
            collections: 0,
            work: Vec::new(),
            steps: Cell::new(0),
        }
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The work done so far, in operators and links of array chains: a measure for bounds, the same on every machine.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps.get()
    }

    /// Counts work.
    pub(crate) fn count(&self, steps: usize) {
        self.steps.set(self.steps.get() + steps as u64);
    }

    /// Evaluates under another model from now on.
    pub fn set_model(&mut self, model: Model) {
        self.model = model;
        self.forget();
    }

    /// Changes one byte of the model. Unlike a changed model, this copies nothing the second time.
    pub fn set_byte(&mut self, input: Input, value: u8) {
        self.model.set(input, value);
        self.forget();
    }

    fn forget(&mut self) {
        self.wide.clear();
        match self.round.checked_add(1) {
            Some(round) => self.round = round,
            None => {
                self.stamps.fill(0);
                self.round = 1;
            }
        }
    }

    /// The value of a term.
    pub fn value(&mut self, terms: &Terms, term: Term) -> Bits {
        self.run(terms, term.slot());
        self.known(terms, term.slot())
    }

    /// The value of a term of at most 64 bits.
    pub fn word(&mut self, terms: &Terms, term: Term) -> Option<u64> {
        if terms.width(term) > Width::W64 {
            return None;
        }
        self.run(terms, term.slot());
        Some(self.values[term.index()])
    }

    /// Returns true if a term of one bit is one.
    pub fn holds(&mut self, terms: &Terms, term: Term) -> bool {
        debug_assert_eq!(terms.width(term), Width::W1, "a condition has one bit");
        self.word(terms, term) == Some(1)
    }

    fn known(&self, terms: &Terms, slot: u32) -> Bits {
        let (width, value) = (terms.nodes[slot as usize].width, self.values[slot as usize]);
        if width <= Width::W64 { Bits::from_u64(value, width) } else { self.wide[value as usize].clone() }
    }

    /// The value of a slot of at most 64 bits; of an array, evaluates the arguments of its stores.
    pub(crate) fn slot_value(&mut self, terms: &Terms, slot: u32) -> u64 {
        self.run(terms, slot);
        self.values[slot as usize]
    }

    fn run(&mut self, terms: &Terms, slot: u32) {
        if self.collections != terms.collections() {
            self.collections = terms.collections();
            self.forget();
        }
        if self.stamps.len() < terms.nodes.len() {
            self.stamps.resize(terms.nodes.len(), 0);
            self.values.resize(terms.nodes.len(), 0);
        }
        if self.stamps[slot as usize] == self.round {
            return;
        }
        let mut work = std::mem::take(&mut self.work);
        work.push(slot);
        let mut evaluated = 0;
        while let Some(&slot) = work.last() {
            if self.stamps[slot as usize] == self.round {
                work.pop();
                continue;
            }
            let node = &terms.nodes[slot as usize];
            let value = if node.is_lazy() {
                match self.next(node) {
                    Next::Slot(slot) => {
                        work.push(slot);
                        continue;
                    }
                    Next::Value(value) => value,
                }
            } else {
                let due = work.len();
                work.extend(node.slots().iter().copied().filter(|&slot| !self.is_known(slot)));
                if work.len() > due {
                    continue;
                }
                self.compute(terms, node)
            };
            work.pop();
            self.values[slot as usize] = value;
            self.stamps[slot as usize] = self.round;
            evaluated += 1;
        }
        self.work = work;
        self.count(evaluated);
    }

    #[inline]
    fn is_known(&self, slot: u32) -> bool {
        self.stamps[slot as usize] == self.round
    }

    /// The next step of a lazy operator: of a selection, only the chosen side is evaluated, and of a conjunction or
    /// disjunction no more than decides it. The condition of merged paths has thousands of subterms, of which a model
    /// decides most by a few.
    fn next(&self, node: &Node) -> Next {
        let [first, mut second, otherwise] = node.arguments;
        if !self.is_known(first) {
            return Next::Slot(first);
        }
        let value = self.values[first as usize];
        if node.kind == Kind::Apply(Op::Select) {
            if value == 0 {
                second = otherwise;
            }
        } else if value == node.absorbing() {
            return Next::Value(value);
        }
        if self.is_known(second) { Next::Value(self.values[second as usize]) } else { Next::Slot(second) }
    }

    /// The value of a node whose arguments are evaluated.
    fn compute(&mut self, terms: &Terms, node: &Node) -> u64 {
        let [a, b, c] = node.arguments;
        match node.kind {
            Kind::Free => panic!("the term was collected"),
            Kind::Narrow => node.word(),
            Kind::Wide => self.keep(terms.wide[a as usize].clone()),
            Kind::Input => u64::from(self.model.get(Input(a))),
            Kind::Table | Kind::Store => 0,
            Kind::Read => u64::from(self.read(terms, a, self.values[b as usize])),
            Kind::Apply(op) => {
                let narrow = |slot: &u32| terms.nodes[*slot as usize].width <= Width::W64;
                if node.width <= Width::W64 && node.slots().iter().all(narrow) {
                    let value = |slot: u32| self.values[slot as usize];
                    let argument = terms.nodes[a as usize].width;
                    return op.apply_word(node.width, argument, value(a), value(b), value(c));
                }
                let mut arguments = [const { None }; 3];
                for (place, &slot) in arguments.iter_mut().zip(node.slots()) {
                    *place = Some(self.known(terms, slot));
                }
                let arguments: Vec<Bits> = arguments.into_iter().flatten().collect();
                let value = op.apply(node.width, &arguments);
                if node.width <= Width::W64 { value.to_word() } else { self.keep(value) }
            }
        }
    }

    fn keep(&mut self, value: Bits) -> u64 {
        self.wide.push(value);
        self.wide.len() as u64 - 1
    }

    /// The byte stored last at the index.
    pub(crate) fn read(&self, terms: &Terms, array: u32, index: u64) -> u8 {
        let mut from = &terms.nodes[array as usize];
        let mut links = 0;
        while from.kind == Kind::Store {
            links += 1;
            let [below, stored, value] = from.arguments;
            if self.values[stored as usize] == index {
                self.count(links);
                return self.values[value as usize] as u8;
            }
            from = &terms.nodes[below as usize];
        }
        self.count(links);
        let bytes = &terms.tables[from.arguments[0] as usize];
        usize::try_from(index).ok().and_then(|index| bytes.get(index)).copied().unwrap_or(0)
    }
}

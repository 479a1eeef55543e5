//! Data-parallel evaluation of conditions under all 256 values of one input byte.

use everypath_ir::Width;
use rustc_hash::FxHashMap;

use crate::node::Kind;
use crate::{Evaluation, Input, Model, Term, Terms};

/// The number of values of a byte.
const LANES: usize = 256;

/// The values of a term over all values of the byte.
#[derive(Clone, Copy)]
enum Swept {
    /// Independent of the byte.
    Same(u64),
    /// A row of values, by its offset.
    Row(usize),
}

/// Evaluates terms for all values of one input byte, with all other bytes fixed by a model.
///
/// A term that does not depend on the byte is evaluated once; every other term is evaluated for all values in one row,
/// which takes a fraction of the time of 256 evaluations.
pub struct Sweep<'e> {
    evaluation: &'e mut Evaluation,
    input: Input,
    rows: FxHashMap<u32, Swept>,
    values: Vec<u64>,
}

impl<'e> Sweep<'e> {
    /// Sweeps a byte of a model. The evaluation keeps that model, with an arbitrary value of the byte.
    pub fn new(evaluation: &'e mut Evaluation, model: Model, input: Input) -> Sweep<'e> {
        evaluation.set_model(model);
        Sweep { evaluation, input, rows: FxHashMap::default(), values: Vec::new() }
    }

    /// Retains the values under which a condition holds. Once removed, a value must not be passed again.
    pub fn retain(&mut self, terms: &Terms, condition: Term, values: &mut Vec<u8>) {
        match self.sweep(terms, condition.slot(), values) {
            Some(Swept::Same(value)) => values.retain(|_| value == 1),
            Some(Swept::Row(row)) => {
                let row = &self.values[row..row + LANES];
                values.retain(|value| row[usize::from(*value)] == 1);
            }
            None => values.retain(|value| {
                self.evaluation.set_byte(self.input, *value);
                self.evaluation.holds(terms, condition)
            }),
        }
    }

    /// Evaluates a term for these values; `None` if it has subterms wider than a word, or reads an array that depends
    /// on the byte.
    fn sweep(&mut self, terms: &Terms, slot: u32, lanes: &[u8]) -> Option<Swept> {
        let mut work = vec![slot];
        while let Some(&slot) = work.last() {
            if self.rows.contains_key(&slot) {
                work.pop();
                continue;
            }
            let node = &terms.nodes[slot as usize];
            if node.width > Width::W64 {
                return None;
            }
            if !terms.sets.view(node.inputs).contains(self.input) {
                let value = self.evaluation.slot_value(terms, slot);
                self.rows.insert(slot, Swept::Same(value));
                continue;
            }
            let arguments = match node.kind {
                Kind::Read
                    if terms
                        .sets
                        .view(terms.nodes[node.arguments[0] as usize].inputs)
                        .contains(self.input) =>
                {
                    return None;
                }
                Kind::Read => &node.arguments[1..2],
                _ => node.slots(),
            };
            let due = work.len();
            work.extend(arguments.iter().copied().filter(|slot| !self.rows.contains_key(slot)));
            if work.len() > due {
                continue;
            }
            work.pop();
            let row = self.values.len();
            self.values.resize(row + LANES, 0);
            self.compute(terms, slot, row, lanes);
            self.rows.insert(slot, Swept::Row(row));
        }
        self.rows.get(&slot).copied()
    }

    fn compute(&mut self, terms: &Terms, slot: u32, row: usize, lanes: &[u8]) {
        let node = &terms.nodes[slot as usize];
        let (before, now) = self.values.split_at_mut(row);
        let swept = |slot: u32| self.rows.get(&slot).copied().unwrap_or(Swept::Same(0));
        let value = |swept: Swept, lane: usize| match swept {
            Swept::Same(value) => value,
            Swept::Row(row) => before[row + lane],
        };
        match node.kind {
            Kind::Input => lanes.iter().for_each(|lane| now[usize::from(*lane)] = u64::from(*lane)),
            Kind::Read => {
                let array = node.arguments[0];
                self.evaluation.slot_value(terms, array);
                let index = swept(node.arguments[1]);
                for lane in lanes.iter().map(|lane| usize::from(*lane)) {
                    now[lane] = u64::from(self.evaluation.read(terms, array, value(index, lane)));
                }
            }
            Kind::Apply(op) => {
                let argument = terms.nodes[node.arguments[0] as usize].width;
                let mut arguments = [Swept::Same(0); 3];
                for (place, slot) in arguments.iter_mut().zip(node.slots()) {
                    *place = swept(*slot);
                }
                for lane in lanes.iter().map(|lane| usize::from(*lane)) {
                    let [a, b, c] = arguments.map(|argument| value(argument, lane));
                    now[lane] = op.apply_word(node.width, argument, a, b, c);
                }
            }
            Kind::Free | Kind::Narrow | Kind::Wide | Kind::Table | Kind::Store => {
                unreachable!("it depends on no input, or is an array")
            }
        }
    }
}

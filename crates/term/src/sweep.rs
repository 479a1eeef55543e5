//! Data-parallel evaluation of conditions under all 256 values of one input byte.

use everypath_ir::{Op, Width};
use rustc_hash::FxHashMap;

use crate::node::{Kind, Node};
use crate::{ByteSet, Evaluation, Input, Model, Term, Terms};

/// The number of values of a byte.
const LANES: usize = 256;

/// A bit for each value of the byte.
type Mask = [u64; LANES / 64];

/// The values of a term over all values of the byte.
#[derive(Clone, Copy)]
enum Swept {
    /// Independent of the byte, whatever the term is made of.
    Same(u64),
    /// One bit for each value, by the index of the mask.
    Mask(usize),
    /// A row of values, by its offset.
    Row(usize),
}

/// The next step of sweeping a term: an argument to sweep first, a known result, or the computation.
enum Next {
    /// This argument first.
    Slot(u32),
    /// Nothing more.
    Known(Swept),
    /// All its arguments, which are swept.
    Compute,
}

/// Memoised values of terms over all values of the byte, by the slot of the term.
#[derive(Default)]
pub(crate) struct SweptTerms {
    known: FxHashMap<u32, Swept>,
    masks: Vec<Mask>,
    rows: Vec<u64>,
}

impl SweptTerms {
    /// The number of words that the values take.
    pub(crate) fn words(&self) -> usize {
        self.known.len() + self.masks.len() * (LANES / 64) + self.rows.len()
    }
}

/// Evaluates terms for all values of one input byte, with all other bytes fixed by a model.
///
/// A term that does not depend on the byte is evaluated once; every other term is evaluated for all values in one row,
/// which takes a fraction of the time of 256 evaluations. Arguments that decide nothing are not evaluated: of the
/// condition of merged paths, the other bytes mostly leave one disjunct.
pub struct Sweep<'e> {
    evaluation: &'e mut Evaluation,
    input: Input,
    swept: SweptTerms,
}

impl<'e> Sweep<'e> {
    /// Sweeps a byte of a model. The evaluation keeps that model, with an arbitrary value of the byte.
    pub fn new(evaluation: &'e mut Evaluation, model: Model, input: Input) -> Sweep<'e> {
        evaluation.set_model(model);
        Sweep::resume(evaluation, input, SweptTerms::default())
    }

    /// Continues with the memoised values of earlier sweeps, under a model that agrees in all other bytes of the terms. Those of other bytes
    /// may be among them if every term that is swept depends on one byte at most: such values are never used then.
    pub(crate) fn resume(evaluation: &'e mut Evaluation, input: Input, swept: SweptTerms) -> Sweep<'e> {
        Sweep { evaluation, input, swept }
    }

    /// The memoised values, to resume with.
    pub(crate) fn into_swept(self) -> SweptTerms {
        self.swept
    }

    /// The values under which a condition holds, of all values of the byte.
    pub(crate) fn all_values(&mut self, terms: &Terms, condition: Term) -> ByteSet {
        let lanes: [u8; LANES] = std::array::from_fn(|lane| lane as u8);
        let swept = match self.sweep(terms, condition.slot(), &lanes) {
            Some(swept) => swept,
            None => self.evaluate_each(terms, condition, &lanes),
        };
        ByteSet::from_words(self.mask(swept))
    }

    /// Evaluates a condition under one value after the other.
    fn evaluate_each(&mut self, terms: &Terms, condition: Term, lanes: &[u8]) -> Swept {
        let mut mask = [0; LANES / 64];
        for lane in lanes {
            self.evaluation.set_byte(self.input, *lane);
            mask[usize::from(*lane) / 64] |=
                u64::from(self.evaluation.holds(terms, condition)) << (lane % 64);
        }
        let swept = self.keep(mask);
        self.swept.known.insert(condition.slot(), swept);
        swept
    }

    fn keep(&mut self, mask: Mask) -> Swept {
        self.swept.masks.push(mask);
        Swept::Mask(self.swept.masks.len() - 1)
    }

    /// Retains the values under which a condition holds. Once removed, a value must not be passed again.
    pub fn retain(&mut self, terms: &Terms, condition: Term, values: &mut Vec<u8>) {
        match self.sweep(terms, condition.slot(), values) {
            Some(swept) => values.retain(|value| self.value(swept, usize::from(*value)) == 1),
            None => values.retain(|value| {
                self.evaluation.set_byte(self.input, *value);
                self.evaluation.holds(terms, condition)
            }),
        }
    }

    /// The work done so far, as [`Evaluation::steps`] counts it.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.evaluation.steps()
    }

    /// The value of what is swept for one value of the byte.
    #[inline]
    fn value(&self, swept: Swept, lane: usize) -> u64 {
        match swept {
            Swept::Same(value) => value,
            Swept::Mask(mask) => self.swept.masks[mask][lane / 64] >> (lane % 64) & 1,
            Swept::Row(row) => self.swept.rows[row + lane],
        }
    }

    /// Evaluates a term for these values; `None` if it has subterms wider than a word, or reads an array that depends
    /// on the byte.
    fn sweep(&mut self, terms: &Terms, slot: u32, lanes: &[u8]) -> Option<Swept> {
        let mut work = vec![slot];
        while let Some(&slot) = work.last() {
            if self.swept.known.contains_key(&slot) {
                work.pop();
                continue;
            }
            let node = &terms.nodes[slot as usize];
            if node.width > Width::W64 {
                return None;
            }
            let swept = if self.depends(terms, slot) {
                match self.next(terms, node)? {
                    Next::Slot(slot) => {
                        work.push(slot);
                        continue;
                    }
                    Next::Known(swept) => swept,
                    Next::Compute => self.compute(terms, node, lanes),
                }
            } else {
                Swept::Same(self.evaluation.slot_value(terms, slot))
            };
            work.pop();
            self.swept.known.insert(slot, swept);
        }
        self.swept.known.get(&slot).copied()
    }

    fn depends(&self, terms: &Terms, slot: u32) -> bool {
        terms.sets.view(terms.nodes[slot as usize].inputs).contains(self.input)
    }

    /// The next step of sweeping a term that depends on the byte; `None` if it reads an array that does.
    fn next(&self, terms: &Terms, node: &Node) -> Option<Next> {
        let known = |slot: u32| self.swept.known.get(&slot).copied();
        let forward = |slot: u32| known(slot).map_or(Next::Slot(slot), Next::Known);
        let arguments = match node.kind {
            Kind::Read if self.depends(terms, node.arguments[0]) => return None,
            Kind::Read => &node.arguments[1..2],
            _ => node.slots(),
        };
        if node.is_lazy() {
            if node.kind == Kind::Apply(Op::Select) {
                let [condition, then, otherwise] = node.arguments;
                match known(condition) {
                    None => return Some(Next::Slot(condition)),
                    Some(Swept::Same(0)) => return Some(forward(otherwise)),
                    Some(Swept::Same(_)) => return Some(forward(then)),
                    Some(_) => {}
                }
            } else {
                // What the other bytes decide is known without a sweep.
                let [mut first, mut second, _] = node.arguments;
                if self.depends(terms, first) && !self.depends(terms, second) {
                    (first, second) = (second, first);
                }
                match known(first) {
                    None => return Some(Next::Slot(first)),
                    Some(Swept::Same(value)) if value == node.absorbing() => {
                        return Some(Next::Known(Swept::Same(value)));
                    }
                    Some(Swept::Same(_)) => return Some(forward(second)),
                    Some(_) => {}
                }
            }
        }
        let missing = arguments.iter().copied().find(|slot| known(*slot).is_none());
        Some(missing.map_or(Next::Compute, Next::Slot))
    }

    /// Evaluates a term whose arguments are swept.
    fn compute(&mut self, terms: &Terms, node: &Node, lanes: &[u8]) -> Swept {
        match node.kind {
            Kind::Input => self.row(lanes, |_, lane| lane as u64),
            Kind::Read => {
                let array = node.arguments[0];
                self.evaluation.slot_value(terms, array);
                let index = self.swept.known[&node.arguments[1]];
                self.row(lanes, |sweep, lane| {
                    u64::from(sweep.evaluation.read(terms, array, sweep.value(index, lane)))
                })
            }
            Kind::Apply(op) => {
                let mut arguments = [Swept::Same(0); 3];
                for (place, slot) in arguments.iter_mut().zip(node.slots()) {
                    *place = self.swept.known[slot];
                }
                self.apply(op, node.width, terms.nodes[node.arguments[0] as usize].width, arguments, lanes)
            }
            Kind::Free | Kind::Narrow | Kind::Wide | Kind::Table | Kind::Store => {
                unreachable!("it depends on no input, or is an array")
            }
        }
    }

    fn apply(&mut self, op: Op, width: Width, argument: Width, arguments: [Swept; 3], lanes: &[u8]) -> Swept {
        if let [Swept::Same(a), Swept::Same(b), Swept::Same(c)] = arguments {
            return Swept::Same(op.apply_word(width, argument, a, b, c));
        }
        if width != Width::W1 {
            return self.row(lanes, |sweep, lane| {
                let [a, b, c] = arguments.map(|argument| sweep.value(argument, lane));
                op.apply_word(width, argument, a, b, c)
            });
        }
        let mut mask = [0; LANES / 64];
        if argument == Width::W1
            && let Some(bits) = bitwise(op)
        {
            let [a, b, c] = arguments.map(|argument| self.mask(argument));
            for (place, word) in mask.iter_mut().enumerate() {
                *word = bits(a[place], b[place], c[place]);
            }
        } else {
            for lane in lanes.iter().map(|lane| usize::from(*lane)) {
                let [a, b, c] = arguments.map(|argument| self.value(argument, lane));
                mask[lane / 64] |= op.apply_word(width, argument, a, b, c) << (lane % 64);
            }
        }
        self.keep(mask)
    }

    /// The bits of a term of one bit.
    fn mask(&self, swept: Swept) -> Mask {
        match swept {
            Swept::Same(value) => [value.wrapping_neg(); LANES / 64],
            Swept::Mask(mask) => self.swept.masks[mask],
            Swept::Row(_) => unreachable!("a term of one bit has a mask"),
        }
    }

    fn row(&mut self, lanes: &[u8], value: impl Fn(&Sweep<'_>, usize) -> u64) -> Swept {
        self.evaluation.count(lanes.len());
        let row = self.swept.rows.len();
        self.swept.rows.resize(row + LANES, 0);
        for lane in lanes.iter().map(|lane| usize::from(*lane)) {
            self.swept.rows[row + lane] = value(self, lane);
        }
        Swept::Row(row)
    }
}

/// An operator on single bits, on 64 of them at a time.
fn bitwise(op: Op) -> Option<fn(u64, u64, u64) -> u64> {
    Some(match op {
        Op::And => |a, b, _| a & b,
        Op::Or => |a, b, _| a | b,
        Op::Xor | Op::Ne => |a, b, _| a ^ b,
        Op::Eq => |a, b, _| !(a ^ b),
        Op::Not => |a, _, _| !a,
        Op::Select => |a, b, c| a & b | !a & c,
        _ => return None,
    })
}

//! The function that a condition computes from one or two bytes, with the bytes abstracted to parameters.

use everypath_ir::{Op, Width};
use everypath_term::{ByteSet, Input, Part, Term, Terms, View};
use rustc_hash::FxHashMap;

/// The maximum number of subterms of a condition.
const STEPS: usize = 250;

/// One instruction of the function; arguments are indices of earlier steps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Step {
    First,
    Second,
    Constant(u64),
    Apply { op: Op, width: Width, argument: Width, arguments: [u8; 3] },
}

/// A straight-line function of two bytes. Conditions on different bytes that compute the same function have equal
/// shapes: the conditions of a loop have few.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Shape(Vec<Step>);

/// The value of a step for every value of a byte.
type Lanes = [u64; 256];

impl Shape {
    /// The shape of a condition; every input other than `first` is taken to be the second byte.
    pub(super) fn of(terms: &Terms, condition: Term, first: Input) -> Option<Shape> {
        let parts = terms.parts(&[condition]);
        if parts.len() > STEPS {
            return None;
        }
        let mut numbers: FxHashMap<Term, u8> = FxHashMap::default();
        let mut steps = Vec::with_capacity(parts.len());
        for part in parts {
            let Part::Term(term) = part else { return None };
            if terms.width(term) > Width::W64 {
                return None;
            }
            let step = match terms.view(term) {
                View::Constant(bits) => Step::Constant(bits.to_u64()?),
                View::Input(input) if input == first => Step::First,
                View::Input(_) => Step::Second,
                View::Read { .. } => return None,
                View::Apply { op, arguments } => {
                    let mut places = [0; 3];
                    for (place, argument) in places.iter_mut().zip(arguments.iter()) {
                        *place = numbers[argument];
                    }
                    let (width, argument) = (terms.width(term), terms.width(arguments[0]));
                    Step::Apply { op, width, argument, arguments: places }
                }
            };
            numbers.insert(term, steps.len() as u8);
            steps.push(step);
        }
        Some(Shape(steps))
    }

    /// The values for which the condition holds if both bytes are equal; for a unary condition, those for which it
    /// holds.
    pub(super) fn diagonal(&self) -> ByteSet {
        let mut values: Vec<Lanes> = vec![[0; 256]; self.0.len()];
        for (number, step) in self.0.iter().enumerate() {
            Shape::begin(number, *step, &mut values);
            self.compute(number, &mut values, |_| None);
        }
        let holds = |value: &u8| values[self.0.len() - 1][usize::from(*value)] & 1 == 1;
        (0..=u8::MAX).filter(holds).collect()
    }

    /// For each value of the first byte, the values of the second for which the condition holds.
    pub(super) fn rows(&self) -> Vec<ByteSet> {
        let mut values: Vec<Lanes> = vec![[0; 256]; self.0.len()];
        let uses = self.uses();
        // A step that depends on one byte only is computed once for each of its values.
        for (number, step) in self.0.iter().enumerate() {
            Shape::begin(number, *step, &mut values);
            if uses[number] != BOTH {
                self.compute(number, &mut values, |_| None);
            }
        }
        let last = self.0.len() - 1;
        let row = |first: usize| {
            for number in 0..self.0.len() {
                if uses[number] == BOTH {
                    self.compute(number, &mut values, |place| (uses[place] == FIRST).then_some(first));
                }
            }
            let fixed = uses[last] == FIRST;
            let lane = |second: u8| if fixed { first } else { usize::from(second) };
            (0..=u8::MAX).filter(|second| values[last][lane(*second)] & 1 == 1).collect()
        };
        (0..256).map(row).collect()
    }

    /// Initialises a parameter or constant.
    fn begin(number: usize, step: Step, values: &mut [Lanes]) {
        match step {
            Step::First | Step::Second => values[number] = std::array::from_fn(|value| value as u64),
            Step::Constant(value) => values[number] = [value; 256],
            Step::Apply { .. } => {}
        }
    }

    /// Computes a step in all lanes; `only` selects a single lane of some arguments.
    fn compute(&self, number: usize, values: &mut [Lanes], only: impl Fn(usize) -> Option<usize>) {
        let Step::Apply { op, width, argument, arguments } = self.0[number] else { return };
        let (before, own) = values.split_at_mut(number);
        let lanes = |place: u8| (&before[usize::from(place)], only(usize::from(place)));
        let [(first, at_first), (second, at_second), (third, at_third)] = arguments.map(lanes);
        // The hottest loop of the layer: nothing in it but three loads and the operator.
        for (index, value) in own[0].iter_mut().enumerate() {
            let (a, b) = (first[at_first.unwrap_or(index)], second[at_second.unwrap_or(index)]);
            *value = op.apply_word(width, argument, a, b, third[at_third.unwrap_or(index)]);
        }
    }

    /// The bytes that each step depends on, as a bit mask.
    fn uses(&self) -> Vec<u8> {
        let mut uses: Vec<u8> = Vec::with_capacity(self.0.len());
        for step in &self.0 {
            uses.push(match step {
                Step::Constant(_) => 0,
                Step::First => FIRST,
                Step::Second => SECOND,
                Step::Apply { op, arguments, .. } => {
                    arguments[..op.arity()].iter().fold(0, |sum, place| sum | uses[usize::from(*place)])
                }
            });
        }
        uses
    }
}

const FIRST: u8 = 1;
const SECOND: u8 = 2;
const BOTH: u8 = 3;

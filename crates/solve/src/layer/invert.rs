//! Down-propagation of target values by inverse computation (Niemetz, Preiner and Biere 2016), in one pass per
//! strategy, without search: repairs the known model so that the last condition holds. That the last condition is the
//! violated one is a guess.
//!
//! A branch on input mostly compares a simple term with a constant. Its target value is propagated from the condition
//! down to input bytes, and evaluation then validates the model, so an unsound step does no harm.

use everypath_ir::{Op, Width};
use everypath_term::{Array, ArrayView, Evaluation, Input, Model, Term, Terms, View};

use super::attempt::Attempt;
use crate::{Answer, Query, QueryLimits};

/// The maximum number of operators inverted.
const STEPS: u32 = 300;
/// The number of strategies: each makes other choices where an operator has several inverses.
const CHOICES: u32 = 3;

/// Inverts the last condition of a query.
#[derive(Default)]
pub struct Invert {
    /// Values under the known model.
    evaluation: Evaluation,
    /// Values under the repaired model.
    trial: Evaluation,
}

impl Attempt for Invert {
    const NAME: &'static str = "invert";

    fn attempt(&mut self, terms: &mut Terms, query: Query<'_>, _limits: &QueryLimits) -> Option<Answer> {
        self.evaluation.set_model(query.known.cloned().unwrap_or_default());
        (0..CHOICES).find_map(|choice| self.descend(terms, query, choice)).map(Answer::Sat)
    }
}

impl Invert {
    fn descend(&mut self, terms: &Terms, query: Query<'_>, choice: u32) -> Option<Model> {
        let last = *query.conditions.last()?;
        let mut descent = Descent {
            terms,
            evaluation: &mut self.evaluation,
            model: query.known.cloned().unwrap_or_default(),
            steps: STEPS,
            choice,
        };
        if !descent.want(last, 1) {
            return None;
        }
        let model = descent.model;
        self.trial.set_model(model.clone());
        let holds = query.conditions.iter().rev().all(|&condition| self.trial.holds(terms, condition));
        holds.then_some(model)
    }
}

/// The descent from a condition to input bytes.
struct Descent<'d> {
    terms: &'d Terms,
    evaluation: &'d mut Evaluation,
    model: Model,
    steps: u32,
    choice: u32,
}

impl Descent<'_> {
    fn now(&mut self, term: Term) -> u64 {
        self.evaluation.word(self.terms, term).unwrap_or(0)
    }

    /// Propagates a target value down to the inputs of a term; `false` if it finds no inverse.
    fn want(&mut self, term: Term, value: u64) -> bool {
        let width = self.terms.width(term);
        if self.steps == 0 || width > Width::W64 {
            return false;
        }
        self.steps -= 1;
        let value = value & mask(width);
        match self.terms.view(term) {
            View::Constant(bits) => bits.to_u64() == Some(value),
            View::Input(input) => self.set(input, value),
            View::Read { array, index } => self.want_entry(array, index, value),
            View::Apply { op, arguments } => self.want_result(op, width, &arguments, value),
        }
    }

    fn set(&mut self, input: Input, value: u64) -> bool {
        self.model.set(input, value as u8);
        true
    }

    fn want_entry(&mut self, array: Array, index: Term, value: u64) -> bool {
        let ArrayView::Table(bytes) = self.terms.array_view(array) else { return false };
        let (least, greatest) = self.terms.unsigned_range(index).unwrap_or((0, u64::MAX));
        let fits = |place: &usize| {
            (least..=greatest).contains(&(*place as u64)) && u64::from(bytes[*place]) == value
        };
        match (0..bytes.len()).find(fits) {
            Some(place) => self.want(index, place as u64),
            None => false,
        }
    }

    fn want_result(&mut self, op: Op, width: Width, arguments: &[Term], value: u64) -> bool {
        let a = arguments[0];
        let b = arguments.get(1).copied().unwrap_or(a);
        let wanted = value == 1;
        match op {
            Op::Eq => self.want_equal(a, b, wanted),
            Op::Ne => self.want_equal(a, b, !wanted),
            Op::Ult | Op::Slt | Op::Ule | Op::Sle => self.want_order(op, a, b, wanted),
            Op::Not => self.want(a, !value),
            Op::Neg => self.want(a, value.wrapping_neg()),
            Op::Add => self.one_of(a, b, |other, value| value.wrapping_sub(other), value),
            Op::Xor => self.one_of(a, b, |other, value| value ^ other, value),
            Op::Sub if self.terms.is_constant(a) => {
                let minuend = self.now(a);
                self.want(b, minuend.wrapping_sub(value))
            }
            Op::Sub => {
                let subtrahend = self.now(b);
                self.want(a, value.wrapping_add(subtrahend))
            }
            Op::And if width == Width::W1 => self.want_both(a, b, wanted, true),
            Op::Or if width == Width::W1 => self.want_both(a, b, wanted, false),
            Op::And => {
                let (free, fixed) = self.free_and_fixed(a, b);
                value & !fixed == 0 && self.want_bits(free, value, fixed)
            }
            Op::Or => {
                let (free, fixed) = self.free_and_fixed(a, b);
                value & fixed == fixed && self.want_bits(free, value, !fixed)
            }
            Op::Mul => {
                let (free, fixed) = self.free_and_fixed(a, b);
                fixed % 2 == 1 && self.want(free, value.wrapping_mul(inverse(fixed)))
            }
            Op::Zext => value <= mask(self.terms.width(a)) && self.want(a, value),
            Op::Sext => {
                let narrow = self.terms.width(a);
                let kept = value & mask(narrow);
                let spare = 64 - narrow.bits();
                let extended = ((kept << spare) as i64 >> spare) as u64 & mask(width);
                extended == value && self.want(a, kept)
            }
            Op::Extract(low) if self.terms.width(a) <= Width::W64 => {
                self.want_bits(a, value << low, mask(width) << low)
            }
            Op::Concat => {
                let low = self.terms.width(b);
                self.want(a, value >> low.bits()) && self.want(b, value)
            }
            Op::Shl | Op::Lshr => self.want_shifted(op, width, a, b, value),
            Op::Select => self.want_selected(arguments, value),
            _ => false,
        }
    }

    /// The argument to change, and the current value of the other.
    fn free_and_fixed(&mut self, a: Term, b: Term) -> (Term, u64) {
        let first = self.terms.is_constant(b) || (!self.terms.is_constant(a) && self.choice != 1);
        if first { (a, self.now(b)) } else { (b, self.now(a)) }
    }

    fn one_of(&mut self, a: Term, b: Term, undo: fn(u64, u64) -> u64, value: u64) -> bool {
        let (free, fixed) = self.free_and_fixed(a, b);
        self.want(free, undo(fixed, value))
    }

    /// Sets the masked bits of a term and keeps the others.
    fn want_bits(&mut self, term: Term, value: u64, bits: u64) -> bool {
        let now = self.now(term);
        self.want(term, now & !bits | value & bits)
    }

    fn want_equal(&mut self, a: Term, b: Term, equal: bool) -> bool {
        let (free, fixed) = self.free_and_fixed(a, b);
        if equal {
            return self.want(free, fixed);
        }
        let other =
            if self.choice == 0 { fixed.wrapping_add(1) } else { fixed.wrapping_sub(u64::from(self.choice)) };
        self.want(free, other)
    }

    fn want_order(&mut self, op: Op, a: Term, b: Term, wanted: bool) -> bool {
        let width = self.terms.width(a);
        if width > Width::W64 {
            return false;
        }
        // The negation of `a < b` is `b <= a`.
        let (less, more, strict) = match (op, wanted) {
            (Op::Ult | Op::Slt, true) => (a, b, true),
            (Op::Ult | Op::Slt, false) => (b, a, false),
            (_, true) => (a, b, false),
            (_, false) => (b, a, true),
        };
        let signed = matches!(op, Op::Slt | Op::Sle);
        let (lowest, highest) =
            if signed { (1 << (width.bits() - 1), mask(width) >> 1) } else { (0, mask(width)) };
        let (free, fixed) = self.free_and_fixed(less, more);
        let (edge, step, far) = if free == less { (lowest, u64::MAX, lowest) } else { (highest, 1, highest) };
        if strict && fixed == edge {
            return false;
        }
        let near = if strict { fixed.wrapping_add(step) } else { fixed };
        self.want(free, if self.choice == 2 { far } else { near })
    }

    fn want_both(&mut self, a: Term, b: Term, wanted: bool, conjunction: bool) -> bool {
        if wanted == conjunction {
            return self.want(a, u64::from(wanted)) && self.want(b, u64::from(wanted));
        }
        let one = if self.choice == 1 { b } else { a };
        self.want(one, u64::from(wanted))
    }

    fn want_shifted(&mut self, op: Op, width: Width, a: Term, amount: Term, value: u64) -> bool {
        if !self.terms.is_constant(amount) {
            return false;
        }
        let amount = self.now(amount);
        if amount >= u64::from(width.bits()) {
            return value == 0;
        }
        let all = mask(width);
        match op {
            Op::Shl => {
                value & !(all << amount) & all == 0 && self.want_bits(a, value >> amount, all >> amount)
            }
            _ => value <= all >> amount && self.want_bits(a, value << amount, all << amount & all),
        }
    }

    fn want_selected(&mut self, arguments: &[Term], value: u64) -> bool {
        let [condition, then, otherwise] = *arguments else { return false };
        let chosen = (self.now(condition) == 1) != (self.choice == 1);
        let branch = if chosen { then } else { otherwise };
        self.want(condition, u64::from(chosen)) && self.want(branch, value)
    }
}

fn mask(width: Width) -> u64 {
    u64::MAX >> (64 - width.bits().min(64))
}

/// The inverse of an odd number modulo 2^64.
fn inverse(odd: u64) -> u64 {
    let mut inverse = odd;
    // Newton iteration: each round doubles the number of correct bits, three of which are correct at the start.
    for _ in 0..5 {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse
}

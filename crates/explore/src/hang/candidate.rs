//! The templates of template-based invariant generation (Colon, Sankaranarayanan and Sipma 2003), as candidates for Houdini: predicates over the words of a loop that hold in its concrete state.

use everypath_ir::{Op, Width};
use everypath_term::{Evaluation, Term, Terms};

use crate::hang::variables::LoopWord;

/// Maximum number of words that are compared with each other: the number of pairs is its square.
const COMPARED: usize = 12;

/// A predicate that may be invariant.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// The predicate at the head of the loop.
    pub(super) now: Term,
    /// The predicate in words.
    pub(super) what: Description,
}

/// A predicate in words; words of the loop are named by their index.
#[derive(Clone, Debug)]
pub(super) enum Description {
    /// `(word & mask) == value`, for one bit.
    Bit { word: usize, bit: u32, value: bool },
    /// A comparison with a number.
    Bound { word: usize, operator: &'static str, number: u64 },
    /// A comparison of two words.
    Comparison { left: usize, operator: &'static str, right: usize },
    /// A sum or difference of two words.
    Linear { left: usize, operator: &'static str, right: usize, number: u64 },
    /// A guard of the iteration itself.
    Guard,
}

impl Description {
    /// The text, with these names of the words.
    pub(super) fn text(&self, names: &[String]) -> Option<String> {
        Some(match self {
            Description::Bit { word, bit, value } => {
                format!("bit {bit} of {} is {}", names[*word], u8::from(*value))
            }
            Description::Bound { word, operator, number } => {
                format!("{} {operator} {number:#x}", names[*word])
            }
            Description::Comparison { left, operator, right } => {
                format!("{} {operator} {}", names[*left], names[*right])
            }
            Description::Linear { left, operator, right, number } => {
                format!("{} {operator} {} == {number:#x}", names[*left], names[*right])
            }
            Description::Guard => return None,
        })
    }
}

/// The predicates that hold in the state that the evaluation's model describes. The most telling come first.
pub(super) fn candidates(
    terms: &mut Terms,
    evaluation: &mut Evaluation,
    words: &[LoopWord],
    guards: &[Term],
) -> Vec<Candidate> {
    let mut found: Vec<Candidate> =
        guards.iter().map(|guard| Candidate { now: *guard, what: Description::Guard }).collect();
    let mut add = |evaluation: &mut Evaluation, terms: &Terms, now: Term, what: Description| {
        if evaluation.holds(terms, now) {
            found.push(Candidate { now, what });
        }
    };
    for (left, one) in words.iter().enumerate().take(COMPARED) {
        for (right, other) in words.iter().enumerate().take(COMPARED) {
            if left == right || one.width != other.width {
                continue;
            }
            for (op, operator) in [(Op::Ult, "<"), (Op::Ule, "<="), (Op::Slt, "<s"), (Op::Sle, "<=s")] {
                let now = terms.apply(op, Width::W1, &[one.term, other.term]);
                add(evaluation, terms, now, Description::Comparison { left, operator, right });
            }
            if left < right {
                for (op, operator) in [(Op::Sub, "-"), (Op::Add, "+")] {
                    let all = terms.apply(op, one.width, &[one.term, other.term]);
                    let Some(number) = evaluation.word(terms, all) else { continue };
                    let value = terms.constant_u64(number, one.width);
                    let now = terms.eq(all, value);
                    add(evaluation, terms, now, Description::Linear { left, operator, right, number });
                }
            }
        }
    }
    for (word, LoopWord { term, width, .. }) in words.iter().enumerate() {
        let Some(number) = evaluation.word(terms, *term) else { continue };
        let value = terms.constant_u64(number, *width);
        let bounds = [
            (Op::Ule, value, *term, ">="),
            (Op::Ule, *term, value, "<="),
            (Op::Sle, value, *term, ">=s"),
            (Op::Sle, *term, value, "<=s"),
        ];
        for (op, left, right, operator) in bounds {
            let now = terms.apply(op, Width::W1, &[left, right]);
            add(evaluation, terms, now, Description::Bound { word, operator, number });
        }
        let zero = terms.constant_u64(0, *width);
        let differs = terms.ne(*term, zero);
        add(evaluation, terms, differs, Description::Bound { word, operator: "!=", number: 0 });
        for bit in 0..width.bits() {
            let value = number >> bit & 1 == 1;
            let own = terms.extract(*term, bit, Width::W1);
            let now = if value { own } else { terms.not(own) };
            add(evaluation, terms, now, Description::Bit { word, bit, value });
        }
    }
    // A predicate over constants only is true, and says nothing.
    found.retain(|candidate| !terms.is_constant(candidate.now));
    found
}

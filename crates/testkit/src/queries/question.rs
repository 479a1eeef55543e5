//! A solver query, and the list of hard families.

use everypath_ir::{Op, Width};
use everypath_term::{Input, Term, Terms};

use super::{arithmetic, memory, parsing, square};

/// A solver query.
#[derive(Debug)]
pub struct Question {
    /// Its description.
    pub name: String,
    /// The pool of its terms.
    pub terms: Terms,
    /// The conditions, terms of one bit.
    pub conditions: Vec<Term>,
    /// Whether the query is satisfiable.
    pub has_model: bool,
}

impl Question {
    pub(super) fn new(name: impl Into<String>, has_model: bool) -> Question {
        Question { name: name.into(), terms: Terms::new(), conditions: Vec::new(), has_model }
    }

    pub(super) fn require(&mut self, condition: Term) {
        self.conditions.push(condition);
    }

    pub(super) fn constant(&mut self, value: u64, bits: u32) -> Term {
        self.terms.constant_u64(value, width(bits))
    }

    /// A binary operation on values of one width.
    pub(super) fn same(&mut self, op: Op, a: Term, b: Term) -> Term {
        self.terms.apply(op, self.terms.width(a), &[a, b])
    }

    /// A comparison.
    pub(super) fn compare(&mut self, op: Op, a: Term, b: Term) -> Term {
        self.terms.apply(op, Width::W1, &[a, b])
    }

    pub(super) fn extend(&mut self, term: Term, bits: u32) -> Term {
        self.terms.apply(Op::Zext, width(bits), &[term])
    }

    /// A little-endian number of input bytes.
    pub(super) fn number(&mut self, first: u32, bytes: u32) -> Term {
        let mut number = self.terms.input(Input(first));
        for byte in first + 1..first + bytes {
            let high = self.terms.input(Input(byte));
            number = self.terms.concat(high, number);
        }
        number
    }
}

pub(super) fn width(bits: u32) -> Width {
    Width::new(bits).expect("a width of a question is valid")
}

/// The hard families; the functions that make them document the difficulty.
#[must_use]
pub fn families() -> Vec<Question> {
    [square::questions(), arithmetic::questions(), parsing::questions(), memory::questions()]
        .into_iter()
        .flatten()
        .collect()
}

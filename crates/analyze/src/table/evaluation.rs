//! Evaluates expressions under an assignment to some of their subexpressions.

use super::expression::{Expression, Form, Store};
use crate::program::Program;
use everypath_ir::{Algebra, Bits};
use rustc_hash::FxHashMap;

/// Maximum evaluation depth.
const DEPTH: u32 = 256;

/// A partial assignment, with memoised results.
pub(super) struct Evaluation<'e> {
    program: &'e Program<'e>,
    store: &'e Store,
    known: FxHashMap<Expression, Option<Bits>>,
    /// True if a value was read from a linker-made table, which the program could write but by convention does not.
    pub(super) by_convention: bool,
}

impl<'e> Evaluation<'e> {
    pub(super) fn new(program: &'e Program<'e>, store: &'e Store) -> Self {
        Self { program, store, known: FxHashMap::default(), by_convention: false }
    }

    /// Assigns a value to a subexpression.
    pub(super) fn set(&mut self, part: Expression, value: u64) {
        self.known.insert(part, Some(Bits::from_u64(value, self.store.width(part))));
    }

    /// The value of an expression; `None` if unknown or wider than 64 bits.
    pub(super) fn number(&mut self, expression: Expression, depth: u32) -> Option<u64> {
        self.bits(expression, depth)?.to_u64()
    }

    fn bits(&mut self, expression: Expression, depth: u32) -> Option<Bits> {
        if let Some(known) = self.known.get(&expression) {
            return known.clone();
        }
        if depth > DEPTH {
            return None;
        }
        let bits = match self.store.form(expression) {
            Form::Constant(bits) => Some(bits.clone()),
            Form::Initial { .. } | Form::Unknown(..) => None,
            Form::Loaded { space, address, width, .. } => {
                let is_code = *space == self.program.code_space();
                let address = self.number(*address, depth + 1).filter(|_| is_code);
                let fixed = address.and_then(|address| self.program.fixed(address, *width));
                let read = fixed.or_else(|| {
                    let read = self.program.linked(address?, *width)?;
                    self.by_convention = true;
                    Some(read)
                });
                read.map(|number| Bits::from_u64(number, *width))
            }
            Form::Computed { op, width, arguments } => {
                let arguments: Option<Vec<Bits>> =
                    arguments[..op.arity()].iter().map(|argument| self.bits(*argument, depth + 1)).collect();
                arguments.map(|arguments| op.apply(*width, &arguments))
            }
        };
        self.known.insert(expression, bits.clone());
        bits
    }
}

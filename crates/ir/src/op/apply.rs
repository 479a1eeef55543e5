//! Evaluation of an operator on values, and its text form.

use std::fmt;
use std::str::FromStr;

use super::Op;
use crate::{Bits, Wide, Width, Word};

/// The inputs of an operator's definition.
#[derive(Clone, Copy)]
pub(super) struct Inputs<W> {
    /// The width of the result.
    pub(super) result: Width,
    /// The width of the first argument.
    pub(super) argument: Width,
    pub(super) a: W,
    pub(super) b: W,
    pub(super) c: W,
    /// The immediate of the operator, such as the position of `extract`.
    pub(super) low: u16,
}

impl Op {
    /// Evaluates the operator: its reference semantics.
    ///
    /// ```
    /// use everypath_ir::{Bits, Op, Width};
    /// let sum = Op::Add.apply(Width::W8, &[Bits::from_u64(0xff, Width::W8), Bits::from_u64(2, Width::W8)]);
    /// assert_eq!(sum, Bits::from_u64(1, Width::W8));
    /// ```
    ///
    /// # Panics
    /// May panic if [`Op::check`] does not allow the widths.
    #[must_use]
    pub fn apply(self, result: Width, arguments: &[Bits]) -> Bits {
        let widest = arguments.iter().map(Bits::width).fold(result, Width::max);
        if widest <= Width::W64 {
            self.apply_as::<u64>(result, arguments)
        } else if widest <= Width::W128 {
            self.apply_as::<u128>(result, arguments)
        } else {
            self.apply_as::<Wide>(result, arguments)
        }
    }

    fn apply_as<W: Word>(self, result: Width, arguments: &[Bits]) -> Bits {
        let word = |index: usize| arguments.get(index).map_or(W::ZERO, Bits::to_word);
        let value = self.apply_word(result, arguments[0].width(), word(0), word(1), word(2));
        Bits::from_word(value, result)
    }
}

impl fmt::Display for Op {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())?;
        match self {
            Op::Extract(low) => write!(formatter, ".{low}"),
            _ => Ok(()),
        }
    }
}

/// The error for text that names no operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpError;

impl fmt::Display for OpError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("expected an operator, such as add or extract.8")
    }
}

impl std::error::Error for OpError {}

impl FromStr for Op {
    type Err = OpError;

    fn from_str(text: &str) -> Result<Op, OpError> {
        let (name, number) = match text.split_once('.') {
            Some((name, number)) => (name, Some(number)),
            None => (text, None),
        };
        match (Op::from_name(name), number) {
            (Some(Op::Extract(_)), Some(number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
                number.parse().map(Op::Extract).map_err(|_| OpError)
            }
            (Some(Op::Extract(_)), _) | (None, _) | (Some(_), Some(_)) => Err(OpError),
            (Some(op), None) => Ok(op),
        }
    }
}

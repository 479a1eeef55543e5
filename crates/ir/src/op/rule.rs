//! The width rules of the operators.

use std::fmt;

use super::Op;
use crate::Width;

/// A condition on the widths of the result and the arguments.
pub(super) struct Rule {
    /// The condition in words, for messages.
    requirement: &'static str,
    /// Checks the condition, given the operator's immediate, the width of the result and those of the arguments.
    holds: fn(u32, Width, &[Width]) -> bool,
}

fn all_equal(widths: &[Width]) -> bool {
    widths.windows(2).all(|pair| pair[0] == pair[1])
}

fn is_float_format(width: Width) -> bool {
    matches!(width.bits(), 16 | 32 | 64 | 80 | 128)
}

pub(super) const SAME: Rule = Rule {
    requirement: "result and arguments have the same width",
    holds: |_, result, arguments| all_equal(arguments) && result == arguments[0],
};
pub(super) const COMPARE: Rule = Rule {
    requirement: "the arguments have the same width, the result one bit",
    holds: |_, result, arguments| all_equal(arguments) && result == Width::W1,
};
pub(super) const SHIFT: Rule = Rule {
    requirement: "the result is as wide as the first argument",
    holds: |_, result, arguments| result == arguments[0],
};
pub(super) const EXTEND: Rule = Rule {
    requirement: "the result is not narrower than the argument",
    holds: |_, result, arguments| result >= arguments[0],
};
pub(super) const EXTRACT: Rule = Rule {
    requirement: "the bits taken lie within the argument",
    holds: |low, result, arguments| low + result.bits() <= arguments[0].bits(),
};
pub(super) const CONCAT: Rule = Rule {
    requirement: "the result is as wide as both arguments together",
    holds: |_, result, arguments| result.bits() == arguments[0].bits() + arguments[1].bits(),
};
pub(super) const SELECT: Rule = Rule {
    requirement: "the first argument has one bit, the result is as wide as each of the others",
    holds: |_, result, arguments| {
        arguments[0] == Width::W1 && all_equal(&arguments[1..]) && result == arguments[1]
    },
};
pub(super) const ANY: Rule = Rule { requirement: "any widths", holds: |_, _, _| true };
pub(super) const FLOAT_SAME: Rule = Rule {
    requirement: "result and arguments have the same width, one of 16, 32, 64, 80, 128",
    holds: |low, result, arguments| (SAME.holds)(low, result, arguments) && is_float_format(result),
};
pub(super) const FLOAT_COMPARE: Rule = Rule {
    requirement: "the arguments have the same width, one of 16, 32, 64, 80, 128, the result one bit",
    holds: |low, result, arguments| (COMPARE.holds)(low, result, arguments) && is_float_format(arguments[0]),
};
pub(super) const INTEGER_TO_FLOAT: Rule = Rule {
    requirement: "the argument has at most 128 bits, the result 16, 32, 64, 80 or 128",
    holds: |_, result, arguments| arguments[0] <= Width::W128 && is_float_format(result),
};
pub(super) const FLOAT_TO_FLOAT: Rule = Rule {
    requirement: "argument and result have 16, 32, 64, 80 or 128 bits",
    holds: |_, result, arguments| is_float_format(arguments[0]) && is_float_format(result),
};
pub(super) const FLOAT_TO_INTEGER: Rule = Rule {
    requirement: "the argument has 16, 32, 64, 80 or 128 bits, the result at most 128",
    holds: |_, result, arguments| is_float_format(arguments[0]) && result <= Width::W128,
};

impl Op {
    /// Checks that the operator accepts arguments of these widths and yields a result of this width.
    ///
    /// # Errors
    /// The operator's requirement, if the number of arguments or a width is wrong.
    pub fn check(self, result: Width, arguments: &[Width]) -> Result<(), WidthError> {
        let entry = self.entry();
        let holds = arguments.len() == usize::from(entry.arity)
            && (entry.rule.holds)(u32::from(entry.low), result, arguments);
        if holds { Ok(()) } else { Err(WidthError { op: self, result, arguments: arguments.to_vec() }) }
    }
}

/// The error for widths that an operator does not allow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WidthError {
    /// The operator.
    pub op: Op,
    /// The width of its result.
    pub result: Width,
    /// The widths of its arguments.
    pub arguments: Vec<Width>,
}

impl fmt::Display for WidthError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entry = self.op.entry();
        let (op, arity, requirement, result) = (self.op, entry.arity, entry.rule.requirement, self.result);
        write!(formatter, "{op} takes {arity} argument(s), and {requirement}; here a result of {result}")?;
        for (index, width) in self.arguments.iter().enumerate() {
            write!(formatter, "{} {width}", if index == 0 { " from" } else { "," })?;
        }
        Ok(())
    }
}

impl std::error::Error for WidthError {}

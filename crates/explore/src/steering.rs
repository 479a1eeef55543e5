//! Steering: what an observer may change about a running search.

use std::fmt;
use std::ops::Range;

/// The code of a function, by which pending branches are told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionCode {
    /// Its name, by which the ledger refers to it.
    pub name: String,
    /// The addresses of its instructions.
    pub ranges: Vec<Range<u64>>,
}

impl FunctionCode {
    /// A function whose code is in one piece.
    #[must_use]
    pub fn in_one_piece(name: impl Into<String>, range: Range<u64>) -> FunctionCode {
        FunctionCode { name: name.into(), ranges: std::iter::once(range).collect() }
    }

    /// Whether an instruction belongs to the function.
    #[must_use]
    pub fn contains(&self, address: u64) -> bool {
        self.ranges.iter().any(|range| range.contains(&address))
    }
}

/// A change of a running search, which an observer asks for. Each one is recorded in the assumption ledger, because the
/// plan alone does not give the same suite again.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Steering {
    /// Query the pending branches of these functions before all others, in the order of the strategy; replaces the
    /// functions of the last such request. None: no function comes first.
    Focus(Vec<FunctionCode>),
    /// Query the pending branches of these functions after all others; replaces the functions of the last such request.
    /// A function in [`Steering::Focus`] still comes first. None: no function comes last.
    Skip(Vec<FunctionCode>),
    /// The maximum number of instructions on a path, from now on.
    PathInstructions(u64),
    /// The time limit in seconds, from the start of the exploration, without pauses.
    Seconds(u64),
    /// Call [`Observer::wait_while_paused`](crate::Observer::wait_while_paused), whose time does not count.
    Pause,
}

impl Steering {
    /// The first instruction that it is about, if it is about code.
    pub(crate) fn address(&self) -> Option<u64> {
        let (Steering::Focus(functions) | Steering::Skip(functions)) = self else { return None };
        Some(functions.first()?.ranges.first()?.start)
    }
}

impl fmt::Display for Steering {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |functions: &[FunctionCode]| {
            functions.iter().map(|function| function.name.as_str()).collect::<Vec<&str>>().join(", ")
        };
        match self {
            Steering::Focus(functions) if functions.is_empty() => {
                write!(formatter, "no function comes first")
            }
            Steering::Focus(functions) => write!(formatter, "pending branches of {} first", names(functions)),
            Steering::Skip(functions) if functions.is_empty() => write!(formatter, "no function comes last"),
            Steering::Skip(functions) => write!(formatter, "pending branches of {} last", names(functions)),
            Steering::PathInstructions(bound) => write!(formatter, "at most {bound} instructions on a path"),
            Steering::Seconds(seconds) => write!(formatter, "time limit of {seconds} s"),
            Steering::Pause => write!(formatter, "paused"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_names_its_functions() {
        let code = |name, start| FunctionCode::in_one_piece(name, start..start + 4);
        let focus = Steering::Focus(vec![code("parse", 0x10), code("check", 0x20)]);
        assert_eq!(focus.to_string(), "pending branches of parse, check first");
        assert_eq!(focus.address(), Some(0x10));
        assert_eq!(Steering::Skip(Vec::new()).to_string(), "no function comes last");
        assert_eq!(Steering::Seconds(9).address(), None);
        assert!(code("parse", 0x10).contains(0x13) && !code("parse", 0x10).contains(0x14));
    }
}

//! Targets of a directed search (target-directed testing: Csallner and Smaragdakis 2006; Babić et al. 2011): a text form, its
//! parser, and its resolution against a program.
//!
//! A target is an incomplete path: points that must be passed in this order, separated by `;`, with anything between them.
//! A point is a place, and perhaps a condition on the state in which control reaches it:
//!
//! ```text
//! 0x8000120                          an instruction
//! decode + 0x10                      a symbol, and a distance from it
//! parser.c:41                        a source line
//! 0x62 -> 0x65                       a branch direction
//! decode: i32(arg1) > 63             a place and a condition
//! start; 0x62 -> 0x65; report        an incomplete path
//! ```

mod compile;
mod condition;
mod parse;
mod resolve;
mod scan;

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use compile::CompiledCondition;
pub use condition::{BinaryOperator, ConditionExpression, ExpressionKind, UnaryOperator};
pub use resolve::{ReachTarget, Waypoint, WaypointPlace};

/// A target as it is written: it parses, and is not yet resolved against a program.
///
/// ```
/// use everypath_environment::TargetText;
/// let target: TargetText = "start; decode: i32(arg1) > 63 && u8(r0) != 0".parse()?;
/// assert_eq!(target.points.len(), 2);
/// let wrong = "decode: arg0 >".parse::<TargetText>().unwrap_err();
/// assert_eq!(
///     wrong.to_string(),
///     "expected a number, a name or `(`, and the target ends\n  decode: arg0 >\n                ^"
/// );
/// # Ok::<(), everypath_environment::TargetError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TargetText {
    /// The text.
    pub text: String,
    /// The points, in the order in which they are passed; at least one.
    pub points: Vec<PointText>,
}

/// A point of a target, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointText {
    /// The place.
    pub place: PlaceText,
    /// The bytes of the text that name the place.
    pub span: Range<usize>,
    /// The condition on the state, if there is one.
    pub condition: Option<ConditionExpression>,
}

/// A place of a point, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaceText {
    /// An instruction.
    Instruction(CodePlace),
    /// A line of a source file.
    Line {
        /// The file: its path, or the end of it.
        file: String,
        /// The line, from 1.
        line: u32,
    },
    /// A branch direction.
    Direction {
        /// The branching instruction.
        branch: CodePlace,
        /// The instruction behind it.
        target: CodePlace,
    },
}

/// An instruction, by its address or by a symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodePlace {
    /// An address.
    Address(u64),
    /// A symbol, and the distance from it.
    Symbol {
        /// The name.
        name: String,
        /// The distance in bytes.
        distance: u64,
    },
}

/// A mistake in the text of a target. It is displayed with the text, and a caret below what is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetError {
    /// The problem, in words.
    pub message: String,
    /// The text.
    pub text: String,
    /// The bytes of the text that are wrong.
    pub span: Range<usize>,
}

impl TargetError {
    fn new(message: impl Into<String>, text: &str, span: Range<usize>) -> TargetError {
        TargetError { message: message.into(), text: text.to_owned(), span }
    }
}

impl fmt::Display for TargetError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A tab or a line break would move the caret.
        let shown: String =
            self.text.chars().map(|char| if char.is_control() { ' ' } else { char }).collect();
        let before = self.text.get(..self.span.start).map_or(0, |before| before.chars().count());
        let marked = self.text.get(self.span.clone()).map_or(0, |marked| marked.chars().count());
        let (space, carets) = (" ".repeat(before), "^".repeat(marked.max(1)));
        write!(formatter, "{}\n  {shown}\n  {space}{carets}", self.message)
    }
}

impl std::error::Error for TargetError {}

impl FromStr for TargetText {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<TargetText, TargetError> {
        parse::target(text)
    }
}

impl TryFrom<String> for TargetText {
    type Error = TargetError;

    fn try_from(text: String) -> Result<TargetText, TargetError> {
        text.parse()
    }
}

impl From<TargetText> for String {
    fn from(target: TargetText) -> String {
        target.text
    }
}

impl fmt::Display for TargetText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

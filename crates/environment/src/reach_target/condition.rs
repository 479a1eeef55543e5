//! Conditions of targets: expressions over registers, memory and arguments, with the operators of C, parsed by precedence
//! climbing.

use std::ops::Range;

use super::TargetError;
use super::scan::{Scanner, is_word, number};

/// Maximum depth of an expression: the parser recurses.
const DEPTH: usize = 64;

/// An expression of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionExpression {
    /// The operation.
    pub kind: ExpressionKind,
    /// The bytes of the target's text that it is.
    pub span: Range<usize>,
}

/// The operation of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpressionKind {
    /// A number.
    Number(u64),
    /// A register, an argument, or the address of a symbol.
    Name(String),
    /// Memory.
    Memory {
        /// The name of the space.
        space: String,
        /// The address.
        address: Box<ConditionExpression>,
        /// The size in bytes.
        size: u8,
    },
    /// The low bits of a value, as a number of this type.
    Cast {
        /// The number of bits.
        bits: u32,
        /// Whether the highest bit is the sign.
        signed: bool,
        /// The value.
        value: Box<ConditionExpression>,
    },
    /// An operator with one operand.
    Unary(UnaryOperator, Box<ConditionExpression>),
    /// An operator with two operands.
    Binary(BinaryOperator, Box<ConditionExpression>, Box<ConditionExpression>),
}

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `-`
    Negate,
    /// `~`
    Complement,
    /// `!`
    Not,
}

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOperator {
    /// `||`
    LogicalOr,
    /// `&&`
    LogicalAnd,
    /// `|`
    Or,
    /// `^`
    Xor,
    /// `&`
    And,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
}

use BinaryOperator::{
    Add, And, Equal, Greater, GreaterEqual, Less, LessEqual, LogicalAnd, LogicalOr, Multiply, NotEqual, Or,
    ShiftLeft, ShiftRight, Subtract, Xor,
};

/// The binary operators with their precedence; those that begin another one come behind it.
const BINARY: [(&str, BinaryOperator, u8); 16] = [
    ("||", LogicalOr, 1),
    ("&&", LogicalAnd, 2),
    ("==", Equal, 6),
    ("!=", NotEqual, 6),
    ("<=", LessEqual, 6),
    (">=", GreaterEqual, 6),
    ("<<", ShiftLeft, 7),
    (">>", ShiftRight, 7),
    ("|", Or, 3),
    ("^", Xor, 4),
    ("&", And, 5),
    ("<", Less, 6),
    (">", Greater, 6),
    ("+", Add, 8),
    ("-", Subtract, 8),
    ("*", Multiply, 9),
];

impl BinaryOperator {
    /// Whether it compares its operands.
    #[must_use]
    pub fn is_comparison(self) -> bool {
        matches!(self, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
    }

    fn is_bitwise(self) -> bool {
        matches!(self, Or | Xor | And)
    }
}

/// An operand, and the operator outside parentheses that it was made by.
struct Operand {
    value: ConditionExpression,
    operator: Option<BinaryOperator>,
}

/// Parses a condition.
pub(super) fn parse(scanner: &mut Scanner<'_>) -> Result<ConditionExpression, TargetError> {
    expression(scanner, 1, 0).map(|operand| operand.value)
}

/// An expression of operators with at least this precedence.
fn expression(scanner: &mut Scanner<'_>, least: u8, depth: usize) -> Result<Operand, TargetError> {
    let mut left = operand(scanner, depth)?;
    loop {
        scanner.skip_space();
        let rest = scanner.rest();
        let Some((sign, operator, precedence)) = BINARY.iter().find(|(sign, ..)| rest.starts_with(sign))
        else {
            if rest.starts_with('=') {
                let span = scanner.at..scanner.at + 1;
                return Err(scanner.error("values are compared by `==`", span));
            }
            return Ok(left);
        };
        if *precedence < least {
            return Ok(left);
        }
        scanner.at += sign.len();
        let right = expression(scanner, precedence + 1, depth + 1)?;
        let span = left.value.span.start..right.value.span.end;
        if operator.is_comparison() && left.operator.is_some_and(BinaryOperator::is_comparison) {
            let message = "comparisons have no chain: write `a < b && b < c`";
            return Err(scanner.error(message, span));
        }
        // C and other languages differ in what binds more tightly.
        let is_mixed = |side: &Operand| {
            side.operator.is_some_and(|inner| {
                operator.is_bitwise() && inner.is_comparison()
                    || operator.is_comparison() && inner.is_bitwise()
            })
        };
        if is_mixed(&left) || is_mixed(&right) {
            let message = "`&`, `|` and `^` beside a comparison need parentheses: write `(a & b) == c`";
            return Err(scanner.error(message, span));
        }
        let kind = ExpressionKind::Binary(*operator, Box::new(left.value), Box::new(right.value));
        left = Operand { value: ConditionExpression { kind, span }, operator: Some(*operator) };
    }
}

fn operand(scanner: &mut Scanner<'_>, depth: usize) -> Result<Operand, TargetError> {
    scanner.skip_space();
    let start = scanner.at;
    if depth > DEPTH {
        return Err(scanner.error("the condition is nested too deeply", start..scanner.text.len()));
    }
    let made = |kind: ExpressionKind, end: usize| Operand {
        value: ConditionExpression { kind, span: start..end },
        operator: None,
    };
    if scanner.take("(") {
        let inner = expression(scanner, 1, depth + 1)?;
        close(scanner, ")")?;
        return Ok(made(inner.value.kind, scanner.at));
    }
    let unary = [("-", UnaryOperator::Negate), ("~", UnaryOperator::Complement), ("!", UnaryOperator::Not)];
    for (sign, operator) in unary {
        if scanner.take(sign) {
            let inner = operand(scanner, depth + 1)?.value;
            let end = inner.span.end;
            return Ok(made(ExpressionKind::Unary(operator, Box::new(inner)), end));
        }
    }
    let (word, span) = scanner.take_while(|char, _| is_word(char));
    if word.is_empty() {
        return Err(scanner.expected("a number, a name or `(`"));
    }
    if word.starts_with(|char: char| char.is_ascii_digit()) {
        let value = number(word);
        let value = value.ok_or_else(|| scanner.error(format!("`{word}` is no number"), span.clone()))?;
        return Ok(made(ExpressionKind::Number(value), span.end));
    }
    if scanner.take("[") {
        let address = Box::new(expression(scanner, 1, depth + 1)?.value);
        let size = if scanner.take(",") { size(scanner)? } else { 1 };
        close(scanner, "]")?;
        return Ok(made(ExpressionKind::Memory { space: word.to_owned(), address, size }, scanner.at));
    }
    if let Some((bits, signed)) = cast(word)
        && scanner.take("(")
    {
        let value = Box::new(expression(scanner, 1, depth + 1)?.value);
        close(scanner, ")")?;
        return Ok(made(ExpressionKind::Cast { bits, signed, value }, scanner.at));
    }
    Ok(made(ExpressionKind::Name(word.to_owned()), span.end))
}

fn close(scanner: &mut Scanner<'_>, sign: &str) -> Result<(), TargetError> {
    if scanner.take(sign) { Ok(()) } else { Err(scanner.expected(&format!("`{sign}`"))) }
}

fn size(scanner: &mut Scanner<'_>) -> Result<u8, TargetError> {
    let (word, span) = scanner.take_while(|char, _| is_word(char));
    match number(word) {
        Some(size @ (1 | 2 | 4 | 8)) => Ok(size as u8),
        _ => Err(scanner.error("memory is read in 1, 2, 4 or 8 bytes", span)),
    }
}

/// The type that a cast names: `u8`, `i32`.
fn cast(word: &str) -> Option<(u32, bool)> {
    let (signed, bits) = match word.split_at_checked(1)? {
        ("i", bits) => (true, bits),
        ("u", bits) => (false, bits),
        _ => return None,
    };
    let bits = bits.parse().ok()?;
    matches!(bits, 8 | 16 | 32 | 64).then_some((bits, signed))
}

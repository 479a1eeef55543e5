//! Violations of the invariants of blocks and layouts that the verifier reports.

use std::fmt;

use crate::{ExitKind, Operand, SpaceId, Temp, Width, WidthError};

/// A violated invariant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvalidBlock {
    /// The position of the violation.
    pub position: Position,
    /// The violated invariant.
    pub problem: Problem,
}

/// The position of a fault, by index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Position {
    /// The block as a whole.
    Block,
    /// A statement.
    Statement(usize),
    /// An exit.
    Exit(usize),
    /// A space of a layout.
    Space(usize),
    /// A user operation of a layout.
    UserOperation(usize),
}

/// The kinds of violation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Problem {
    /// An operator does not allow these widths.
    Widths(WidthError),
    /// A temporary is defined twice, or not in the order of the numbers.
    DefinedOutOfOrder {
        /// The temporary that is defined.
        found: Temp,
        /// The expected number.
        due: usize,
    },
    /// The block declares a temporary that no statement defines.
    Undefined {
        /// The first such temporary.
        number: usize,
    },
    /// An operand is used before its definition, or names no constant of the block.
    Unknown(Operand),
    /// An unused argument slot does not hold [`Operand::FILLER`].
    NotFiller(Operand),
    /// A guard is not one bit wide.
    Guard(Width),
    /// There is no such space.
    UnknownSpace(SpaceId),
    /// There is no such user operation.
    UnknownUserOperation(u32),
    /// The arguments of a user operation are outside the pool.
    OutsidePool,
    /// The width of a stored or loaded value is not a multiple of eight.
    PartOfByte(Width),
    /// A fixed location is outside its space.
    OutsideSpace {
        /// Its offset.
        offset: u64,
        /// The size of the space in bytes.
        size: u128,
    },
    /// An address is wider than the addresses of its space.
    Address {
        /// The width of the address.
        found: Width,
        /// The width of an address of the space, rounded up to whole bytes.
        limit: u32,
    },
    /// The block has no exit.
    NoExit,
    /// The last exit has a guard, or another one has none.
    ExitGuard {
        /// Whether it is the last.
        last: bool,
    },
    /// An exit of this kind has a computed target.
    ComputedTarget(ExitKind),
    /// A name is used twice, or the text form cannot express it.
    Name(String),
    /// The addresses of a space are wider than 64 bits, or its addressable unit is empty.
    SpaceShape,
    /// There are more spaces than `SpaceId` can number.
    TooManySpaces,
}

impl fmt::Display for InvalidBlock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Position::Block => write!(formatter, "block: {}", self.problem),
            Position::Statement(index) => write!(formatter, "statement {index}: {}", self.problem),
            Position::Exit(index) => write!(formatter, "exit {index}: {}", self.problem),
            Position::Space(index) => write!(formatter, "space {index}: {}", self.problem),
            Position::UserOperation(index) => write!(formatter, "user operation {index}: {}", self.problem),
        }
    }
}

impl std::error::Error for InvalidBlock {}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Widths(error) => error.fmt(formatter),
            Problem::DefinedOutOfOrder { found, due } => {
                write!(formatter, "{found} is defined where t{due} is due")
            }
            Problem::Undefined { number } => write!(formatter, "t{number} is never defined"),
            Problem::Unknown(operand) => write!(formatter, "{operand:?} is not known here"),
            Problem::NotFiller(operand) => write!(formatter, "{operand:?} is an argument too many"),
            Problem::Guard(width) => write!(formatter, "a guard has 1 bit, not {width}"),
            Problem::UnknownSpace(space) => write!(formatter, "there is no space {}", space.0),
            Problem::UnknownUserOperation(number) => write!(formatter, "there is no user operation {number}"),
            Problem::OutsidePool => formatter.write_str("the arguments are not in the pool"),
            Problem::PartOfByte(width) => write!(formatter, "{width} bits are not whole bytes"),
            Problem::OutsideSpace { offset, size } => {
                write!(formatter, "the place at {offset:#x} is not inside the space of {size:#x} bytes")
            }
            Problem::Address { found, limit } => {
                write!(formatter, "an address has at most {limit} bits in this space, not {found}")
            }
            Problem::NoExit => formatter.write_str("there is no exit"),
            Problem::ExitGuard { last: true } => formatter.write_str("the last exit has no guard"),
            Problem::ExitGuard { last: false } => formatter.write_str("every exit but the last has a guard"),
            Problem::ComputedTarget(kind) => {
                write!(formatter, "the target of a {} is not computed", kind.name())
            }
            Problem::Name(name) => {
                write!(
                    formatter,
                    "the name {name:?} is used twice or has other signs than letters, digits, _, ., $"
                )
            }
            Problem::SpaceShape => {
                formatter.write_str("an address has at most 64 bits and spans at least one byte")
            }
            Problem::TooManySpaces => formatter.write_str("a layout has at most 256 spaces"),
        }
    }
}

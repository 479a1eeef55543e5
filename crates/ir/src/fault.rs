//! What can be wrong with a block or a layout, and where.

use std::fmt;

use crate::{ExitKind, Operand, SpaceId, Temp, Width, WidthError};

/// Something wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Where.
    pub position: Position,
    /// What.
    pub problem: Problem,
}

/// Where a fault is, by index.
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

/// What is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Problem {
    /// An operator does not allow these widths.
    Widths(WidthError),
    /// Temporaries are defined in the order of their numbers, each once.
    DefinedOutOfOrder {
        /// What is defined.
        found: Temp,
        /// The number that is due.
        due: usize,
    },
    /// There are widths for more temporaries than are defined.
    Undefined {
        /// The first one.
        number: usize,
    },
    /// An operand is used before its definition, or there is no such constant.
    Unknown(Operand),
    /// An argument that the operator does not have is not the filler.
    NotFiller(Operand),
    /// A guard does not have one bit.
    Guard(Width),
    /// There is no such space.
    UnknownSpace(SpaceId),
    /// There is no such user operation.
    UnknownUserOperation(u32),
    /// Arguments lie outside of the pool.
    OutsidePool,
    /// A value in a space does not have whole bytes.
    PartOfByte(Width),
    /// A fixed place lies outside of its space.
    OutsideSpace {
        /// Its offset.
        offset: u64,
        /// The size of the space in bytes.
        size: u128,
    },
    /// An address is wider than those of its space.
    Address {
        /// The width of the address.
        found: Width,
        /// The bits of an address of the space, in whole bytes.
        limit: u32,
    },
    /// There is no exit.
    NoExit,
    /// The last exit has a guard, or another one has none.
    ExitGuard {
        /// Whether it is the last.
        last: bool,
    },
    /// An exit of this kind has a computed target.
    ComputedTarget(ExitKind),
    /// A name that is used twice, or cannot stand in the text form.
    Name(String),
    /// A space that has addresses wider than 64 bits, or no bytes at an address.
    SpaceShape,
    /// More spaces than there are numbers for.
    TooManySpaces,
}

impl fmt::Display for Fault {
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

impl std::error::Error for Fault {}

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

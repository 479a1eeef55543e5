//! The generic machine code of Everypath: what an instruction of any processor is translated to.
//!
//! A [`Block`] is a straight line of [`Statement`]s over values of a [`Width`] of 1 to 512 bits, with its ways out at
//! the end. Statements read and write the spaces of a [`Layout`] (memories and registers alike) and compute with
//! pure operators, [`Op`], whose meaning is [`Op::apply`]: it is written once, and all that runs, folds or checks
//! code rests on it.
//!
//! Blocks are made by a [`BlockBuilder`], checked by [`verify`], trimmed by [`eliminate_dead`] and
//! [`treat_as_registers`], and have a text form that reads back as the same blocks, a [`Listing`].

mod bits;
mod block;
mod builder;
mod canonical;
mod dead;
mod demand;
mod fault;
mod identity;
mod known;
mod near;
mod op;
mod operand;
mod plain;
mod space;
mod statement;
mod text;
mod verify;
mod width;
mod word;

pub use bits::{Bits, BitsError};
pub use block::{Block, Context, Exit, ExitKind, Place, Target};
pub use builder::BlockBuilder;
pub use dead::{Observers, eliminate_dead};
pub use fault::{Fault, Position, Problem};
pub use identity::{Algebra, simplified};
pub use known::KnownPlaces;
pub use op::{Op, OpError, WidthError};
pub use operand::{Operand, OperandKind, Temp};
pub use plain::treat_as_registers;
pub use space::{Endian, Layout, Space, SpaceId, SpaceKind, is_plain_name};
pub use statement::{ArgumentRange, Location, Statement};
pub use text::{Listing, ParseError, Printer};
pub use verify::{verify, verify_layout};
pub use width::Width;
pub use word::{Wide, Word};

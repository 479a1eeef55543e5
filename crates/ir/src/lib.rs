//! The intermediate representation of Everypath, to which the instructions of every processor are lifted.
//!
//! A [`Block`] is a basic block: [`Statement`]s over bit vectors of a [`Width`] of 1 to 512 bits, then guarded exits.
//! Statements read and write the address spaces of a [`Layout`] (memories and registers alike) and compute with pure
//! operators, [`Op`]. [`Op::apply`] defines the semantics of each operator once; interpreters, constant folding and
//! checks all use it.
//!
//! [`BlockBuilder`] makes blocks, [`verify`] checks them, [`eliminate_dead`] and [`promote_registers`] optimise them,
//! and a [`Listing`] is their text form, which parses back to the same blocks.

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
mod promote_registers;
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
pub use fault::{InvalidBlock, Position, Problem};
pub use identity::{Algebra, simplified};
pub use known::KnownPlaces;
pub use op::{Op, OpError, WidthError};
pub use operand::{Operand, OperandKind, Temp};
pub use promote_registers::promote_registers;
pub use space::{Endian, Layout, Space, SpaceId, SpaceKind, is_plain_name};
pub use statement::{ArgumentRange, Location, Statement};
pub use text::{Listing, ParseError, Printer};
pub use verify::{verify, verify_layout};
pub use width::Width;
pub use word::{Wide, Word};

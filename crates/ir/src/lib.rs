//! The intermediate representation of Everypath, to which the instructions of every processor are lifted.
//!
//! A [`Block`] is a basic block: [`Statement`]s over bit vectors of a [`Width`] of 1 to 512 bits, then guarded exits.
//! Statements read and write the address spaces of a [`Layout`] (memories and registers alike) and compute with pure
//! operators, [`Op`]. [`Op::apply`] defines the semantics of each operator once; interpreters, constant folding and
//! checks all use it.
//!
//! [`BlockBuilder`] makes blocks, [`verify`] checks them, [`eliminate_dead`] and [`promote_registers`] optimise them,
//! and a [`Listing`] is their text form, which parses back to the same blocks.
//!
//! ```
//! use everypath_ir::{Bits, BlockBuilder, Context, ExitKind, Listing, Location, Op, Place, Printer};
//! use everypath_ir::{SpaceId, Target, Width, verify};
//!
//! let layout = "space ram memory little 16\nspace register register little 8".parse::<Listing>()?.layout;
//! // dec r0; jnz 0x10
//! let start = Place::new(0x10, Context::default());
//! let mut builder = BlockBuilder::new(start, SpaceId(0));
//! builder.instruction(0x10, 2);
//! let r0 = Location { space: SpaceId(1), offset: 0 };
//! let old = builder.get(r0, Width::W8);
//! let [zero, one] = [0, 1].map(|value| builder.constant(Bits::from_u64(value, Width::W8)));
//! let new = builder.compute(Op::Sub, Width::W8, &[old, one]);
//! builder.put(r0, new);
//! let not_zero = builder.compute(Op::Ne, Width::W1, &[new, zero]);
//! builder.exit(Some(not_zero), ExitKind::Jump, Target::Place(start));
//! builder.exit(None, ExitKind::Fall, Target::Place(Place::new(0x12, Context::default())));
//! let block = builder.finish(0x12);
//! assert_eq!(verify(&layout, &block), Ok(()));
//! assert!(Printer::new(&layout).block(&block).to_string().contains("jump 0x10\n    exit fall 0x12"));
//! # Ok::<(), everypath_ir::ParseError>(())
//! ```

mod address_range;
mod address_set;
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

pub use address_range::AddressRange;
pub use address_set::AddressSet;
pub use bits::{Bits, BitsError};
pub use block::{Block, Context, Exit, ExitKind, Place, Target};
pub use builder::BlockBuilder;
pub use dead::{Observers, eliminate_dead};
pub use demand::demanded_bits;
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

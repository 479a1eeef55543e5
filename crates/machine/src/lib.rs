//! The block interpreter: one interpreter over several value domains, on a copy-on-write state that forks in
//! microseconds.
//!
//! [`run_block`] is the interpreter, parameterised by a value domain ([`Domain`]): [`ConcreteDomain`] for bit vectors,
//! [`ConcolicDomain`] for bits with terms. A [`State`] holds the contents of every space of a layout in pages that
//! forks share. The outcome of a run is a result: an [`End`].
//!
//! ```
//! use everypath_ir::{Bits, Listing, SpaceId};
//! use everypath_machine::{Concrete, ConcreteDomain, Isolated, Next, NoWatch, ReadyBlock, State, run_block};
//!
//! // inc r0; jmp r0
//! let listing: Listing = "
//!     space ram memory little 16 space register register little 8
//!     block ram 0x10 context 0x0 end 0x12 { @0x10+2
//!         t0:16 = get register[0x0]
//!         t1:16 = add t0 0x1:16
//!         put register[0x0] t1
//!         exit jump [t1]
//!     }".parse()?;
//! let (layout, block) = (&listing.layout, listing.blocks[0].clone().into());
//! let constant = |bits: &Bits| Concrete::from_bits(bits.clone());
//! let mut block = ReadyBlock::new(layout, block, constant, || Concrete::Narrow(0));
//! let mut state = State::new(layout);
//! assert_eq!(state.write(SpaceId(1), 0, 2, 0x40), Ok(()));
//! let mut fork = state.fork();
//! let mut domain = ConcreteDomain { state: &mut fork, outside: Isolated };
//! assert_eq!(run_block(&mut domain, &mut block, &mut NoWatch), Ok(Next::Address(0, 0x41)));
//! assert_eq!(fork.read(SpaceId(1), 0, 2), Ok(0x41));
//! assert_eq!(state.read(SpaceId(1), 0, 2), Ok(0x40));
//! # Ok::<(), everypath_ir::ParseError>(())
//! ```

mod access;
mod bit_slices;
mod concolic;
mod concrete;
mod difference;
mod domain;
mod end;
mod event;
mod layer;
mod machine;
mod may_alias;
mod memory;
mod outside;
mod page;
mod path_ranges;
mod pieces;
mod reach;
mod region;
mod registers;
mod run;
mod shadow;
mod state;
mod step;
mod watch;

pub use access::{AccessFault, Denied, Fetched};
pub use concolic::{Concolic, ConcolicDomain, OperationContext, Sensed, is_aligned};
pub use concrete::{Concrete, ConcreteDomain};
pub use domain::{Domain, MachineDomain};
pub use end::{Bound, End, Fault, FaultReason, Missing};
pub use event::Event;
pub use machine::{At, BlockSource, Ended, Machine, RunLimits, SourceBlock, Stepped};
pub use may_alias::{AliasedMemory, Stack};
pub use memory::Memory;
pub use outside::{Isolated, Outside};
pub use page::PAGE_SIZE;
pub use path_ranges::{PathRange, PathRanges};
pub use reach::lies_in;
pub use region::{Permissions, Region, Regions};
pub use registers::Registers;
pub use run::{Interrupted, Next, run_block, run_steps};
pub use shadow::{Shadow, TermByte};
pub use state::{SpaceState, State};
pub use step::{Access, Computation, Fixed, ReadyBlock, ReadyExit, ReadyTarget, Slot, Step, UserCall};
pub use watch::{NoWatch, Trace, Watch};

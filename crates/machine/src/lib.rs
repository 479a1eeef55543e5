//! The block interpreter: one interpreter over several value domains, on a copy-on-write state that forks in
//! microseconds.
//!
//! [`run_block`] is the interpreter, parameterised by a value domain ([`Domain`]): [`ConcreteDomain`] for bit vectors,
//! [`ConcolicDomain`] for bits with terms. A [`State`] holds the contents of every space of a layout in pages that
//! forks share. The outcome of a run is a result: an [`End`].

mod access;
mod concolic;
mod concrete;
mod domain;
mod end;
mod event;
mod layer;
mod machine;
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
pub use concolic::{Concolic, ConcolicDomain, Sensed, is_aligned};
pub use concrete::{Concrete, ConcreteDomain};
pub use domain::{Domain, MachineDomain};
pub use end::{Bound, End, Fault, FaultReason, Missing};
pub use event::Event;
pub use machine::{At, BlockSource, Ended, Machine, RunLimits, SourceBlock, Stepped};
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

//! Runs blocks: one step function over several kinds of values, on a state that forks in microseconds.
//!
//! [`run_block`] is the one interpreter. What a value is, is its parameter, a [`Domain`]; [`ConcreteDomain`] is the one
//! in which values are bits. A [`State`] holds the contents of every space of a layout in pages that forks share. How a
//! run ends is a result: an [`End`].

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
mod pieces;
mod reach;
mod region;
mod registers;
mod run;
mod shadow;
mod state;
mod step;
mod watch;
mod window;

pub use access::{AccessFault, Denied, Fetched};
pub use concolic::{Concolic, ConcolicDomain, Sensed, is_aligned};
pub use concrete::{Concrete, ConcreteDomain};
pub use domain::Domain;
pub use end::{Bound, End, Fault, FaultReason, Missing};
pub use event::{Event, StepKey};
pub use machine::{At, BlockSource, Ended, Limits, Machine, SourceBlock, Stepped};
pub use memory::Memory;
pub use outside::{Isolated, Outside};
pub use page::PAGE_SIZE;
pub use reach::lies_in;
pub use region::{Permissions, Region, Regions};
pub use registers::Registers;
pub use run::{Interrupted, Next, run_block};
pub use shadow::{Origin, Shadow};
pub use state::{SpaceState, State};
pub use step::{Access, Computation, Fixed, ReadyBlock, Slot, Step, UserCall, Way, WayTarget};
pub use watch::{Nobody, Trace, Watch};
pub use window::{Window, Windows};

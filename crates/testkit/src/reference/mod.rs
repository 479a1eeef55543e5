//! The independent reference decoder, run in a child process, and its driver.
//!
//! The reference wraps Ghidra's own C++ decoder. That decoder writes out of bounds on some instructions,
//! so it never runs in the process that relies on its answers: the program `sleigh-reference` answers one
//! [`Request`] and ends, and [`Reference`] starts as many of them as it takes. When one dies, the driver
//! goes on behind the instruction that kills it and reports that one as [`Outcome::Crashed`].
//!
//! An instruction may also do damage that shows later, or only as a wrong answer for another one. Before an
//! answer is held against another decoder's, it is worth asking for that one again, alone.
//!
//! Its decoding context is a map by address that instructions paint as they are decoded, and it keeps what it
//! decoded at an address even when the bytes there have changed. The two kinds of work differ in that:
//!
//! - A [`Sweep`] decodes from an address on, as code lies in a file. Context that an instruction commits for
//!   a later address applies there. [`Answer::fresh`] says where a new instance with an empty map took over.
//! - [`Words`] decodes unrelated records, each at an address of its own, and each address has the initial
//!   values of the context variables named in [`Setup::context`] as an explicit change point: what another
//!   record commits stops there. Only a commit for exactly that address gets through. It is rare, and
//!   decoding the record alone tells.

mod answer;
#[cfg(feature = "reference")]
mod answering;
mod child;
mod driver;
mod error;
mod request;
mod setup;
mod work;

pub use answer::{Answer, Outcome};
#[cfg(feature = "reference")]
pub use answering::answer_request;
pub use driver::{Reference, Timing};
pub use error::ReferenceError;
pub use request::Request;
pub use setup::Setup;
pub use work::{Sweep, Words, Work};

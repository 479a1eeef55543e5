//! The independent reference decoder, run in a child process, and its driver.
//!
//! The reference wraps Ghidra's own C++ decoder. That decoder writes out of bounds on some instructions, so it never
//! runs in the process that uses its answers: the program `sleigh-reference` answers one [`Request`] and exits, and
//! [`Reference`] starts as many of them as necessary. When one crashes, the driver continues after the instruction that
//! caused it and reports that one as [`ReferenceOutcome::Crashed`].
//!
//! An instruction may also corrupt memory and crash a later one, or change its answer. Before reporting a difference
//! from another decoder, decode that instruction again alone.
//!
//! Its decoding context is a map by address that instructions update as they are decoded, and it caches the parse at an
//! address even if the bytes there change. The two kinds of work differ in this:
//!
//! - A [`ReferenceSweep`] decodes code in address order. Context committed for a later address applies there.
//!   [`ReferenceAnswer::fresh`] marks the first answer of a new instance with an empty map.
//! - [`Words`] decodes unrelated records, each at its own address. Each address has the initial values of the context
//!   variables named in [`ReferenceSetup::context`] as an explicit change point: commits of other records end there.
//!   Only a commit for exactly that address takes effect; this is rare, and decoding the record alone reveals it.

mod answer;
#[cfg(feature = "reference")]
mod answering;
mod child;
mod driver;
mod error;
mod request;
mod setup;
mod work;

pub use answer::{ReferenceAnswer, ReferenceOutcome};
#[cfg(feature = "reference")]
pub use answering::answer_request;
pub use driver::{Reference, Timing};
pub use error::ReferenceError;
pub use request::Request;
pub use setup::ReferenceSetup;
pub use work::{ReferenceSweep, Words, Work};

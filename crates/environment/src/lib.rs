//! The guest's outside world: memory map, volatile cells, what is in registers and memory at the start, and what the
//! processor's own operations do.
//!
//! A [`Configuration`] is what an `everypath.toml` says. A [`Guest`] is a program with its architecture; it makes the
//! [`State`](everypath_machine::State) that a run starts from and is where the machine's blocks come from. [`World`] is
//! what a run meets outside.

mod check;
mod configuration;
mod end;
mod guest;
mod input;
mod model;
mod peripheral;
mod random;
mod sense;
mod start;
mod vectors;
mod world;

pub use configuration::{
    CallOf, Cell, Configuration, Field, InitialBytes, Input, Object, Place, Stack, Unwritten,
};
pub use guest::{Guest, GuestError};
pub use input::{InitialInput, InitialInputs, PointerInput};
pub use model::{ALL as MODELS, Call, Model, Remembered, Setup};
pub use random::Sequence;
pub use sense::{Inputs, Origin, Progress, Sensor};
pub use vectors::Handler;
pub use world::{Reading, World};

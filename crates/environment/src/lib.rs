//! The guest's environment: memory map, MMIO, the initial state, and models of the processor's user operations.
//!
//! A [`Configuration`] is the content of an `everypath.toml`. A [`Guest`] is a program with its architecture; it makes
//! the initial [`State`](everypath_machine::State) of a run and lifts blocks for the machine. [`World`] is the
//! environment of a run.

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
    AddressOrSymbol, CallOf, Configuration, Field, InitialBytes, InputDeclaration, Object, StackRegion,
    Unwritten, VolatileCell,
};
pub use guest::{Guest, GuestError};
pub use input::{InitialInput, InitialInputs, PointerInput};
pub use model::{ALL as MODELS, Call, ModelSetup, OperationModel, Remembered};
pub use random::Sequence;
pub use sense::{InputOrigin, InputTable, Progress, Sensor};
pub use vectors::Handler;
pub use world::{CellRead, World};

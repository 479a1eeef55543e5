//! Control-flow recovery: builds the graph of a whole program from its entry points, and extends it later.

mod build;
mod constants;
mod entries;
mod forget;
mod functions;
mod imports;
mod learn;
mod open_functions;
mod pointers;
mod return_address;
mod settings;
mod stack;

pub use learn::ObservedTarget;
pub use settings::{GraphLimits, Settings};

//! Models of user operations (CALLOTHER in SLEIGH): processor operations that the specification only names.
//!
//! An architecture's description maps an operation to a model by name, with its parameters.

mod constant;
mod counter;
mod definition;
mod ending;
mod exclusive;
mod plain;
mod table;

pub(crate) use definition::Action;
pub use definition::{Call, ModelSetup, OperationModel, Remembered};

/// The name of the trap model.
pub(crate) const TRAP: &str = ending::TRAP.name;

/// All models.
pub static ALL: &[OperationModel] = &[
    plain::NOTHING,
    plain::FIRST,
    constant::CONSTANT,
    counter::COUNTER,
    table::TABLE,
    exclusive::LOAD,
    exclusive::STORE,
    exclusive::CLEAR,
    ending::STOP,
    ending::TRAP,
    ending::SYSTEM_CALL,
];

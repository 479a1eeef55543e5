//! Models of user operations: what a processor does that its specification only names.
//!
//! An architecture's description maps an operation to a model by name, with parameters where the model has some.

mod constant;
mod counter;
mod definition;
mod ending;
mod exclusive;
mod plain;
mod table;

pub(crate) use definition::Action;
pub use definition::{Call, Model, Remembered, Setup};

/// The name of the model of operations that trap.
pub(crate) const TRAP: &str = ending::TRAP.name;

/// Every model.
pub static ALL: &[Model] = &[
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

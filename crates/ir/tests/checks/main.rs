//! Checks of the intermediate representation.

mod bits;
mod dead;
mod evaluate;
mod exact;
mod float;
mod identities;
mod integers;
mod operators;
mod plain;
mod random_block;
mod serial;
mod text;
mod verify;

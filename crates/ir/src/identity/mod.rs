//! Identities that make a computation simpler; each holds for all values of its operands.

mod arithmetic;
mod compare;
mod logic;
mod search;
mod shape;

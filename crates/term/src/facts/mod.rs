//! What is known of a term's value whatever the input.

mod compare;
mod store;
mod transfer;

pub(crate) use store::FactStore;
pub use store::Facts;

//! Known-bits and unsigned-range analysis of terms (a reduced product of two abstract domains).

mod compare;
mod store;
mod transfer;

pub(crate) use store::FactStore;
pub use store::Facts;

//! A query in; a model, 'none', or 'unknown, because' out; a stack of one-file layers over a backend.

mod answer;
pub mod backend;
pub mod circuit;
mod limits;
pub mod proof;
pub mod sat;

pub use answer::{Answer, Reason};
pub use limits::Limits;

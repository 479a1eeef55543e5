//! A query in; a model, "none", or "unknown, because" out; a stack of one-file layers over a backend.

mod answer;
mod backend;
mod layer;

pub use answer::{Answer, Limits, Query, Reason, Solver, Statistics};
pub use backend::Program;
pub use layer::{Cache, Check, Constant, Enumerate, Guess, Invert, Slice};

//! A query in; a model, "none", or "unknown, because" out; a stack of one-file layers over a backend.

mod answer;
mod backend;
mod layer;
mod limits;
mod query;

pub use answer::{Answer, Reason};
pub use backend::{Pipe, Portfolio, Program};
pub use layer::{Cache, Check, Constant, Enumerate, Guess, Invert, Log, Slice};
pub use limits::Limits;
pub use query::{Query, Solver, Statistics};

//! Solver queries for benchmarks and checks: the many small ones of a path, and several hard families.

mod arithmetic;
mod memory;
mod parsing;
mod path;
mod question;
mod square;

pub use path::{Paths, paths, paths_within};
pub use question::{Question, families};

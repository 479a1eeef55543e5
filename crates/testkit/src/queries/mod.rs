//! Questions for solvers: the many small ones of a path, and families that are hard each in its own way.

mod arithmetic;
mod memory;
mod parsing;
mod path;
mod question;
mod square;

pub use path::{Paths, paths, paths_within};
pub use question::{Question, families};

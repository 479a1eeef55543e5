//! Questions of real explorations, answered in several ways that have to agree.

mod compared;
mod run;

pub use run::{Options, run};

//! `cargo xtask queries`: differential testing of solver configurations on the queries of real explorations.

mod compared;
mod run;

pub use run::{Options, run};

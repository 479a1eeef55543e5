//! Developer tasks of Everypath, run as `cargo xtask <task>`; a library so that tests can run them, too.

pub mod adversary;
pub mod bench;
pub mod book;
mod command;
pub mod conform;
pub mod dist;
pub mod fuzz;
pub mod ground_truth;
mod planted;
pub mod queries;
pub mod reference;
pub mod skipped;
pub mod sweep;
pub mod tidy;
pub mod traces;

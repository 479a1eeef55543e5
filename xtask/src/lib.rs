//! Developer tasks of Everypath, run as `cargo xtask <task>`; a library so that they are tests too.

pub mod tidy;

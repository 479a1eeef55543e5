//! `cargo xtask adversary`: runs random small programs with every input, and compares with the claims of `everypath
//! test`.
//!
//! A program reads one or two bytes of input. An independent executor runs it with every value of them and records each
//! transition between instructions and a hash of each path; then `everypath test` explores it, and every claim that the
//! record refutes is reported, with the program reduced by delta debugging (Zeller and Hildebrandt 2002). One function of each
//! program is explored by itself, too, and compared with what the runs do in it.

mod build;
mod claim;
mod compare;
mod console;
mod emulator;
mod examine;
mod function;
mod generate;
mod input;
mod keep;
mod kept;
mod list;
mod machine;
mod planted;
mod reduce;
mod run;
mod shape;
mod tamper;
mod tree;
mod truth;

pub use kept::kept;
pub use planted::attack_planted;
pub use run::{Options, run};

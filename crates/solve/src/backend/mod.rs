//! Where an answer comes from that no layer has.

mod process;

pub use process::Program;

//! Where an answer comes from that no layer has.

mod pipe;
mod portfolio;
mod process;

pub use pipe::Pipe;
pub use portfolio::Portfolio;
pub use process::Program;

//! Guest programs, compiled for the architectures that `tests/guests/targets.toml` lists.

mod build;
mod target;

pub use build::{Built, build};
pub use target::{Target, targets};

//! Guest programs, compiled for the architectures that `tests/guests/targets.toml` lists.

mod build;
#[cfg(feature = "subjects")]
mod subject;
mod target;

pub use build::{Built, build};
#[cfg(feature = "subjects")]
pub use subject::Subject;
pub use target::{GuestTarget, targets, with_root};

//! External programs that checks need, listed in `tests/programs.toml`. A check without its programs is skipped, which
//! is printed and recorded; `cargo xtask skipped` prints the record.
//!
//! ```no_run
//! # use everypath_testkit::programs::installed;
//! # fn check() {
//! if !installed(&["sdcc", "s51"]) {
//!     return;
//! }
//! # }
//! ```

mod record;
mod required;

pub use record::{SkippedCheck, skipped};
pub use required::{NO_SKIP, RequiredProgram, installed, required};

//! A record turned into something to read or to feed to a tool.
//!
//! A [`Rerun`](everypath_record::Rerun), a test with all that its run needs, becomes a script for a simulator or a debugger
//! in one of the formats of [`ALL`].

mod format;

pub use format::{ALL, Format};

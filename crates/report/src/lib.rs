//! Export of recorded tests as scripts for other tools.
//!
//! A [`Rerun`](everypath_record::Rerun), a test with all that its run needs, becomes a script for a simulator or
//! debugger in one of the formats of [`ALL`].

mod format;

pub use format::{ALL, ReportFormat};

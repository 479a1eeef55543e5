//! The text form of layouts and blocks.

mod listing;
mod parse;
mod print;
mod scan;

pub use listing::Listing;
pub use print::Printer;
pub use scan::ParseError;

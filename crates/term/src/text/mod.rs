//! The text format of terms.

mod parse;
mod print;

pub use print::Text;

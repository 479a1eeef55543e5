//! The text form of terms.

mod parse;
mod print;

pub use print::Text;

//! Printing and parsing of terms as SMT-LIB 2.

mod float;
mod function;
mod operator;
mod print;
mod read;
mod sort;
mod tree;

pub use print::Inexpressible;
pub use read::{Declared, Script};

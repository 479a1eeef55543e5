//! Test data readers and runners shared by the checks of Everypath; nothing here is part of the product.
//!
//! - [`vectors`] is the reader of instruction vectors, the tables a person writes from a processor's data sheet.
//! - [`pcode_text`] is the one-line form in which two decoders' p-code is compared.
//! - [`guests`] compiles guest programs for the architectures that have a compiler.
//! - [`operators`] lists the operators with widths that exercise them.
//! - [`random`] is the seeded random number generator of the checks.
//! - [`machine`] runs IR blocks and, independently of them, raw p-code.
//! - [`vector_run`] runs instruction vectors on it.
//! - [`queries`] generates solver queries.
//! - [`programs`] says which external programs are missing, so that a check is skipped.
//! - [`reference_pages`] writes the reference pages of the guide.
//! - [`mod@reference`] drives `sleigh-reference`, the independent decoder in a child process.

pub mod guests;
#[cfg(feature = "processors")]
pub mod machine;
pub mod operators;
pub mod pcode_text;
pub mod programs;
pub mod queries;
pub mod random;
pub mod reference;
pub mod reference_pages;
#[cfg(feature = "processors")]
pub mod vector_run;

pub use everypath_vectors as vectors;

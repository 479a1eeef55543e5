//! Measurements of speed, each against something that others use.

mod decode;
mod interpret;
mod rates;

pub use decode::{Options, decode};
pub use interpret::interpret;

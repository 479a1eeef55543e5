//! Measurements of speed, each against something that others use.

mod decode;
mod rates;

pub use decode::{Options, decode};

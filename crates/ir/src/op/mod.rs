//! The pure operators: their list, width rules and semantics.

mod apply;
mod float;
mod integer;
mod rule;
mod sqrt;
mod table;

pub use apply::OpError;
pub use rule::WidthError;
pub use table::Op;

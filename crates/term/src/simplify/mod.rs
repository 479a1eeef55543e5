//! Rules that make a term simpler; each holds for all inputs.

mod search;

pub(crate) use search::simplified;

//! Directed search: targets of an exploration, how far each path has come on the way to them, distances, and the answers.

pub(crate) mod condition;
pub(crate) mod directed;
pub(crate) mod distance;
pub(crate) mod progress;
pub(crate) mod witness;

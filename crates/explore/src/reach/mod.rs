//! Directed search: targets of an exploration, the progress of each path towards them, distances, and the answers.

pub(crate) mod condition;
pub(crate) mod directed;
pub(crate) mod distance;
pub(crate) mod progress;
pub(crate) mod witness;

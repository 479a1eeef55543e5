//! The data of one execution path: its task, path condition, symbolic inputs, and the oracles that watch it.

pub(crate) mod ancestors;
pub(crate) mod ends;
pub(crate) mod initial;
pub(crate) mod inputs;
pub(crate) mod layout;
pub(crate) mod model;
pub(crate) mod oracles;
pub(crate) mod path_condition;
pub(crate) mod path_hash;
pub(crate) mod prefix;
pub(crate) mod roots;
pub(crate) mod subsumption;
pub(crate) mod task;
pub(crate) mod test_input;

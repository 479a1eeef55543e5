//! The execution of one path, block by block: each block extends the path condition and enqueues its alternatives.

pub(crate) mod alternatives;
pub(crate) mod concretise;
pub(crate) mod context;
pub(crate) mod decide;
pub(crate) mod indirect;
pub(crate) mod interrupts;
pub(crate) mod joins;
pub(crate) mod observe;
pub(crate) mod runner;

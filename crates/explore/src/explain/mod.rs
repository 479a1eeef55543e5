//! Tests explained: the code that a test executes, and the inputs on which its branches depend.

pub(crate) mod decisions;
pub(crate) mod executed;

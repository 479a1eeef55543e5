//! Checks of terms.

mod arrays;
mod collect;
mod deep;
mod expressions;
#[path = "../../../ir/tests/checks/random.rs"]
#[allow(dead_code, reason = "the checks of the generic machine code use more of it")]
mod random;
mod rules;
mod simplify;
mod smtlib;
mod text;

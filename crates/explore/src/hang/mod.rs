//! Proofs that a run never ends: a lasso, or a recurrent set (Gupta, Henzinger, Majumdar, Rybalchenko and Xu 2008).
//!
//! The question is asked at the head of a loop, about one concrete state: that of a path under its model. What the path has read
//! is fixed; all that the proof says is about this one input, so that it can be a test.
//!
//! - If an iteration leads back to the same state, and nothing was read, the machine, which is deterministic, repeats it for
//!   ever: a *lasso*.
//! - Otherwise the bytes that iterations change become variables, and one iteration is executed symbolically from there. Its
//!   transition relation is the conjunction of what its branches and addresses decided (the *guards*) and the new contents of
//!   each variable. A set of states is *recurrent* if the state is in it (initiation), each of its states satisfies the guards
//!   (exclusion of every other path) and an iteration leads from it into it (consecution). Then the loop is never left.
//!
//! The set is a conjunction of templates that hold in the state: bits, bounds, comparisons, constant sums and differences, and the
//! guards. Houdini (Flanagan and Leino 2001) removes those that an iteration does not preserve; what remains is the largest
//! inductive conjunction. Both last conditions are then one unsatisfiable query each.
//!
//! An iteration that reads input, that another agent may change, that traps, or whose behaviour the guards cannot state, proves
//! nothing. So does a solver that gives up.

pub(crate) mod attempts;
mod candidate;
pub(crate) mod endless;
pub(crate) mod iteration;
mod recurrent;
mod variables;

//! The solver stack: satisfiability queries over bit vectors and arrays, answered with a model, an unsat core, or a
//! reason for unknown.
//!
//! A [`SolverStack`] selects the layers above the backends; [`SolverStack::build`] makes a [`Solver`]. An unsat answer can be
//! turned into a checkable certificate ([`proof`]).

mod answer;
pub mod backend;
pub mod circuit;
mod layer;
mod limits;
pub mod proof;
mod query;
pub mod sat;
mod stack;
mod truth;

pub use answer::{Answer, UnknownReason};
pub use backend::{BitBlast, Pipe, Portfolio, SolverProgram};
pub use layer::{
    Adjust, Attempt, Attempting, Cache, Check, Constant, Enumerate, Guess, Invert, Linear, Log, Narrow,
    Polish, Relate, Slice,
};
pub use limits::{QueryDeadline, QueryLimits};
pub use query::{Query, Solver, Statistics};
pub use stack::SolverStack;

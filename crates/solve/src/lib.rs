//! The solver stack: satisfiability queries over bit vectors and arrays, answered with a model, an unsat core, or a
//! reason for unknown.
//!
//! A [`SolverStack`] selects the layers above the backends; [`SolverStack::build`] makes a [`Solver`]. An unsat answer can be
//! turned into a checkable certificate ([`proof`]).
//!
//! ```
//! use everypath_ir::{Op, Width};
//! use everypath_solve::{Answer, Query, QueryLimits, SolverStack};
//! use everypath_term::{Input, Terms};
//!
//! // Two bytes x < y with x * y = 143.
//! let mut terms = Terms::new();
//! let (x, y) = (terms.input(Input(0)), terms.input(Input(1)));
//! let [wide_x, wide_y] = [x, y].map(|byte| terms.apply(Op::Zext, Width::W16, &[byte]));
//! let product = terms.apply(Op::Mul, Width::W16, &[wide_x, wide_y]);
//! let wanted = terms.constant_u64(143, Width::W16);
//! let conditions = [terms.eq(product, wanted), terms.apply(Op::Ult, Width::W1, &[x, y])];
//!
//! let mut solver = SolverStack::default().build();
//! let query = Query { conditions: &conditions, known: None };
//! let answer = solver.check(&mut terms, query, &QueryLimits::default());
//! let Answer::Sat(model) = answer else { panic!("{answer:?}") };
//! assert!([(1, 143), (11, 13)].contains(&(model.get(Input(0)), model.get(Input(1)))));
//! ```

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

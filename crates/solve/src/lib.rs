//! A query in; a model, "none", or "unknown, because" out; a stack of one-file layers over a backend.
//!
//! A [`Stack`] says which layers stand above which backends; [`Stack::build`] makes a [`Solver`]. A "none" that is to be shown to
//! others becomes a certificate ([`proof`]).

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

pub use answer::{Answer, Reason};
pub use backend::{BitBlast, Pipe, Portfolio, Program};
pub use layer::{
    Adjust, Attempt, Attempting, Cache, Check, Constant, Enumerate, Guess, Invert, Linear, Log, Narrow,
    Polish, Relate, Slice,
};
pub use limits::{Limits, Until};
pub use query::{Query, Solver, Statistics};
pub use stack::Stack;

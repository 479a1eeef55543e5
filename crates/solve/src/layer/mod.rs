//! The layers of the solver stack: each answers the queries it can and passes the rest to the next one.

mod adjust;
mod attempt;
mod cache;
mod check;
mod constant;
mod enumerate;
mod guess;
mod invert;
mod linear;
mod log;
mod narrow;
mod polish;
mod relate;
mod slice;
mod sum;

pub use adjust::Adjust;
pub use attempt::{Attempt, Attempting};
pub use cache::Cache;
pub use check::Check;
pub use constant::Constant;
pub use enumerate::Enumerate;
pub use guess::Guess;
pub use invert::Invert;
pub use linear::Linear;
pub use log::Log;
pub use narrow::Narrow;
pub use polish::Polish;
pub use relate::Relate;
pub use slice::Slice;

use crate::{Solver, Statistics};

/// Appends the statistics of a layer and of those below it.
fn report(own: Statistics, below: &dyn Solver, list: &mut Vec<Statistics>) {
    list.push(own);
    below.statistics(list);
}

//! Values at every place of a program: a fixpoint over the one interpreter, function by function.
//!
//! In a function everything is relative to what was there when it was entered: a [`Value`] is a number, or a number added to
//! what a register or a cell of the stack held at the entry, a [`Symbol`]. What a function does to its caller's registers
//! and memory is thereby known once for all callers; regions of the stack come of themselves, as distances from the stack
//! pointer at the entry.
//!
//! Where the state is known in which the program starts, all of it is run from there first (`rooted`): then everything is
//! a number.

mod block;
mod by_space;
mod call;
mod cells;
mod circles;
mod claim;
mod components;
mod fixpoint;
mod function;
mod held;
mod interpret;
mod order;
mod program;
mod ranges;
mod refine;
mod rooted;
mod saturate;
mod start;
mod state;
mod symbol;
mod twice;

pub use claim::Claim;
pub use program::{Bounds, Trust, Values};
pub use rooted::Unsaid;
pub use start::Start;
pub use state::State;
pub use symbol::{Symbol, Value};

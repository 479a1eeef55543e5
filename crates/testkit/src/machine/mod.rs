//! A small, slow, plainly right machine for checks: it runs IR blocks, and independently of them raw p-code.
//!
//! [`run_block`] runs what the lifter makes of an instruction, [`run_pcode`] runs the instruction's p-code as it comes
//! from the decoder. They share the state, and the meaning of operators in [`everypath_ir::Op::apply`], and nothing
//! else: where the two end in different states, lifting has changed the meaning of the instruction.

mod block;
mod operator;
mod pcode;
mod state;

pub use block::{Leaving, run_block};
pub use pcode::{Flow, Next, PcodeError, run_pcode};
pub use state::{Difference, Event, State};

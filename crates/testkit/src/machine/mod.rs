//! Reference interpreters for checks, small and slow: one for IR blocks and, independently, one for raw p-code.
//!
//! [`run_block`] runs the lifted form of an instruction, [`run_pcode`] the instruction's p-code as the decoder yields
//! it. They share the state, and the operator semantics in [`everypath_ir::Op::apply`], and nothing else: if the two
//! end in different states, lifting has changed the semantics of the instruction.

mod block;
mod operator;
mod pcode;
mod state;

pub use block::{Leaving, run_block};
pub use pcode::{PcodeError, PcodeFlow, PcodeNext, run_pcode};
pub use state::{Difference, PcodeEvent, PcodeState};

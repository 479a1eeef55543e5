//! Bytes to decoded instructions and raw p-code, from a compiled SLEIGH specification, in safe Rust.
//!
//! SLEIGH is the processor description language of Ghidra. Its compiler turns a specification into a
//! `.sla` file: decision trees, constructors, and p-code templates. This crate reads that file and
//! decodes instructions with it. It knows nothing of any particular processor.
//!
//! What sets it apart from a wrapper around the C++ decoder:
//!
//! - the decoding context (ARM or Thumb, operand size, ...) is a plain value: it goes in with the bytes,
//!   and what an instruction commits for other addresses comes out as a list;
//! - a [`Specification`] is immutable, `Send + Sync`, and shared by all threads; a [`Decoder`] is the
//!   scratch memory of one thread;
//! - bytes that are no instruction give a [`BadInstruction`]: a value that says why. There is no input, be
//!   it bytes or a damaged `.sla` file, that makes it panic, write out of bounds or allocate without limit.
//!
//! ```no_run
//! use everypath_sleigh::Specification;
//!
//! let file = std::fs::read("x86-64.sla")?;
//! let specification = Specification::from_sla(&file)?;
//! let mut context = specification.default_context();
//! specification.set_context_field(&mut context, "longMode", 1)?;
//!
//! let mut decoder = specification.decoder();
//! match decoder.decode(&[0x48, 0x89, 0xd8], 0x1000, context) {
//!     Ok(instruction) => {
//!         println!("{} bytes: {}", instruction.length(), instruction.text());
//!         for operation in instruction.operations() {
//!             println!("  {}", operation.display(&specification));
//!         }
//!     }
//!     Err(bad) => println!("no instruction: {bad}"),
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bad;
mod context;
mod decision;
mod decoder;
mod emit;
mod expression;
mod field;
mod handle;
mod packed;
mod parse;
mod pcode;
mod print;
mod read;
mod space;
mod specification;
mod table;
mod template;

pub use bad::{BadInstruction, LoadError};
pub use context::{Commit, Context, ContextField};
pub use decoder::{Decoder, Instruction};
pub use pcode::{Opcode, Operation, Varnode};
pub use space::{Space, SpaceId, SpaceKind};
pub use specification::{Register, Specification};

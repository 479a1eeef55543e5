//! An instruction decoder in safe Rust that yields raw p-code from compiled SLEIGH specifications.
//!
//! SLEIGH is the processor description language of Ghidra. Its compiler translates a specification to a `.sla` file:
//! decision trees, constructors, and p-code templates. This crate reads that file and decodes instructions with it. It
//! has no code for any particular processor.
//!
//! It differs from a wrapper around the C++ decoder:
//!
//! - the decoding context (ARM or Thumb, operand size, ...) is a plain value, an input like the bytes, and the context
//!   changes that an instruction commits for other addresses are a list in its result;
//! - a [`Specification`] is immutable, `Send + Sync`, and shared by all threads; a [`Decoder`] is the scratch memory of
//!   one thread;
//! - bytes that are not an instruction give a [`BadInstruction`] with the reason. No input, neither bytes nor a damaged
//!   `.sla` file, makes it panic, write out of bounds or allocate without limit.
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
pub use context::{Commit, ContextField, DecodingContext};
pub use decoder::{Decoder, Instruction};
pub use pcode::{Opcode, Operation, Varnode};
pub use space::{SpecificationSpace, SpecificationSpaceId, SpecificationSpaceKind};
pub use specification::{Register, Specification};

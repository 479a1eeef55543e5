//! Instruction vectors: tables that a person writes from a processor's data sheet.
//!
//! ```text
//! # ADD: data sheet, table 7
//! given A=00 PSW=00 SP=07            # state of all vectors that follow, until the next `given`
//! at 0100                            # address of the instructions that follow (default 0), and fields of the context
//! # text          | bytes | before        | after
//! ADD A,#0x10     | 24 10 | A=f8          | A=08 PSW=81
//! MOV R0,A        | f8    | A=5a PSW=08   | INTMEM[08]=5a
//! SJMP 0x0100     | 80 fe |               | PC=0100
//! ```
//!
//! All numbers are hexadecimal without prefix. A first column that begins with `~` is not compared with the
//! disassembly. An assignment is `REGISTER=value` or `SPACE[address]=bytes`, the bytes as pairs of digits
//! without blanks. Whatever `given` and `before` do not name is zero; whatever `after` does not name must
//! be unchanged, and the program counter must go to the next instruction. Values in `after` may have `?`
//! digits where the data sheet leaves the result undefined. The word `bad` as the whole of `after` says that the
//! bytes must not decode.
//!
//! `#` starts a comment at the beginning of a line, in `given` and `at` lines, and after the first `|` of a
//! vector; in the text column it belongs to the instruction.
//!
//! ```
//! let table = "at 0100\nADD A,#0x10 | 24 10 | A=f8 | A=08 PSW=8?";
//! let vectors = everypath_vectors::parse("add.vec", table)?;
//! assert_eq!(vectors[0].text.as_deref(), Some("ADD A,#0x10"));
//! assert_eq!((vectors[0].address, vectors[0].bytes.as_slice()), (0x100, &[0x24, 0x10][..]));
//! assert!(vectors[0].after[1].value.matches_number(&[0x85]));
//! # Ok::<(), everypath_vectors::VectorError>(())
//! ```

mod error;
mod parse;
mod pattern;
mod read;
mod vector;

pub use error::VectorError;
pub use parse::parse;
pub use pattern::Pattern;
pub use read::{read_file, read_folder};
pub use vector::{Assignment, Vector, VectorTarget};

//! An executable file as mapped memory, symbols, source lines and entry points.
//!
//! ELF, Intel HEX, Motorola S-records and raw binaries all become one [`Image`]. The crate knows file formats and no
//! processor: for ELF it exposes the machine number ([`FileMachine`]), which its users interpret.
//!
//! A damaged file is read in part, with a [`Warning`] for each unreadable part. Reading never panics, and its memory
//! and time are bounded by the size of the file, whatever sizes the file claims.
//!
//! ```
//! use everypath_image::{Image, ReadOptions};
//!
//! let hex = ":0400000012345678E8\n:0400000500000002F5\n:00000001FF\n";
//! let image = Image::read(hex.as_bytes().to_vec(), &ReadOptions::default())?;
//! assert_eq!(image.format().name, "ihex");
//! assert_eq!(image.bytes_at(1, 2).as_deref(), Some(&[0x34, 0x56][..]));
//! assert_eq!(image.entries()[0].address, 2);
//! # Ok::<(), everypath_image::ReadError>(())
//! ```

mod attributes;
mod contents;
mod describe;
mod dwarf;
mod entry;
mod error;
pub mod format;
mod host;
mod image;
mod layout;
mod lines;
mod machine;
mod names;
mod options;
mod records;
mod relocation;
mod section;
mod segment;
mod symbol;
mod unwind;
mod warning;

pub use attributes::Attribute;
pub use entry::{Entry, EntryReason};
pub use error::ReadError;
pub use everypath_ir::Endian;
pub use format::ImageFormat;
pub use host::{Host, ProgramHeaders};
pub use image::Image;
pub use lines::{LineRange, LineTable, SourceLine};
pub use machine::{Class, FileKind, FileMachine};
pub use options::ReadOptions;
pub use relocation::{Relocation, RelocationSymbol};
pub use section::Section;
pub use segment::{Segment, SegmentPermissions};
pub use symbol::{Binding, Mapping, Symbol, SymbolKind};
pub use warning::{FilePosition, Warning};

//! The lifter from raw p-code to IR blocks, and everything that is specific to one processor architecture, as data.
//!
//! An [`Architecture`] is a SLEIGH specification and one TOML file; [`Library`] finds the built-in ones and those in a
//! user's folder. A [`Lifter`] lifts machine code to [`Block`](everypath_ir::Block)s; a [`LiftedRegion`] holds the
//! blocks that are reachable from some entry points by direct jumps; a [`BlockCache`] shares lifted blocks between
//! threads.
//!
//! ```
//! use everypath_ir::Place;
//! use everypath_lift::{CodeBytes, Library, Lifter};
//!
//! let library = Library::built_in();
//! let architecture = library.load("x86-64")?;
//! let lifter = Lifter::new(architecture);
//! let code = CodeBytes { address: 0x1000, bytes: &[0x48, 0x01, 0xd8, 0xc3] }; // add rax,rbx; ret
//! let start = Place::new(0x1000, lifter.architecture().default_context());
//! let block = lifter.session().block(&code, start)?;
//! assert_eq!(block.end, 0x1004);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod architecture;
mod cache;
mod code;
mod code_map;
mod layout;
mod lifter;
mod linear;
mod region;
mod translate;
mod unread;

pub use architecture::{
    Architecture, ArchitectureError, CallConvention, Conformance, ConformanceRun, Description, Enable,
    EnableBits, Export, FloatMode, InterruptLines, Interrupts, Library, LineBits, LinuxInterface,
    MemoryRange, Mode, ModeSource, NarrowArguments, PeripheralReads, ProcessAddresses, PushedAddress,
    RegisterCondition, Relocations, ResetEntry, SleighCompiler, StatusLayout, ThreadPointer, UserOperation,
    VectorTable, Vectors, compile_sleigh,
};
pub use cache::BlockCache;
pub use code::{Code, CodeBytes};
pub use code_map::{CodeMap, CodeStart, Mark};
pub use layout::SpaceMap;
pub use lifter::{LiftSession, Lifter, Options};
pub use linear::{Item, ItemKind, LinearSweep, Stretch};
pub use region::LiftedRegion;
pub use translate::{NotLifted, Unsupported};

//! Export of recorded tests as scripts for other tools.
//!
//! A [`Rerun`](everypath_record::Rerun), a test with all that its run needs, becomes a script for a simulator or
//! debugger in one of the formats of [`ALL`].
//!
//! ```
//! use everypath_record::{Address, Expected, Rerun};
//! use everypath_report::ReportFormat;
//!
//! let rerun = Rerun {
//!     test: "0001".to_owned(),
//!     program: "firmware.elf".to_owned(),
//!     start: Vec::new(),
//!     program_counter: None,
//!     entry: Address(0x100),
//!     registers: vec![("sp".to_owned(), 0x2000)],
//!     memory: Vec::new(),
//!     readings: Vec::new(),
//!     instructions: vec![Address(0x100), Address(0x104)],
//!     end: Address(0x108),
//!     expected: vec![Expected { after: 2, at: Address(0x108) }],
//! };
//! let format = ReportFormat::by_name("gdb").expect("a format");
//! let script = (format.script)(&rerun);
//! assert!(script.contains("set $sp = 0x2000\nset $pc = 0x100\neverypath_steps 2\neverypath_expect 0x108"));
//! // The debugger prints each address, which can be compared with the recorded ones.
//! assert_eq!((format.addresses)("at 0x100\nat 0x104\nat 0x108\n"), [0x100, 0x104, 0x108]);
//! ```

mod format;

pub use format::{ALL, ReportFormat};

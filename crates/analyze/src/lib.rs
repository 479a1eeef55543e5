//! Static binary analysis: control-flow recovery and value-set analysis, without running the program.
//!
//! A [`Program`] is an image with its architecture. [`Graph::recover`] builds its control-flow [`Graph`] by
//! recursive-traversal disassembly and resolves indirect jumps along the paths that lead to them. [`ValueSets`] is a
//! value-set analysis: the values that registers and memory can hold before each basic block. [`Graph::take_values`]
//! uses it to resolve indirect exits; [`Graph::learn`] adds edges that runs and solvers find.
//!
//! ```
//! use everypath_analyze::{Graph, Program, Settings};
//! use everypath_image::{Image, ImageFormat, ReadOptions};
//! use everypath_lift::Library;
//!
//! // The absolute value: test edi,edi; jns 1f; neg edi; 1: mov eax,edi; ret
//! let code = [0x85, 0xff, 0x79, 0x02, 0xf7, 0xdf, 0x89, 0xf8, 0xc3];
//! let format = ImageFormat::by_name("raw");
//! let options = ReadOptions { format, base: Some(0x1000), entry: Some(0x1000), ..ReadOptions::default() };
//! let image = Image::read(code, &options)?;
//! let program = Program::new(Library::built_in().load("x86-64")?, &image).ok_or("no code space")?;
//! let graph = Graph::recover(&program, Settings::default());
//! let start = |id| graph.block(id).place.address;
//! let mut edges: Vec<_> = graph.edges().map(|edge| (start(edge.from), start(edge.to))).collect();
//! edges.sort_unstable();
//! assert_eq!(edges, [(0x1000, 0x1004), (0x1000, 0x1006), (0x1004, 0x1006)]);
//! assert_eq!(graph.functions().len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `tests/together.rs` shows them together.

mod domain;
mod export;
mod graph;
mod program;
mod recover;
mod relocated;
mod table;
mod value;

pub use domain::{Constants, Number, StridedInterval};
pub use export::{dot, drcov, ghidra};
pub use graph::{
    BlockId, Dominators, Edge, EdgeKind, EdgeOrigin, Evidence, Flow, Function, FunctionId, Graph, Import,
    IndirectExit, Loop, Node, Resolution, ResolutionEvidence, UnresolvedReason, loops,
};
pub use program::Program;
pub use recover::{GraphLimits, ObservedTarget, Settings};
pub use value::{
    AbortReason, AbstractState, AnalysisOptions, Claim, EntryState, EntrySymbol, Trust, Value, ValueSets,
};

//! Static binary analysis: control-flow recovery and value-set analysis, without running the program.
//!
//! A [`Program`] is an image with its architecture. [`Graph::recover`] builds its control-flow [`Graph`] by
//! recursive-traversal disassembly and resolves indirect jumps along the paths that lead to them. [`ValueSets`] is a
//! value-set analysis: the values that registers and memory can hold before each basic block. [`Graph::take_values`]
//! uses it to resolve indirect exits; [`Graph::learn`] adds edges that runs and solvers find.
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

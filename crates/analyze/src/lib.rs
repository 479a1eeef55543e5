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
mod relocated;
mod table;
mod value;

pub use domain::{Constants, Number, StridedInterval};
pub use export::{dot, drcov, ghidra};
pub use graph::{
    BlockId, Dominators, Edge, EdgeKind, EdgeOrigin, Evidence, Flow, Function, FunctionId, Graph,
    GraphLimits, Import, IndirectExit, Loop, Node, ObservedTarget, Resolution, ResolutionEvidence, Settings,
    UnresolvedReason, loops,
};
pub use program::Program;
pub use value::{
    AbortReason, AbstractState, AnalysisOptions, Claim, EntryState, EntrySymbol, Trust, Value, ValueSets,
};

impl Graph {
    /// Recovers the control-flow graph of a program.
    pub fn recover(program: &Program<'_>, settings: Settings) -> Graph {
        graph::Builder::new(program, settings).build()
    }
}

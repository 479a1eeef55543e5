//! The static side: what can be said of a program without running it.
//!
//! A [`Program`] is a file with its architecture. Its [`Graph`] is recovered by following what instructions name
//! ([`Graph::recover`]) and what the ways to computed jumps say of their targets. [`Values`] are what registers and memory
//! can hold at each block; [`Graph::take_values`] makes of them what is known of computed exits, and [`Graph::learn`] takes in
//! what runs and solvers find.
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
    BlockId, Dominators, Doubt, Dynamic, Edge, EdgeKind, Evidence, Finding, Flow, Function, FunctionId,
    Graph, Import, Limits, Loop, Node, Origin, Reason, Saturation, Settings, loops,
};
pub use program::Program;
pub use value::{Bounds, Claim, Start, State, Symbol, Trust, Unsaid, Value, Values};

impl Graph {
    /// Recovers the graph of a program.
    pub fn recover(program: &Program<'_>, settings: Settings) -> Graph {
        graph::Builder::new(program, settings).build()
    }
}

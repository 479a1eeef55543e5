//! Value-set analysis (Balakrishnan & Reps 2004): an abstract interpretation of the program over the shared IR
//! interpreter.
//!
//! The default is modular: function summaries, computed bottom-up over the call graph (`fixpoint`). A [`Value`] is a
//! set of numbers, or such a set added to an [`EntrySymbol`]: what a register or a stack cell held at the function entry. A
//! summary in terms of symbols holds for every caller, and stack slots are offsets from the stack pointer at the entry.
//!
//! If the program's initial state is known, a context-sensitive analysis from there comes first (`context_sensitive`), in which
//! all values are absolute.

mod block;
mod by_region;
mod call;
mod call_graph;
mod cells;
mod claim;
mod context_sensitive;
mod fixpoint;
mod function;
mod havoc;
mod interpret;
mod join;
mod options;
mod program;
mod ranges;
mod refine;
mod region;
mod resolve_exits;
mod slot_aliases;
mod start;
mod state;
mod summary;
mod symbol;
mod tarjan;
mod twice;
mod weak_topological_order;

pub use claim::Claim;
pub use context_sensitive::AbortReason;
pub use options::{AnalysisOptions, Trust};
pub use program::ValueSets;
pub use start::EntryState;
pub use state::AbstractState;
pub use symbol::{EntrySymbol, Value};

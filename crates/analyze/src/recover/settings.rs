//! Options and limits of control-flow recovery.

use everypath_ir::Place;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Limits of graph recovery.
#[derive(Clone, Copy, Debug)]
pub struct GraphLimits {
    /// Maximum number of blocks in the graph.
    pub blocks: usize,
    /// Maximum number of targets of one indirect jump.
    pub targets: usize,
}

impl Default for GraphLimits {
    fn default() -> Self {
        Self { blocks: 4_000_000, targets: 1 << 12 }
    }
}

/// Options of graph recovery: where to look for functions.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Entry points besides those of the file.
    pub entries: Vec<Place>,
    /// Use the entry points that the file states.
    pub file_entries: bool,
    /// Use function symbols.
    pub symbols: bool,
    /// Use the unwind tables.
    pub unwind: bool,
    /// Use code addresses that code or data hold.
    pub pointers: bool,
    /// The limits.
    pub limits: GraphLimits,
    /// Setting it ends recovery early; the graph so far is usable but incomplete.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            file_entries: true,
            symbols: false,
            unwind: true,
            pointers: true,
            limits: GraphLimits::default(),
            stop: None,
        }
    }
}

//! What a graph is made of: blocks, edges, exits whose target is computed, functions.

use everypath_ir::{Context, ExitKind, Place};
use std::fmt;
use std::sync::Arc;

/// The number of a block in its graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BlockId(pub u32);

/// The number of a function in its graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FunctionId(pub u32);

impl BlockId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl FunctionId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// How a graph came to know something. The first is the surest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Origin {
    /// An instruction names the target.
    Decoded,
    /// A run went there.
    Executed,
    /// A solver found input that goes there.
    Solved,
    /// An analysis without a run says that it may go there.
    Static,
}

impl Origin {
    /// Every origin.
    pub const ALL: [Origin; 4] = [Origin::Decoded, Origin::Executed, Origin::Solved, Origin::Static];

    /// The word for it in output.
    pub const fn name(self) -> &'static str {
        match self {
            Origin::Decoded => "decoded",
            Origin::Executed => "executed",
            Origin::Solved => "solved",
            Origin::Static => "static",
        }
    }
}

/// What an edge does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EdgeKind {
    /// Goes on with what follows.
    Fall,
    /// Jumps inside a function.
    Jump,
    /// Calls: leads to the first block of a function. What it returns to is another edge, a [`EdgeKind::Resume`].
    Call,
    /// From a block that calls to where the called function returns to.
    Resume,
    /// From a block that calls to the landing pad where an exception goes on that the call lets pass.
    Unwind,
    /// Jumps to the first block of another function, which returns to this one's caller.
    TailCall,
}

impl EdgeKind {
    /// The word for it in output.
    pub const fn name(self) -> &'static str {
        match self {
            EdgeKind::Fall => "fall",
            EdgeKind::Jump => "jump",
            EdgeKind::Call => "call",
            EdgeKind::Resume => "resume",
            EdgeKind::Unwind => "unwind",
            EdgeKind::TailCall => "tail-call",
        }
    }

    /// Whether both ends are in one function.
    pub const fn is_inside(self) -> bool {
        matches!(self, EdgeKind::Fall | EdgeKind::Jump) || self.is_behind_call()
    }

    /// Whether it leads to where its own function goes on after a call.
    pub const fn is_behind_call(self) -> bool {
        matches!(self, EdgeKind::Resume | EdgeKind::Unwind)
    }
}

/// One way from a block to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Where it starts.
    pub from: BlockId,
    /// Where it leads to.
    pub to: BlockId,
    /// What it does.
    pub kind: EdgeKind,
    /// How it is known.
    pub origin: Origin,
    /// Which exit of the block this is.
    pub exit: u8,
    /// The next edge from the same block, and the next to the same block.
    pub(crate) next: [u32; 2],
}

/// No edge, no function.
pub(crate) const NONE: u32 = u32::MAX;

/// A block of the graph: where it lies, but not what it does.
#[derive(Clone, Debug)]
pub struct Node {
    /// Where it starts.
    pub place: Place,
    /// The address after its last instruction.
    pub end: u64,
    /// Whether its instructions are known: if not, [`super::Graph::hole`] says why.
    pub decoded: bool,
    /// Where the lengths of its instructions are, and how many they are.
    pub(crate) lengths: (u32, u32),
    pub(crate) function: u32,
    /// The first edge from it, and the first to it.
    pub(crate) first: [u32; 2],
    /// Whether a return of its function can be reached from it, as far as is known.
    pub(crate) returns: bool,
    /// By how much it raises the stack pointer, if that is known.
    pub(crate) rise: Option<i32>,
}

/// An exit whose target is computed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dynamic {
    /// The block.
    pub block: BlockId,
    /// Which exit of the block.
    pub exit: u8,
    /// What it does.
    pub kind: ExitKind,
    /// The context that flows to the target.
    pub context: Context,
    /// What is known of its targets.
    pub state: Saturation,
    /// The function of another file that it leads to.
    pub import: Option<Import>,
}

/// A function that another file defines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Import {
    /// The name of its symbol.
    pub name: Arc<str>,
    /// Whether it returns to its caller: all do but those that are known by name not to.
    pub returns: bool,
}

/// Whether all targets of a computed exit are known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Saturation {
    /// No other target is possible; with the reason.
    Saturated(Reason),
    /// There may be others; with the reason why nothing better is known.
    Unsaturated(Doubt),
}

impl Saturation {
    /// Whether all targets are known.
    pub fn is_saturated(&self) -> bool {
        matches!(self, Saturation::Saturated(_))
    }
}

/// Why no other target is possible.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reason {
    /// Every way to the jump bounds what it is computed from, and the table lies in memory that never changes.
    Table,
    /// The value analysis, which assumes nothing of calling conventions, allows no other target.
    Values,
    /// The function returns to what its callers left as return address, and all callers are known.
    Callers,
    /// A complete exploration went nowhere else.
    Explored,
}

/// Why nothing better is known of a computed exit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Doubt {
    /// Nothing was asked yet.
    NotAnalysed,
    /// On some way to the jump nothing bounds its target.
    Unbounded,
    /// The target is read from memory that the program may write.
    Writable,
    /// The ways to the jump were too many, or too long.
    TooManyWays,
    /// What bounds the target holds only if functions keep to their calling convention.
    Convention,
    /// The target is a function of another file.
    Imported,
    /// The target lies where the file has nothing: in another file, or in what the operating system provides.
    Outside,
    /// Not all callers of the function are known.
    UnknownCallers,
    /// The analysis was stopped by its bound.
    Bound,
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Reason::Table => "every way to it bounds it, and its table never changes",
            Reason::Values => "the values allow no other target",
            Reason::Callers => "it returns to its callers, which are known",
            Reason::Explored => "a complete exploration went nowhere else",
        })
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Doubt::NotAnalysed => "it was not analysed",
            Doubt::Unbounded => "nothing bounds its target",
            Doubt::Writable => "its target is read from memory that the program may write",
            Doubt::TooManyWays => "too many ways lead to it",
            Doubt::Convention => "it is bounded only if functions keep to the calling convention",
            Doubt::Imported => "it leads to a function of another file",
            Doubt::Outside => "it leads to an address that the file has nothing at",
            Doubt::UnknownCallers => "not all callers of its function are known",
            Doubt::Bound => "the analysis was stopped by its bound",
        })
    }
}

/// Why an address is thought to be the first of a function. The first is the surest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Evidence {
    /// Execution begins there.
    Entry,
    /// A decoded call leads there.
    Called,
    /// The tables for unwinding the stack say that a function begins there.
    Unwind,
    /// A relocation has it called when the program is loaded.
    Relocation,
    /// A symbol says so.
    Symbol,
    /// A jump from another function leads there, across the beginning of a third.
    TailCalled,
    /// Code computes with its address.
    Pointer,
    /// Data holds its address.
    DataPointer,
}

impl Evidence {
    /// The word for it in output.
    pub const fn name(self) -> &'static str {
        match self {
            Evidence::Entry => "entry",
            Evidence::Called => "called",
            Evidence::Unwind => "unwind",
            Evidence::Relocation => "relocation",
            Evidence::Symbol => "symbol",
            Evidence::TailCalled => "tail-called",
            Evidence::Pointer => "pointer",
            Evidence::DataPointer => "data-pointer",
        }
    }
}

/// A function: an entry and the blocks that it reaches without calls.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its first block.
    pub entry: BlockId,
    /// Why it is thought to be one.
    pub evidence: Evidence,
    /// Its blocks, by number; the entry first.
    pub blocks: Vec<BlockId>,
    /// Whether it can return, as far as is known.
    pub returns: bool,
}

//! The elements of a control-flow graph: basic blocks, edges, indirect exits, functions.

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

/// How an edge became known, most certain first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EdgeOrigin {
    /// An instruction names the target.
    Decoded,
    /// An execution took it.
    Executed,
    /// Static analysis finds it possible.
    Static,
}

impl EdgeOrigin {
    /// Every origin.
    pub const ALL: [EdgeOrigin; 3] = [EdgeOrigin::Decoded, EdgeOrigin::Executed, EdgeOrigin::Static];

    /// Its name in output.
    pub const fn name(self) -> &'static str {
        match self {
            EdgeOrigin::Decoded => "decoded",
            EdgeOrigin::Executed => "executed",
            EdgeOrigin::Static => "static",
        }
    }
}

/// The kind of an edge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EdgeKind {
    /// Fall-through.
    Fall,
    /// A jump inside a function.
    Jump,
    /// A call: leads to the entry block of a function. The return is a separate edge, [`EdgeKind::CallFallThrough`].
    Call,
    /// Call fall-through: from a calling block to where the callee returns.
    CallFallThrough,
    /// From a calling block to the landing pad of exceptions that pass the call.
    Unwind,
    /// A tail call: jumps to the entry block of another function, which returns to this one's caller.
    TailCall,
}

impl EdgeKind {
    /// Its name in output.
    pub const fn name(self) -> &'static str {
        match self {
            EdgeKind::Fall => "fall",
            EdgeKind::Jump => "jump",
            EdgeKind::Call => "call",
            EdgeKind::CallFallThrough => "call-fall-through",
            EdgeKind::Unwind => "unwind",
            EdgeKind::TailCall => "tail-call",
        }
    }

    /// Returns true for intraprocedural edges.
    pub const fn is_inside(self) -> bool {
        matches!(self, EdgeKind::Fall | EdgeKind::Jump) || self.is_call_continuation()
    }

    /// Returns true if the edge leads from a call to where its function continues: call fall-through or landing pad.
    pub const fn is_call_continuation(self) -> bool {
        matches!(self, EdgeKind::CallFallThrough | EdgeKind::Unwind)
    }
}

/// An edge between two blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The source.
    pub from: BlockId,
    /// The target.
    pub to: BlockId,
    /// Its kind.
    pub kind: EdgeKind,
    /// How it became known.
    pub origin: EdgeOrigin,
    /// The index of the source block's exit.
    pub exit: u8,
    /// The next edge of the same source, and the next of the same target.
    pub(crate) next: [u32; 2],
}

/// Null index: no edge, no function.
pub(crate) const NONE: u32 = u32::MAX;

/// A basic block of the graph: its extent, without its semantics.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its start.
    pub place: Place,
    /// The address after its last instruction.
    pub end: u64,
    /// True if its instructions are known; otherwise [`super::Graph::hole`] gives the reason.
    pub decoded: bool,
    /// The range of its instruction lengths: first index and count.
    pub(crate) lengths: (u32, u32),
    pub(crate) function: u32,
    /// The heads of its lists of outgoing and incoming edges.
    pub(crate) first: [u32; 2],
    /// True if it is known to reach a return of its function.
    pub(crate) returns: bool,
    /// The stack delta of the block, if constant.
    pub(crate) stack_delta: Option<i32>,
}

/// An indirect exit: a jump, call or return with a computed target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IndirectExit {
    /// The block.
    pub block: BlockId,
    /// The index of the block's exit.
    pub exit: u8,
    /// Its kind.
    pub kind: ExitKind,
    /// The decoding context that flows to the target.
    pub context: Context,
    /// Whether its targets are resolved.
    pub state: Resolution,
    /// The imported function that it leads to.
    pub import: Option<Import>,
}

/// An imported function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Import {
    /// The name of its symbol.
    pub name: Arc<str>,
    /// True unless its name is that of a function known never to return.
    pub returns: bool,
}

/// Whether an indirect exit is fully resolved (*saturated*, in the word of OSMOSE).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Resolution {
    /// Fully resolved: no other target is possible, for this reason.
    Resolved(ResolutionEvidence),
    /// There may be other targets, for this reason.
    Unresolved(UnresolvedReason),
}

impl Resolution {
    /// Returns true if the exit is fully resolved.
    pub fn is_resolved(&self) -> bool {
        matches!(self, Resolution::Resolved(_))
    }
}

/// Why an indirect exit is fully resolved.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ResolutionEvidence {
    /// Every path to the jump bounds its index, and the jump table never changes.
    Table,
    /// The jump's own block bounds its index, and the jump table never changes.
    Block,
    /// The value-set analysis, without assuming calling conventions, allows no other target.
    Values,
    /// The function returns to the address that its callers passed, and all callers are known.
    Callers,
}

/// Why an indirect exit is unresolved.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnresolvedReason {
    /// It has not been analysed yet.
    NotAnalysed,
    /// On some path to the jump, nothing bounds its target.
    Unbounded,
    /// The target is read from memory that the program may write.
    Writable,
    /// Too many paths lead to the jump, or they are too long.
    TooManyPaths,
    /// The bound on the target assumes that functions keep to the calling convention.
    Convention,
    /// The target is an imported function.
    Imported,
    /// The target is outside the file: in another file or in the operating system.
    Outside,
    /// Not all callers of the function are known.
    UnknownCallers,
    /// Its function has another unresolved jump, or instructions that are not known, which may lead past what bounds its target.
    OpenFunction,
    /// The analysis hit a bound.
    Bound,
}

impl ResolutionEvidence {
    /// Every reason.
    pub const ALL: [ResolutionEvidence; 4] = [
        ResolutionEvidence::Table,
        ResolutionEvidence::Block,
        ResolutionEvidence::Values,
        ResolutionEvidence::Callers,
    ];
}

impl UnresolvedReason {
    /// Every reason.
    pub const ALL: [UnresolvedReason; 10] = [
        UnresolvedReason::NotAnalysed,
        UnresolvedReason::Unbounded,
        UnresolvedReason::Writable,
        UnresolvedReason::TooManyPaths,
        UnresolvedReason::Convention,
        UnresolvedReason::Imported,
        UnresolvedReason::Outside,
        UnresolvedReason::UnknownCallers,
        UnresolvedReason::OpenFunction,
        UnresolvedReason::Bound,
    ];
}

impl fmt::Display for ResolutionEvidence {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            ResolutionEvidence::Table => "every path to it bounds the index, and its table never changes",
            ResolutionEvidence::Block => "its own block bounds the index, and its table never changes",
            ResolutionEvidence::Values => "the values allow no other target",
            ResolutionEvidence::Callers => "it returns to its callers, which are known",
        })
    }
}

impl fmt::Display for UnresolvedReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            UnresolvedReason::NotAnalysed => "it was not analysed",
            UnresolvedReason::Unbounded => "nothing bounds its target",
            UnresolvedReason::Writable => "its target is read from memory that the program may write",
            UnresolvedReason::TooManyPaths => "too many paths lead to it",
            UnresolvedReason::Convention => "it is bounded only if functions keep to the calling convention",
            UnresolvedReason::Imported => "it leads to a function of another file",
            UnresolvedReason::Outside => "it leads to an address that the file has nothing at",
            UnresolvedReason::UnknownCallers => "not all callers of its function are known",
            UnresolvedReason::OpenFunction => {
                "an unresolved jump or an unknown instruction of its function may bypass what bounds it"
            }
            UnresolvedReason::Bound => "the analysis was stopped by its bound",
        })
    }
}

/// The evidence for a function entry, most certain first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Evidence {
    /// It is an entry point.
    Entry,
    /// A call leads there.
    Called,
    /// The unwind tables list a function there.
    Unwind,
    /// A relocation makes it a resolver function, which is called when the program is loaded.
    Relocation,
    /// A symbol names it.
    Symbol,
    /// A tail call from another function leads there, across the entry of a third.
    TailCalled,
    /// Code computes its address.
    Pointer,
    /// Data holds its address.
    DataPointer,
}

impl Evidence {
    /// Its name in output.
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

/// A function: an entry and the blocks that it reaches without following calls.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its entry block.
    pub entry: BlockId,
    /// The evidence for it.
    pub evidence: Evidence,
    /// Its blocks, the entry first.
    pub blocks: Vec<BlockId>,
    /// True if it is known to reach a return.
    pub returns: bool,
}

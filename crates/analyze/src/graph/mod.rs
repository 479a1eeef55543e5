//! The control-flow graph as data: blocks, edges, indirect exits, functions, the shape of one function; and the IR of a block.

mod assumptions;
mod distance;
mod flow;
mod lift;
mod node;
mod order;
mod reachability;
#[cfg(test)]
mod sample;
mod whole;

pub use flow::{Dominators, Flow, Loop, loops};
pub(crate) use node::NONE;
pub use node::{
    BlockId, Edge, EdgeKind, EdgeOrigin, Evidence, Function, FunctionId, Import, IndirectExit, Node,
    Resolution, ResolutionEvidence, UnresolvedReason,
};
pub use whole::Graph;

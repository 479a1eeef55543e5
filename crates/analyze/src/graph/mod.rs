//! The control-flow graph of a whole program, recovered from its entry points.

mod assumptions;
mod build;
mod constants;
mod entries;
mod flow;
mod forget;
mod functions;
mod imports;
mod learn;
mod node;
mod stack;
mod whole;

pub(crate) use build::Builder;
pub use build::{GraphLimits, Settings};
pub use flow::{Dominators, Flow, Loop, loops};
pub use learn::ObservedTarget;
pub use node::{
    BlockId, Edge, EdgeKind, EdgeOrigin, Evidence, Function, FunctionId, Import, IndirectExit, Node,
    Resolution, ResolutionEvidence, UnresolvedReason,
};
pub use whole::Graph;

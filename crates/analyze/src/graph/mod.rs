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
pub use build::{Limits, Settings};
pub use flow::{Dominators, Flow, Loop, loops};
pub use learn::Finding;
pub use node::{
    BlockId, Doubt, Dynamic, Edge, EdgeKind, Evidence, Function, FunctionId, Import, Node, Origin, Reason,
    Saturation,
};
pub use whole::Graph;

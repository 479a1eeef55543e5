//! Strongly connected components of the call graph (Tarjan 1972), callees first.

use super::tarjan::Tarjan;
use super::weak_topological_order::callees;
use crate::graph::{FunctionId, Graph};

/// The strongly connected components of the call graph (sets of mutually recursive functions) in reverse topological
/// order: callees before callers. Inside a component, callees come first as far as possible.
pub(super) fn call_graph_sccs(graph: &Graph) -> Vec<Vec<FunctionId>> {
    let callees = callees(graph);
    let all: Vec<u32> = (0..callees.len() as u32).collect();
    let components = Tarjan::new(&callees).components(0, &all).into_iter();
    components.map(|component| component.into_iter().map(FunctionId).collect()).collect()
}

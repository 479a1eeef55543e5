//! Functions that call each other in a circle.

use super::components::Search;
use super::order::callees;
use crate::graph::{FunctionId, Graph};

/// The functions, those that call each other together, each after all others that it calls. Inside a circle, too, what is
/// called comes first as far as that is possible.
pub(super) fn circles(graph: &Graph) -> Vec<Vec<FunctionId>> {
    let callees = callees(graph);
    let all: Vec<u32> = (0..callees.len() as u32).collect();
    let components = Search::new(&callees).components(0, &all).into_iter();
    components.map(|component| component.into_iter().map(FunctionId).collect()).collect()
}

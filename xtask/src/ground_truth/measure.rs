//! One stripped program, held against the truth.

use super::Truth;
use everypath_analyze::{EdgeKind, Graph};
use everypath_ir::ExitKind;
use std::collections::BTreeSet;

/// How a graph compares with the truth.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Functions that there are, and those that were found.
    pub functions: (usize, usize),
    /// Functions that were found and are none.
    pub extra: usize,
    /// Instructions inside functions that were found, and those that begin where none does.
    pub instructions: (usize, usize),
    /// Instructions of functions that were found that were not reached.
    pub missed: usize,
    /// Computed jumps inside functions; those with targets; those of which all targets are known.
    pub jumps: (usize, usize, usize),
    /// Computed jumps with a target that is no instruction of the function, or that leave instructions unreached.
    pub wrong_jumps: usize,
    /// What to look at.
    pub remarks: Vec<String>,
}

/// Compares.
pub fn measure(graph: &Graph, truth: &Truth) -> Figures {
    let mut figures = Figures::default();
    let found: BTreeSet<u64> =
        graph.functions().iter().map(|function| graph.block(function.entry).place.address).collect();
    figures.functions.0 = truth.functions.len();
    for start in truth.functions.keys() {
        if found.contains(start) {
            figures.functions.1 += 1;
        } else {
            figures.remarks.push(format!("not found: {start:#x} {}", truth.names[start]));
        }
    }
    let none = found.iter().filter(|start| truth.function_of(**start).is_some_and(|owner| owner != **start));
    let none: Vec<u64> = none.copied().collect();
    figures.extra = none.len();
    figures.remarks.extend(none.iter().map(|start| format!("no function: {start:#x}")));
    let mut reached = BTreeSet::new();
    for block in graph.blocks() {
        for (address, _) in graph.instructions(block) {
            if truth.function_of(address).is_none() || !reached.insert(address) {
                continue;
            }
            figures.instructions.0 += 1;
            if !truth.instructions.contains(&address) && !truth.targets.contains(&address) {
                figures.instructions.1 += 1;
                figures.remarks.push(format!("no instruction: {address:#x}"));
            }
        }
    }
    let mut incomplete = BTreeSet::new();
    for address in truth.instructions.difference(&truth.filling) {
        if let Some(owner) = truth.function_of(*address)
            && found.contains(&owner)
            && !reached.contains(address)
        {
            figures.missed += 1;
            if incomplete.insert(owner) {
                figures.remarks.push(format!("missed: {address:#x} in {}", truth.names[&owner]));
            }
        }
    }
    for dynamic in graph.dynamics().filter(|dynamic| dynamic.kind == ExitKind::Jump) {
        let node = graph.block(dynamic.block);
        let Some(owner) = truth.function_of(node.place.address) else { continue };
        let edges = graph.successors(dynamic.block).filter(|edge| edge.exit == dynamic.exit);
        let edges: Vec<_> = edges.filter(|edge| edge.kind == EdgeKind::Jump).collect();
        figures.jumps.0 += 1;
        figures.jumps.1 += usize::from(!edges.is_empty());
        figures.jumps.2 += usize::from(dynamic.state.is_saturated());
        let outside = edges.iter().any(|edge| !truth.is_same(owner, graph.block(edge.to).place.address));
        if outside {
            figures.wrong_jumps += 1;
        }
        if edges.is_empty() || outside {
            let name = &truth.names[&owner];
            let end = node.end;
            let state = &dynamic.state;
            figures
                .remarks
                .push(format!("jump before {end:#x} in {name}: {} targets, {state:?}", edges.len()));
        }
    }
    figures
}

//! Checks an exploration against the static results: every edge that a solver found an input for is in the graph.

use super::said::Said;
use everypath_analyze::{BlockId, EdgeKind, Graph};
use everypath_explore::{Bounds, Criterion, Exploration, Explorer, NoObserver, Plan};
use everypath_ir::ExitKind;
use everypath_record::Verdict;
use everypath_solve::SolverStack;
use everypath_testkit::guests::Subject;
use std::collections::BTreeSet;

/// Explores some paths of a guest.
pub(crate) fn explore(subject: &Subject) -> Result<Exploration, String> {
    let plan = Plan {
        criterion: Criterion::Path,
        bounds: Bounds { paths: 12, path_instructions: 3000, ..Bounds::default() },
        ..Plan::default()
    };
    let solver = SolverStack::default().build();
    let explorer = Explorer::new(&subject.guest, &subject.configuration, plan, solver);
    Ok(explorer.map_err(|error| error.to_string())?.run(&mut NoObserver))
}

/// Checks that the graph has the branch directions and indirect targets that paths took, where it claims to be
/// complete. Returns their number.
pub(crate) fn edges(said: &Said<'_>, found: &Exploration) -> Result<u64, String> {
    let graph = &said.graph;
    let covered = found.directions.iter().filter(|judged| matches!(judged.verdict, Verdict::Covered { .. }));
    let mut taken: BTreeSet<(u64, u64)> =
        covered.map(|judged| (judged.direction.branch.0, judged.direction.target.0)).collect();
    // Incomplete explorations also list targets that the static analysis proposed.
    for jump in found.control_flow.indirect_exits.iter().filter(|_| found.is_complete()) {
        taken.extend(jump.targets.iter().map(|target| (jump.branch.0, target.0)));
    }
    let is_whole = graph.indirect_exits().all(|exit| exit.state.is_resolved());
    let mut known = 0;
    for (branch, target) in taken {
        let blocks: Vec<BlockId> = graph.blocks().filter(|block| ends_with(graph, *block, branch)).collect();
        if blocks.is_empty() && !is_whole {
            // It is only reachable through an unresolved exit.
            continue;
        }
        if !blocks.iter().any(|block| leads_to(graph, *block, target)) {
            let found: Vec<_> =
                blocks.iter().map(|block| (graph.block(*block), graph.indirect_exits_of(*block))).collect();
            return Err(format!(
                "a path goes from {branch:#x} to {target:#x}, and the graph has no such edge; {found:x?}"
            ));
        }
        known += 1;
    }
    Ok(known)
}

fn ends_with(graph: &Graph, block: BlockId, branch: u64) -> bool {
    graph.instructions(block).last().is_some_and(|(last, _)| last == branch)
}

/// Returns true if a block may lead to an address: by an edge, by a return to a call fall-through, or by an unresolved
/// exit.
fn leads_to(graph: &Graph, block: BlockId, target: u64) -> bool {
    let is_target = |block: BlockId| graph.block(block).place.address == target;
    let resumes =
        |block: BlockId| graph.predecessors(block).any(|edge| edge.kind == EdgeKind::CallFallThrough);
    graph.successors(block).any(|edge| is_target(edge.to))
        || graph.indirect_exits_of(block).iter().any(|exit| {
            let behind_call = || graph.blocks().any(|to| is_target(to) && resumes(to));
            !exit.state.is_resolved() || exit.kind == ExitKind::Return && behind_call()
        })
}

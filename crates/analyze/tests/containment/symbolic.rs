//! What an exploration found, held against what the static side says: every way that a solver found input for is an edge.

use super::said::Said;
use everypath_analyze::{BlockId, EdgeKind, Graph};
use everypath_explore::{Criterion, Exploration, Explorer, Plan, Quiet};
use everypath_ir::ExitKind;
use everypath_record::Verdict;
use everypath_solve::Stack;
use everypath_testkit::guests::Subject;
use std::collections::BTreeSet;

/// Explores some paths of a guest.
pub(crate) fn explore(subject: &Subject) -> Result<Exploration, String> {
    let plan = Plan { criterion: Criterion::Path, paths: 12, path_instructions: 3000, ..Plan::default() };
    let solver = Stack::default().build();
    let explorer = Explorer::new(&subject.guest, &subject.configuration, plan, solver);
    Ok(explorer.map_err(|error| error.to_string())?.run(&mut Quiet))
}

/// The directions and the targets of computed exits that paths took are in the graph, where it says that it has all; how
/// many there were.
pub(crate) fn edges(said: &Said<'_>, found: &Exploration) -> Result<u64, String> {
    let graph = &said.graph;
    let covered = found.directions.iter().filter(|judged| matches!(judged.verdict, Verdict::Covered { .. }));
    let mut taken: BTreeSet<(u64, u64)> =
        covered.map(|judged| (judged.direction.branch.0, judged.direction.target.0)).collect();
    // Where not every path was explored, what the analysis of the exploration proposed stands there, too.
    for jump in found.jumps.iter().filter(|_| found.complete) {
        taken.extend(jump.targets.iter().map(|target| (jump.branch.0, target.0)));
    }
    let is_whole = graph.dynamics().all(|dynamic| dynamic.state.is_saturated());
    let mut known = 0;
    for (branch, target) in taken {
        let blocks: Vec<BlockId> = graph.blocks().filter(|block| ends_with(graph, *block, branch)).collect();
        if blocks.is_empty() && !is_whole {
            // It lies behind an exit of which it is said that not all its targets are known.
            continue;
        }
        if !blocks.iter().any(|block| leads_to(graph, *block, target)) {
            let found: Vec<_> =
                blocks.iter().map(|block| (graph.block(*block), graph.dynamics_of(*block))).collect();
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

/// Whether a block may lead to an address: it has the edge, it returns to behind a call, or it says that it does not know all.
fn leads_to(graph: &Graph, block: BlockId, target: u64) -> bool {
    let is_target = |block: BlockId| graph.block(block).place.address == target;
    let resumes = |block: BlockId| graph.predecessors(block).any(|edge| edge.kind == EdgeKind::Resume);
    graph.successors(block).any(|edge| is_target(edge.to))
        || graph.dynamics_of(block).iter().any(|dynamic| {
            let behind_call = || graph.blocks().any(|to| is_target(to) && resumes(to));
            !dynamic.state.is_saturated() || dynamic.kind == ExitKind::Return && behind_call()
        })
}

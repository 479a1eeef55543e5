//! Resolves one indirect exit: enumerates backward paths, executes each symbolically, and enumerates the targets.

use super::resolver::{BoundHeuristic, JumpQuery, JumpTableResolver, Lifted, PathTargets, Step};
use crate::graph::{BlockId, Graph, Resolution, ResolutionEvidence, UnresolvedReason};
use crate::program::Program;
use everypath_ir::Place;
use everypath_lift::LiftSession;

/// The targets found, and whether the exit is fully resolved.
pub(crate) struct JumpTable {
    pub(crate) targets: Vec<Place>,
    pub(crate) state: Resolution,
}

/// Maximum length of a path in blocks, and maximum number of paths per jump.
const LONGEST: usize = 12;
const MAX_PATHS: usize = 96;
const MAX_PATHS_UNRESOLVED: usize = 12;

/// Finds the targets of an indirect exit.
pub(crate) fn resolve<'p>(
    program: &'p Program<'p>,
    session: &mut LiftSession<'p>,
    lifted: &mut Lifted,
    graph: &Graph,
    question: JumpQuery<'_>,
) -> JumpTable {
    let JumpQuery { block, labels, .. } = question;
    let mut search = JumpTableResolver::new(program, session, lifted, graph, question);
    let mut found = search.all_paths(block);
    let is_open = |found: &JumpTable| {
        matches!(
            found.state,
            Resolution::Unresolved(UnresolvedReason::TooManyPaths | UnresolvedReason::Unbounded)
        )
    };
    if !is_open(&found) || search.is_call(block) {
        let is_variable = found.state == Resolution::Unresolved(UnresolvedReason::Writable);
        if is_variable && found.targets.is_empty() && !search.is_call(block) {
            found.targets = search.labels_at_home(block, labels);
        }
        return found;
    }
    // Only the width bounds the index: a table indexed by any byte needs no check.
    if found.targets.is_empty() {
        search.heuristic = BoundHeuristic::Width;
        let wide = search.all_paths(block);
        if wide.state.is_resolved() && !wide.targets.is_empty() && search.are_near(block, &wide.targets) {
            return wide;
        }
    }
    search.heuristic = BoundHeuristic::Half;
    let half = search.all_paths(block);
    if !is_open(&half) && !half.targets.is_empty() && search.are_home(block, &half.targets) {
        found.targets.extend(half.targets);
    } else {
        found.targets.extend(search.scan(block));
    }
    if found.targets.is_empty() {
        found.targets = search.labels_at_home(block, labels);
    }
    found.targets.sort_unstable();
    found.targets.dedup();
    found
}

impl JumpTableResolver<'_, '_> {
    /// The targets along one path.
    fn follow(&mut self, path: &[Step]) -> Result<PathTargets, UnresolvedReason> {
        let (mut walk, target, conditions) = self.run(path).ok_or(UnresolvedReason::Unbounded)?;
        let jump = path.last().ok_or(UnresolvedReason::Unbounded)?.block;
        self.targets(&mut walk, target, &conditions, self.flowing(jump), (path[0].block, jump))
    }

    /// The targets along all paths to the jump; paths grow backward until each bounds the target.
    fn all_paths(&mut self, block: BlockId) -> JumpTable {
        let mut targets = Vec::new();
        let mut reason = None;
        let mut is_by_block = true;
        let mut open: Vec<Vec<Step>> = vec![vec![Step { block, edge: None }]];
        let mut tried = 0;
        let is_call = self.is_call(block);
        while let Some(path) = open.pop() {
            tried += 1;
            // Calls seldom use a table; and once one path is unbounded, the exit stays unresolved.
            if tried
                > if is_call || (reason.is_some() && targets.is_empty()) {
                    MAX_PATHS_UNRESOLVED
                } else {
                    MAX_PATHS
                }
            {
                reason = Some(UnresolvedReason::TooManyPaths);
                break;
            }
            match self.follow(&path) {
                Ok(found) => {
                    targets.extend(found.targets);
                    is_by_block &= path.len() == 1 && found.is_self_contained;
                    let resumes =
                        |step: &Step| step.edge.is_some_and(|edge| edge.kind.is_call_continuation());
                    let resumes = path.iter().any(resumes).then_some(UnresolvedReason::Convention);
                    reason = reason.or(found.reason).or(resumes);
                }
                Err(why) => {
                    let head = path[0].block;
                    let longer = self.longer(&path);
                    if path.len() >= LONGEST {
                        reason = Some(UnresolvedReason::TooManyPaths);
                    } else if longer.is_empty()
                        || self.is_entry(head)
                        || self.may_be_entered(head)
                        || why == UnresolvedReason::Writable
                    {
                        reason = Some(why);
                    } else {
                        open.extend(longer);
                    }
                }
            }
        }
        targets.sort_unstable();
        targets.dedup();
        let evidence = if is_by_block { ResolutionEvidence::Block } else { ResolutionEvidence::Table };
        let state = reason.map_or(Resolution::Resolved(evidence), Resolution::Unresolved);
        // Targets along only some of the paths are still possible targets.
        JumpTable { targets, state }
    }
}

//! Alternatives inside a basic block: the block is run again, from a fork before it or from the entry, with another
//! value.

use everypath_ir::Place;
use everypath_record::Direction;
use everypath_term::Term;
use rustc_hash::FxHashSet;

use crate::frontier::pending::{Pending, Resume, Start};
use crate::run::context::{BlockStep, PathContext};
use crate::verdict::guards::GuardOutcome;

/// The alternative with which a block is run again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alternative {
    /// Another address of a memory access.
    Alias,
    /// The block is left by another exit, which takes this direction if its target is known.
    Exit(Option<Direction>),
    /// Another outcome of a guard inside an instruction.
    Guard(GuardOutcome),
    /// Any other alternative.
    Other,
}

/// Enqueues second runs of blocks.
#[derive(Default)]
pub(crate) struct Reruns {
    /// Basic blocks with a decision on input before their end; the path is forked before they run.
    fork_before: FxHashSet<Place>,
}

impl Reruns {
    /// Whether the path is to be forked before a block runs.
    pub(crate) fn fork_before(&self, place: Place) -> bool {
        self.fork_before.contains(&place)
    }

    /// Enqueues a second run of the block with another value, if a query is satisfiable.
    pub(crate) fn enqueue(
        &mut self,
        context: &mut PathContext<'_, '_>,
        step: &mut BlockStep<'_>,
        alternative_condition: Term,
        alternative: Alternative,
    ) {
        context.add_due_assumptions(step.task);
        // If the path condition ends with the negation, the query is unsatisfiable.
        let opposite = context.inputs.terms.not(alternative_condition);
        if step.task.is_in_prefix() || step.task.path_condition.last() == Some(opposite) {
            return;
        }
        let mut replay_plan = step.task.replay_plan(alternative_condition);
        let (mut direction, mut guard) = (None, None);
        match alternative {
            Alternative::Alias => replay_plan.aliases += 1,
            Alternative::Exit(taken) => direction = taken,
            Alternative::Guard(outcome) => guard = Some(outcome),
            Alternative::Other => {}
        }
        if step.before.is_none() {
            // No fork exists yet: replay from the entry. From now on the path is forked before this block.
            self.fork_before.insert(step.place);
        }
        let start = match &mut step.before {
            Some(before) if before.instructions > 0 => {
                Start::State(Box::new(before.fork().follow(replay_plan)))
            }
            _ => Start::Entry(Box::new(replay_plan)),
        };
        context.frontier.push(Pending {
            start,
            condition: alternative_condition,
            assumes_condition_on_resume: false,
            resume: Resume::Replay,
            direction,
            guard,
            address: direction.map_or(step.place.address, |direction| direction.branch.0),
            prefix: step.task.path_condition.clone(),
            known: step.task.model.clone(),
            reads: step.task.progress.count(),
            progress: step.task.target_progress,
        });
    }
}

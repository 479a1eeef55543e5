//! Pending branches: alternatives in the frontier for which no solver query was made yet.

use everypath_ir::Exit;
use everypath_record::Direction;
use everypath_term::{Model, Term};

use crate::path::path_condition::PathCondition;
use crate::path::prefix::ReplayPlan;
use crate::path::roots::{Roots, TermHolder};
use crate::path::task::Task;
use crate::reach::progress::TargetProgress;
use crate::verdict::guards::GuardOutcome;

/// Where a path continues if the pending branch is satisfiable.
#[derive(Clone, Copy)]
pub(crate) enum Resume {
    /// Where the task is, after the exit that the pending branch takes.
    Here,
    /// Where the task is, after an indirect exit to a target that does not depend on input.
    Behind {
        /// The exit.
        exit: Exit,
    },
    /// Where the task is, with an interrupt.
    Interrupt,
    /// Where the task is: the path was postponed.
    Postponed,
    /// The task replays the prefix up to the decision, and takes the alternative by itself.
    Replay,
    /// At a target that the static analysis proposes, by this indirect exit.
    Proposed {
        /// The target.
        target: u64,
        /// The exit.
        exit: Exit,
    },
    /// At a target that depends on input, by this indirect exit.
    Computed {
        /// The target.
        target: Term,
        /// The exit.
        exit: Exit,
        /// Whether the next query is to ask only for targets that no path has taken.
        fresh: bool,
    },
}

/// The point from which a pending branch continues.
pub(crate) enum Start {
    /// A forked state.
    State(Box<Task>),
    /// The entry of the program, from which a replay follows the plan.
    Entry(Box<ReplayPlan>),
}

impl Start {
    /// A task that can be run. `root` is the path at the entry.
    pub(crate) fn into_task(self, root: &mut Task) -> Task {
        match self {
            Start::State(task) => *task,
            Start::Entry(replay_plan) => root.fork().follow(*replay_plan),
        }
    }
}

/// A pending branch: a path prefix, and the condition under which the alternative is taken.
pub(crate) struct Pending {
    /// The point from which the path continues.
    pub(crate) start: Start,
    /// The path condition before the branch.
    pub(crate) prefix: PathCondition,
    /// A model of the prefix.
    pub(crate) known: Model,
    /// The branch condition, to be queried in addition to the prefix.
    pub(crate) condition: Term,
    /// Whether the path condition gets the branch condition when the path is resumed; otherwise the replay adds it at its decision.
    pub(crate) assumes_condition_on_resume: bool,
    pub(crate) resume: Resume,
    /// The branch direction that it would take.
    pub(crate) direction: Option<Direction>,
    /// The outcome of a guard inside an instruction that it would have.
    pub(crate) guard: Option<GuardOutcome>,
    /// The branching instruction.
    pub(crate) address: u64,
    /// Number of reads of inputs before the branch.
    pub(crate) reads: u64,
    /// The progress of the path towards the targets of a directed search.
    pub(crate) progress: TargetProgress,
}

impl Pending {
    /// The forked state, if it holds one.
    pub(crate) fn task(&self) -> Option<&Task> {
        match &self.start {
            Start::State(task) => Some(task),
            Start::Entry(_) => None,
        }
    }

    /// The instruction at which the path continues; the branching one, if the next one is not known.
    pub(crate) fn continues_at(&self) -> u64 {
        self.direction.map_or(self.address, |direction| direction.target.0)
    }

    /// Whether the forked state can be evicted, because a replay from the entry reaches the branch, too.
    pub(crate) fn can_be_evicted(&self) -> bool {
        self.task().is_some_and(|task| !task.is_merged())
            && matches!(self.resume, Resume::Here | Resume::Behind { .. } | Resume::Replay)
    }

    /// Whether a path can take the branch without its condition: it is after the branch already.
    pub(crate) fn can_drop_condition(&self) -> bool {
        self.assumes_condition_on_resume
            && self.task().is_some()
            && matches!(self.resume, Resume::Here | Resume::Behind { .. })
    }

    /// Evicts the forked state: the branch is then reached by a replay from the entry.
    pub(crate) fn evict(&mut self) {
        let Start::State(task) = &self.start else { return };
        let replay_plan = if self.assumes_condition_on_resume {
            // The task is after its decision, which the replay makes by itself.
            task.replay_plan_to_last_decision(self.condition)
        } else {
            task.restart()
        };
        self.assumes_condition_on_resume = false;
        self.resume = Resume::Replay;
        self.start = Start::Entry(Box::new(replay_plan));
    }
}

impl TermHolder for Pending {
    fn roots(&self, roots: &mut Roots) {
        match &self.start {
            Start::State(task) => task.roots(roots),
            Start::Entry(replay_plan) => replay_plan.prefix.roots(roots),
        }
        roots.extend([self.condition]);
        roots.path(&self.prefix);
        if let Resume::Computed { target, .. } = self.resume {
            roots.extend([target]);
        }
    }
}

//! Pending branches: alternatives in the frontier for which no solver query was made yet.

use everypath_ir::Exit;
use everypath_record::Direction;
use everypath_term::{Model, Term};

use crate::path_condition::PathCondition;
use crate::roots::{Roots, TermHolder};
use crate::task::Task;

/// Where a path continues if the pending branch is satisfiable.
pub(crate) enum Resume {
    /// Where the task is, behind the exit that the pending branch takes.
    Here,
    /// Where the task is, behind an indirect exit to a target that does not depend on input.
    Behind {
        /// The exit.
        exit: Exit,
    },
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

/// A pending branch: a path prefix, and the condition under which the alternative is taken.
pub(crate) struct Pending {
    /// The path to continue.
    pub(crate) task: Task,
    /// The path condition before the branch.
    pub(crate) prefix: PathCondition,
    /// A model of the prefix.
    pub(crate) known: Model,
    /// The branch condition, to be queried in addition to the prefix.
    pub(crate) question: Term,
    /// Whether the branch condition joins the path condition at once; otherwise the replay adds it at its decision.
    pub(crate) at_once: bool,
    pub(crate) resume: Resume,
    /// The branch direction that it would take.
    pub(crate) direction: Option<Direction>,
    /// The branching instruction.
    pub(crate) address: u64,
}

/// A pending branch as the frontier stores it, compactly.
pub(crate) struct Waiting {
    /// The point from which the path continues.
    start: Start,
    /// The path condition before the branch.
    pub(crate) prefix: PathCondition,
    known: Model,
    pub(crate) question: Term,
    at_once: bool,
    pub(crate) resume: Resume,
    direction: Option<Direction>,
    address: u64,
}

/// The point from which a pending branch continues.
enum Start {
    /// A forked state.
    State(Box<Task>),
    /// The entry of the program, with the fields in which the task differs from the one there.
    Root(Box<Lead>),
}

/// The data by which a replay from the entry reaches a pending branch; see [`Task::lead`].
struct Lead {
    replay_until: usize,
    assumptions: Vec<(usize, Term)>,
    replayed: Option<PathCondition>,
    aliases: u32,
    targets: u32,
    objects: Vec<u64>,
}

impl Lead {
    fn of(task: Task) -> Lead {
        let Task { replay_until, mut assumptions, replayed, aliases, targets, objects, .. } = task;
        assumptions.shrink_to_fit();
        Lead { replay_until, assumptions, replayed, aliases, targets, objects }
    }
}

impl Waiting {
    pub(crate) fn new(pending: Pending) -> Waiting {
        let Pending { task, prefix, known, question, at_once, resume, direction, address } = pending;
        let start = match task.instructions {
            0 if !at_once => Start::Root(Box::new(Lead::of(task))),
            _ => Start::State(Box::new(task)),
        };
        Waiting { start, prefix, known, question, at_once, resume, direction, address }
    }

    /// Restores a task that can be run.
    pub(crate) fn into_pending(self, root: &mut Task) -> Pending {
        let Waiting { start, prefix, known, question, at_once, resume, direction, address } = self;
        let task = match start {
            Start::State(task) => *task,
            Start::Root(lead) => {
                let Lead { replay_until, assumptions, replayed, aliases, targets, objects } = *lead;
                Task { replay_until, assumptions, replayed, aliases, targets, objects, ..root.fork() }
            }
        };
        Pending { task, prefix, known, question, at_once, resume, direction, address }
    }

    /// The forked state, if it holds one.
    pub(crate) fn task(&self) -> Option<&Task> {
        match &self.start {
            Start::State(task) => Some(task),
            Start::Root(_) => None,
        }
    }

    /// Whether the forked state can be evicted, because a replay from the entry reaches the branch, too.
    pub(crate) fn can_be_evicted(&self) -> bool {
        self.task().is_some() && matches!(self.resume, Resume::Here | Resume::Behind { .. } | Resume::Replay)
    }

    /// Evicts the forked state: the branch is then reached by a replay from the entry.
    pub(crate) fn evict(&mut self, root: &mut Task) {
        let Start::State(task) = &mut self.start else { return };
        let task = if self.at_once {
            // The task is behind its decision, which the replay makes by itself.
            task.decisions -= 1;
            task.lead(root.fork(), self.question)
        } else {
            task.restart(root.fork())
        };
        self.at_once = false;
        self.resume = Resume::Replay;
        self.start = Start::Root(Box::new(Lead::of(task)));
    }
}

impl TermHolder for Waiting {
    fn roots(&self, roots: &mut Roots) {
        match &self.start {
            Start::State(task) => task.roots(roots),
            Start::Root(lead) => roots.extend(lead.assumptions.iter().map(|(_, condition)| *condition)),
        }
        roots.extend([self.question]);
        roots.path(&self.prefix);
        if let Resume::Computed { target, .. } = self.resume {
            roots.extend([target]);
        }
    }
}

//! Ways that were noted and not yet asked about.

use everypath_ir::Exit;
use everypath_record::Direction;
use everypath_term::{Model, Term};

use crate::task::Task;
use crate::trail::Trail;

/// How a path goes on if the question has a model.
pub(crate) enum Resume {
    /// Where the task is, behind the exit that the query takes.
    Here,
    /// Where the task is, behind an indirect exit to a target that does not depend on input.
    Behind {
        /// The exit.
        exit: Exit,
    },
    /// The task replays the path up to the decision, and takes it by itself.
    Replay,
    /// At an address that the analysis proposes, by this exit.
    Proposed {
        /// The address.
        target: u64,
        /// The exit.
        exit: Exit,
    },
    /// At the address that input computes, by this exit.
    Computed {
        /// The address.
        target: Term,
        /// The exit.
        exit: Exit,
        /// Whether it was not asked yet if this leads to where nothing led before.
        fresh: bool,
    },
}

/// A way that was noted: a path, and the condition under which it can be taken.
pub(crate) struct Pending {
    /// Where the path goes on.
    pub(crate) task: Task,
    /// What holds before the question.
    pub(crate) prefix: Trail,
    /// A model of the prefix.
    pub(crate) known: Model,
    /// What must hold in addition.
    pub(crate) question: Term,
    /// Whether the question becomes part of the trail at once; otherwise the task does that when it gets there.
    pub(crate) at_once: bool,
    pub(crate) resume: Resume,
    /// The direction that it would take.
    pub(crate) direction: Option<Direction>,
    /// The instruction that is asked about.
    pub(crate) address: u64,
}

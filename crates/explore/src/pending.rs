//! Branches that were noted and not yet asked about.

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

/// A pending branch as the frontier keeps it: many of them must not take much memory.
pub(crate) struct Waiting {
    /// From where the path goes on.
    start: Start,
    /// What holds before the question.
    pub(crate) prefix: Trail,
    known: Model,
    pub(crate) question: Term,
    at_once: bool,
    pub(crate) resume: Resume,
    direction: Option<Direction>,
    address: u64,
}

/// From where a pending branch goes on.
enum Start {
    /// From a state of its own.
    State(Box<Task>),
    /// From the start of the program: all in which its task differs from the one there.
    Root(Box<Lead>),
}

/// What leads a run from the start to a pending branch; see [`Task::lead`].
struct Lead {
    replay_until: usize,
    assumptions: Vec<(usize, Term)>,
    replayed: Option<Trail>,
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

    /// The branch with a task that can be run.
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

    /// Its own state, if it has one.
    pub(crate) fn task(&self) -> Option<&Task> {
        match &self.start {
            Start::State(task) => Some(task),
            Start::Root(_) => None,
        }
    }

    /// The conditions that join its path on the way from the start.
    pub(crate) fn assumptions(&self) -> &[(usize, Term)] {
        match &self.start {
            Start::State(task) => &task.assumptions,
            Start::Root(lead) => &lead.assumptions,
        }
    }

    /// Whether its own state can be given up: a run from the start comes to the branch, too.
    pub(crate) fn can_be_evicted(&self) -> bool {
        self.task().is_some() && matches!(self.resume, Resume::Here | Resume::Behind { .. } | Resume::Replay)
    }

    /// Gives its state up.
    pub(crate) fn evict(&mut self, root: &mut Task) {
        let Start::State(task) = &mut self.start else { return };
        let task = if self.at_once {
            // The task is behind its decision; the replay makes it by itself.
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

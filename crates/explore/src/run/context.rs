//! The parts of an exploration that a running path changes, and the block that it has just run.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use everypath_ir::Place;
use everypath_term::Term;

use crate::frontier::Frontier;
use crate::path::inputs::SymbolicInputs;
use crate::path::path_condition::PathCondition;
use crate::path::task::{PrefixLost, Task};
use crate::probe::{Probes, Suspicion};
use crate::record::recorder::Recorder;
use crate::verdict::knowledge::Knowledge;
use crate::verdict::ledger::{AssumptionKind, Ledger};

/// The parts that a running path changes.
pub(crate) struct PathContext<'c, 'g> {
    pub(crate) inputs: &'c mut SymbolicInputs<'g>,
    pub(crate) knowledge: &'c mut Knowledge<'g>,
    pub(crate) frontier: &'c mut Frontier,
    pub(crate) probes: &'c mut Probes,
    /// The tests and findings so far.
    pub(crate) recorder: &'c Recorder<'g>,
    /// The flag by which the exploration is cancelled.
    pub(crate) stop: &'c Arc<AtomicBool>,
}

/// A block that a path has just run.
pub(crate) struct BlockStep<'s> {
    pub(crate) task: &'s mut Task,
    pub(crate) place: Place,
    /// The path before the block, if a decision inside it needs that.
    pub(crate) before: Option<Task>,
}

impl PathContext<'_, '_> {
    /// Adds the constraint of a decision to the path condition.
    pub(crate) fn commit(&mut self, task: &mut Task, condition: Term) {
        if let Err(PrefixLost) = task.commit(&self.inputs.terms, condition) {
            note_lost_prefix(&mut self.knowledge.ledger, task);
        }
    }

    /// Records what may depend on uninitialised memory in a block that was run. `prefix` is the path condition before it.
    pub(crate) fn suspect_unwritten(
        &mut self,
        task: &Task,
        prefix: &PathCondition,
        suspicions: &[Suspicion],
    ) {
        for suspicion in suspicions.iter().filter(|suspicion| suspicion.unwritten.is_some()) {
            let noted = (&*self.inputs, &mut self.knowledge.ledger);
            self.probes.suspect_unwritten(task, prefix, suspicion, noted, self.recorder);
        }
    }

    /// Adds the assumptions that precede the current decision.
    pub(crate) fn add_due_assumptions(&mut self, task: &mut Task) {
        if let Err(PrefixLost) = task.add_due_assumptions(&self.inputs.terms) {
            note_lost_prefix(&mut self.knowledge.ledger, task);
        }
    }
}

/// Records that a replay diverged from its prefix, so that alternatives after it are lost.
pub(crate) fn note_lost_prefix(ledger: &mut Ledger, task: &Task) {
    debug_assert!(false, "the replay of a path prefix differs from the path at {:#x}", task.last);
    let what = "a path prefix could not be replayed, so alternatives behind it were not explored";
    ledger.note(AssumptionKind::Divergence, task.last, what, true);
}

//! Proof by abstract interpretation (Cousot and Cousot 1977) over merged states: when a search covers nothing new for a while, it explores an abstraction of all paths from the
//! entry. Directions that the abstraction does not take are infeasible; then the search continues where it was.

use everypath_record::Direction;
use everypath_term::Model;

use crate::explorer::Explorer;
use crate::explorer::proof::Proof;
use crate::frontier::Frontier;
use crate::frontier::memory::Memory;
use crate::merge::{Learnt, Merging};
use crate::path::task::Task;
use crate::plan::Criterion;
use crate::run::runner::PathRun;
use crate::strategy::depth_first::LastFirst;

/// How much effort a proof may take, in relation to that of the search before.
const SHARE: u64 = 1;

/// The least effort that a proof may take.
const LEAST: u64 = 400_000_000;

impl Explorer<'_> {
    /// Prepares for proofs, if the plan wants them.
    pub(super) fn expect_proofs(&mut self) {
        if let Some(patience) = self.plan.prove
            && self.plan.criterion == Criterion::Branch
            && !self.plan.keeps_all()
            && !self.plan.merge
            // Nothing is proved over paths that are lost from the start.
            && self.knowledge.ledger.is_lossless()
        {
            let first_notes = self.knowledge.notes();
            self.proof = Some(Proof {
                patience,
                first_notes,
                progress: (0, 0),
                not_before: 0,
                seeds: Vec::new(),
                search: None,
            });
        }
    }

    /// Whether an abstraction is being explored.
    pub(super) fn is_proving(&self) -> bool {
        self.proof.as_ref().is_some_and(|proof| proof.search.is_some())
    }

    /// Whether the search has covered nothing new for so long that a proof is worth trying.
    pub(super) fn is_proof_due(&mut self) -> bool {
        let (effort, (covered, _)) = (self.effort(), self.knowledge.coverage.tally());
        let Some(proof) = self.proof.as_mut().filter(|proof| proof.search.is_none()) else { return false };
        if covered > proof.progress.0 {
            proof.progress = (covered, effort);
        }
        // The longer the search took for the last direction, the longer it may take for the next.
        let patience = if proof.patience == 0 { 0 } else { proof.patience.max(proof.progress.1) };
        effort >= proof.not_before && effort - proof.progress.1 >= patience
    }

    /// Suspends the search and begins to explore an abstraction. Returns the path at the entry.
    pub(super) fn begin_proof(&mut self) -> Option<Task> {
        let effort = self.effort();
        let proof = self.proof.as_mut()?;
        let memory = Memory::new(self.plan.bounds.memory);
        let frontier = Frontier::new(Box::new(LastFirst::default()), memory, false);
        let frontier = std::mem::replace(&mut self.frontier, frontier);
        let suspended = self.knowledge.suspend(proof.first_notes.clone());
        proof.search = Some((frontier, suspended, effort + (SHARE * effort).max(LEAST)));
        self.probes.begin_abstraction();
        self.knowledge.coverage.forget_doubts();
        let (inputs, ranks) = (&self.inputs, self.knowledge.analysis().ranks());
        let notes = proof.first_notes.clone();
        self.merging = Some(Merging::by_abstraction(inputs.guest, &inputs.world, ranks, notes));
        Some(self.root.fork())
    }

    /// Keeps the model of a path by which a proof has covered something.
    pub(super) fn keep_seed(&mut self, model: &Model) {
        if let Some(proof) = self.proof.as_mut().filter(|proof| proof.search.is_some()) {
            proof.seeds.push(model.clone());
        }
    }

    /// The next path of the search by which a proof has covered something.
    pub(super) fn next_seed(&mut self) -> Option<Task> {
        let proof = self.proof.as_mut().filter(|proof| proof.search.is_none())?;
        let model = proof.seeds.pop()?;
        let mut task = self.root.fork();
        self.inputs.take_model(&mut task, model);
        Some(task)
    }

    /// Ends a proof that is not needed any more, or has taken too much.
    pub(super) fn limit_proof(&mut self) {
        let (effort, is_needless) = (self.effort(), self.knowledge.covers_all());
        let search = self.proof.as_ref().and_then(|proof| proof.search.as_ref());
        if search.is_some_and(|(.., until)| is_needless || effort >= *until) {
            self.end_proof();
        }
    }

    /// The next path of a proof; none if the proof has ended, and the search continues.
    pub(super) fn continue_proof(&mut self) -> Option<Task> {
        if self.merging.as_ref().is_some_and(Merging::is_outdated) {
            return self.begin_proof_anew();
        }
        if let Some(task) = self.resume_waiting() {
            return Some(task);
        }
        // The last paths that waited were all included, and one may have been dropped before.
        if self.merging.as_ref().is_some_and(Merging::is_outdated) {
            return self.begin_proof_anew();
        }
        self.knowledge.prove_untaken();
        self.end_proof();
        None
    }

    /// Begins again, with the cursors that are known now.
    fn begin_proof_anew(&mut self) -> Option<Task> {
        self.frontier.clear();
        let (_, notes) = self.merging.as_mut()?.undo(Learnt::Late);
        self.knowledge.return_to(notes);
        self.knowledge.coverage.forget_doubts();
        Some(self.root.fork())
    }

    /// Discards an abstract path that is of no use. Returns where it was.
    pub(super) fn discard_abstract_path(&mut self, run: &PathRun) -> u64 {
        debug_assert!(
            self.merging.as_ref().is_some_and(Merging::has_dropped),
            "what is discarded is explored anew"
        );
        self.probes.forget();
        let taken: Vec<Direction> = run.adds.clone();
        taken.into_iter().for_each(|direction| self.knowledge.coverage.doubt(direction));
        run.task.at.place.address
    }

    /// Returns to the search, whatever has become of the proof.
    pub(super) fn end_proof(&mut self) {
        let effort = self.effort();
        let Some(proof) = &mut self.proof else { return };
        let Some((frontier, suspended, _)) = proof.search.take() else { return };
        proof.not_before = 4 * effort;
        self.frontier = frontier;
        self.knowledge.resume(suspended);
        // The doubts are about abstract paths; a concrete one that takes such a direction covers it.
        self.knowledge.coverage.forget_doubts();
        self.probes.end_abstraction();
        self.merging = None;
    }
}

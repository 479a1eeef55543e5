//! The search for inputs with which the program never ends: proofs are tried at the heads of loops.

use std::collections::BTreeSet;

use everypath_ir::Location;
use everypath_machine::End;
use everypath_solve::{Answer, Query};
use everypath_term::Term;

use crate::explorer::Explorer;
use crate::hang::endless::{NoProof, NonTerminationProof, prove_nontermination};
use crate::hang::iteration::LoopContext;
use crate::path::oracles::Violation;
use crate::path::subsumption::{AtHead, RepetitionKind};
use crate::path::task::Task;
use crate::record::recorder::ExpectedPath;
use crate::run::runner::PathRun;

/// The name under which an endless program is a finding.
const HANG: &str = "hang";

/// Maximum number of other inputs of one path with which a proof is tried.
const OTHER_INPUTS: usize = 6;

impl Explorer<'_> {
    /// Tries to show that a path, which is at the head of a loop, never leaves it with some input. Returns whether it does not with that
    /// of its model.
    pub(super) fn try_nontermination_proof(&mut self, run: &mut PathRun, at_head: &AtHead) -> bool {
        let task = &mut run.task;
        let head = task.at.place;
        if !self.plan.hangs || self.is_proving() || task.is_merged() || self.hangs.is_proved(head) {
            return false;
        }
        let is_due = match at_head {
            AtHead::Repeats(repetition) => {
                let waits_for_nothing = repetition.awaited.is_empty();
                repetition.kind == RepetitionKind::Waits && waits_for_nothing && self.hangs.take_attempt(head)
            }
            AtHead::PollsAndCounts | AtHead::Progresses => {
                self.hangs.take_due_attempt(head, task.ancestors.visits())
            }
        };
        if !is_due || self.knowledge.may_memory_change() || self.knowledge.may_loop_on_purpose(head) {
            return false;
        }
        let mut path = task.fork();
        match self.prove_nontermination(&mut path) {
            Ok(proof) => {
                self.record_hang(&path, &proof);
                true
            }
            Err(NoProof { changed }) => {
                self.try_nontermination_proof_with_other_inputs(task, changed);
                false
            }
        }
    }

    /// Tries other inputs of a path: those for which a word that the loop changes is odd or even, as it is not now.
    fn try_nontermination_proof_with_other_inputs(
        &mut self,
        task: &mut Task,
        changed: impl IntoIterator<Item = Location>,
    ) {
        let origin = |location: Location| task.state.shadow(location.space).get(location.offset);
        let terms = &mut self.inputs.terms;
        let mut bits: Vec<Term> = Vec::new();
        for origin in changed.into_iter().filter_map(origin).filter(|origin| origin.byte == 0) {
            let bit = terms.extract(origin.term, 0, everypath_ir::Width::W1);
            if !terms.is_constant(bit) && !bits.contains(&bit) {
                bits.push(bit);
            }
        }
        for bit in bits.into_iter().take(OTHER_INPUTS) {
            if self.cancellation.is_set() {
                return;
            }
            self.inputs.evaluation.set_model(task.model.clone());
            let now = self.inputs.evaluation.holds(&self.inputs.terms, bit);
            let (_, other) = self.inputs.sides(bit, now);
            let mut conditions = task.path_condition.conditions();
            conditions.push(other);
            let query = Query { conditions: &conditions, known: Some(&task.model) };
            let answer = self.queries.ask_cheaply(&mut self.inputs.terms, query, self.cancellation.flag());
            let Answer::Sat(model) = answer else { continue };
            let mut path = task.fork();
            self.inputs.take_model(&mut path, model);
            if let Ok(proof) = self.prove_nontermination(&mut path) {
                return self.record_hang(&path, &proof);
            }
        }
    }

    fn prove_nontermination(&mut self, task: &mut Task) -> Result<NonTerminationProof, NoProof> {
        let mut context = LoopContext {
            runner: &mut self.runner,
            inputs: &mut self.inputs,
            handlers: &self.knowledge.handlers,
            places: BTreeSet::new(),
        };
        let proof = prove_nontermination(&mut context, &mut self.queries, self.cancellation.flag(), task)?;
        self.hangs.record_proof(context.places);
        Ok(proof)
    }

    /// Records a path as a test with which the program never ends.
    fn record_hang(&mut self, task: &Task, proof: &NonTerminationProof) {
        let place = task.at.place;
        let input = self.inputs.test_input(&task.model, &task.progress.reads, task.interrupts());
        let violation = Violation { oracle: HANG, address: place.address, what: proof.explain() };
        let expected = ExpectedPath {
            number: task.path,
            instructions: task.instructions,
            end: End::Repeats { place },
            violations: vec![violation],
        };
        let recording = self.recorder.record_endless(input, expected, &proof.start);
        self.note_recording(&recording, place.address);
    }
}

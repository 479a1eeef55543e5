//! Inference of a recurrent set by Houdini (Flanagan and Leino 2001): the largest conjunction of candidates that an iteration
//! preserves, and the check that it implies the guards of the iteration.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use everypath_solve::{Answer, Query};
use everypath_term::{Evaluation, Input, Model, Term, Terms};
use rustc_hash::FxHashMap;

use crate::hang::candidate::{Candidate, Description};
use crate::queries::Queries;

/// Maximum number of counterexamples to an inductive conjunction: each removes a candidate or more.
const COUNTEREXAMPLES: usize = 120;
/// Maximum number of conflicts of a query: a loop whose proof is hard is not shown to be endless.
const CONFLICTS: u32 = 4_000;

/// One iteration of a loop as a relation over the inputs that stand for its variables.
pub(super) struct Transition {
    /// The conditions under which the iteration takes its path.
    pub(super) guards: Vec<Term>,
    /// The contents of each variable after it.
    pub(super) after: FxHashMap<Input, Term>,
}

/// The solver, and a flag that cancels its queries.
pub(super) struct Prover<'p> {
    pub(super) terms: &'p mut Terms,
    pub(super) queries: &'p mut Queries,
    pub(super) stop: &'p Arc<AtomicBool>,
}

impl Prover<'_> {
    /// The descriptions of the candidates of a recurrent set; `None` if the candidates that an iteration preserves do not keep the
    /// program in the loop, or the solver gives up. The candidates must hold in the concrete state.
    pub(super) fn recurrent_set(
        &mut self,
        transition: &Transition,
        candidates: Vec<Candidate>,
    ) -> Option<Vec<Description>> {
        let mut kept: Vec<(Candidate, Term)> = Vec::new();
        let now: Vec<Term> = candidates.iter().map(|candidate| candidate.now).collect();
        let next = self.terms.substitute(&now, |input| transition.after.get(&input).copied());
        kept.extend(candidates.into_iter().zip(next));
        for _ in 0..COUNTEREXAMPLES {
            let targets: Vec<Term> = kept.iter().map(|(_, next)| *next).collect();
            match self.refute(&kept, &transition.guards, &targets)? {
                Ok(_) => return self.excluding(transition, &kept),
                Err(model) => {
                    let mut evaluation = Evaluation::new(model);
                    let before = kept.len();
                    kept.retain(|(_, next)| evaluation.holds(self.terms, *next));
                    // A model that refutes nothing is not one.
                    if kept.len() == before {
                        return None;
                    }
                }
            }
        }
        None
    }

    /// The candidates on which it rests that no state of the inductive conjunction leaves the path of the iteration.
    fn excluding(&mut self, transition: &Transition, kept: &[(Candidate, Term)]) -> Option<Vec<Description>> {
        let core = self.refute(kept, &[], &transition.guards)?.ok()?;
        let position = |term: &Term| kept.iter().position(|(candidate, _)| candidate.now == *term);
        let mut needed: BTreeSet<usize> = core.iter().filter_map(position).collect();
        let mut open: VecDeque<usize> = needed.iter().copied().collect();
        while let Some(number) = open.pop_front() {
            let core = self.refute(kept, &transition.guards, &[kept[number].1])?.ok()?;
            open.extend(core.iter().filter_map(position).filter(|number| needed.insert(*number)));
        }
        Some(needed.into_iter().map(|number| kept[number].0.what.clone()).collect())
    }

    /// Asks whether all candidates and premises imply all targets: the conditions on which that rests, or a model in which it is not
    /// so; `None` if the solver gives up.
    fn refute(
        &mut self,
        kept: &[(Candidate, Term)],
        premises: &[Term],
        targets: &[Term],
    ) -> Option<Result<Vec<Term>, Model>> {
        let all = targets.iter().fold(self.terms.truth(true), |all, target| self.terms.and(all, *target));
        let fails = self.terms.not(all);
        let mut conditions: Vec<Term> = kept.iter().map(|(candidate, _)| candidate.now).collect();
        conditions.extend_from_slice(premises);
        conditions.push(fails);
        let query = Query { conditions: &conditions, known: None };
        match self.queries.ask_with_conflicts(self.terms, query, CONFLICTS, self.stop) {
            Answer::Unsat(core) => Some(Ok(core)),
            Answer::Sat(model) => Some(Err(model)),
            Answer::Unknown(_) => None,
        }
    }
}

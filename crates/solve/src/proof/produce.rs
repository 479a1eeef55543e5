//! Proof production: a solver run that records each derived clause with its antecedents.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use cadical_sys::ProofTracer;

use super::Proof;
use super::trim::{Antecedent, Derived, trim};
use crate::limits::{Budget, QueryLimits};
use crate::sat::{ClauseSink, Cnf, SatOutcome, SatSolver};

/// The result of a solver run with proof production.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Produced {
    /// An unchecked proof of unsatisfiability.
    Proof(Proof),
    /// A satisfying assignment: the value of each variable, from the first.
    Assignment(Vec<bool>),
    /// A limit was reached first.
    Limit(SatOutcome),
}

/// Solves the clauses in a fresh solver; returns the proof if they are unsatisfiable.
#[must_use]
#[allow(
    clippy::needless_pass_by_value,
    reason = "limits are cheap to clone, and callers build them in place"
)]
pub fn produce(cnf: &Cnf, limits: QueryLimits) -> Produced {
    let record = Rc::new(RefCell::new(Record::default()));
    // Bounded variable addition would introduce variables, whose definitions are not RUP.
    let mut solver = SatSolver::with_tracer(&[("factor", 0)], Rc::clone(&record));
    for _ in 0..cnf.variables() {
        solver.variable();
    }
    for clause in cnf.clauses() {
        solver.clause(clause);
    }
    let budget = Budget::new(&limits);
    match solver.solve(&[], budget.conflicts, &budget.until) {
        SatOutcome::Satisfiable => {
            Produced::Assignment((1..=cnf.variables()).map(|variable| solver.value(variable)).collect())
        }
        SatOutcome::Unsatisfiable => {
            drop(solver);
            let record = record.take();
            Produced::Proof(trim(cnf.len(), record.derived))
        }
        limit @ (SatOutcome::Conflicts | SatOutcome::Time) => Produced::Limit(limit),
    }
}

/// The clauses reported by the solver's proof tracer. The checker finds any error in them.
#[derive(Default)]
struct Record {
    /// The solver's numbers of the original clauses, with their index, from one.
    originals: HashMap<i64, u64>,
    derived: Vec<Derived>,
}

impl ProofTracer for Record {
    fn add_original_clause(&mut self, id: i64, _redundant: bool, _clause: &[i32], restored: bool) {
        if !restored {
            let place = self.originals.len() as u64 + 1;
            self.originals.insert(id, place);
        }
    }

    fn add_derived_clause(&mut self, id: i64, _: bool, _: i32, clause: &[i32], antecedents: &[i64]) {
        let antecedents = antecedents.iter().map(|id| match self.originals.get(id) {
            Some(&place) => Antecedent::Original(place),
            None => Antecedent::Derived(id.unsigned_abs()),
        });
        let antecedents = antecedents.collect();
        self.derived.push(Derived { id: id.unsigned_abs(), literals: clause.to_vec(), antecedents });
    }

    // The remaining events do not affect derivations.
    fn delete_clause(&mut self, _: i64, _: bool, _: &[i32]) {}
    fn weaken_minus(&mut self, _: i64, _: &[i32]) {}
    fn strengthen(&mut self, _: i64) {}
    fn finalize_clause(&mut self, _: i64, _: &[i32]) {}
    fn add_assumption(&mut self, _: i32) {}
    fn add_constraint(&mut self, _: &[i32]) {}
    fn reset_assumptions(&mut self) {}
    fn add_assumption_clause(&mut self, _: i64, _: &[i32], _: &[i64]) {}
    fn conclude_sat(&mut self, _: i32, _: &[i32]) {}
    fn conclude_unsat(&mut self, _: i32, _: &[i64]) {}
    fn conclude_unknown(&mut self, _: &[i32]) {}
}

//! A solver that also queries others and records disagreements.

use everypath_solve::{Answer, Query, QueryLimits, Solver, SolverStack, Statistics};
use everypath_term::{Evaluation, Model, Term, Terms};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

/// Each layer is queried alone for one query in this many, because each is a whole solver.
const ALONE: u64 = 20;

/// The time limit of the others for a query. Queries that they do not answer are not compared.
const PATIENCE: Duration = Duration::from_secs(5);

/// The counts of the comparison.
#[derive(Default)]
pub(super) struct Tally {
    /// Satisfiable, unsatisfiable and unknown queries.
    pub(super) models: u64,
    pub(super) none: u64,
    pub(super) unknown: u64,
    /// Compared answers.
    pub(super) compared: u64,
    /// Answers that the other solver did not give in time.
    pub(super) left_out: u64,
    /// The disagreements, in words.
    pub(super) faults: Vec<String>,
}

impl Tally {
    pub(super) fn questions(&self) -> u64 {
        self.models + self.none + self.unknown
    }
}

/// The whole stack, whose answers are returned; the bare backend; and each layer alone above a backend.
pub(super) struct Compared {
    layered: Box<dyn Solver>,
    bare: Box<dyn Solver>,
    alone: Vec<(&'static str, Box<dyn Solver>)>,
    evaluation: Evaluation,
    asked: u64,
    tally: Rc<RefCell<Tally>>,
}

impl Compared {
    pub(super) fn new(tally: Rc<RefCell<Tally>>) -> Compared {
        let bare = SolverStack::bare();
        let alone = [
            ("constant", SolverStack { constant: true, ..bare.clone() }),
            ("slice", SolverStack { slice: true, ..bare.clone() }),
            ("guess", SolverStack { guess: true, ..bare.clone() }),
            ("cache", SolverStack { cache: true, ..bare.clone() }),
            ("enumerate", SolverStack { enumerate: true, ..bare.clone() }),
            ("relate", SolverStack { relate: true, ..bare.clone() }),
            ("narrow", SolverStack { narrow: true, ..bare.clone() }),
            ("adjust", SolverStack { adjust: true, ..bare.clone() }),
            ("invert", SolverStack { invert: true, ..bare.clone() }),
            ("linear", SolverStack { linear: true, ..bare.clone() }),
            ("polish", SolverStack { polish: true, ..bare.clone() }),
        ];
        Compared {
            layered: SolverStack::default().build(),
            bare: bare.build(),
            alone: alone.into_iter().map(|(name, stack)| (name, stack.build())).collect(),
            evaluation: Evaluation::new(Model::new()),
            asked: 0,
            tally,
        }
    }

    fn holds(&mut self, terms: &Terms, conditions: &[Term], model: &Model) -> bool {
        self.evaluation.set_model(model.clone());
        conditions.iter().all(|&condition| self.evaluation.holds(terms, condition))
    }

    /// Compares one answer with another to the same query; records a disagreement.
    fn compare(
        &mut self,
        terms: &mut Terms,
        query: Query<'_>,
        name: &str,
        answer: &Answer,
        other: &Answer,
        limits: &QueryLimits,
    ) {
        let mut fault = None;
        match (answer, other) {
            (Answer::Unknown(_), _) | (_, Answer::Unknown(_)) => {
                self.tally.borrow_mut().left_out += 1;
                return;
            }
            (Answer::Sat(model), Answer::Sat(_)) => {
                if !self.holds(terms, query.conditions, model) {
                    fault = Some("its model does not satisfy the question");
                }
            }
            (Answer::Unsat(core), Answer::Unsat(_)) => {
                if !core.iter().all(|condition| query.conditions.contains(condition)) {
                    fault = Some("its core has conditions that the question does not have");
                } else if core.len() < query.conditions.len() {
                    let core = Query { conditions: core, known: None };
                    if matches!(self.bare.check(terms, core, limits), Answer::Sat(_)) {
                        fault = Some("its core has a model");
                    }
                }
            }
            (Answer::Sat(_), Answer::Unsat(_)) => fault = Some("it has a model, the bare backend has none"),
            (Answer::Unsat(_), Answer::Sat(_)) => fault = Some("it has no model, the bare backend has one"),
        }
        let mut tally = self.tally.borrow_mut();
        tally.compared += 1;
        if let Some(fault) = fault {
            let question = terms.smtlib(query.conditions).unwrap_or_else(|error| error.to_string());
            tally.faults.push(format!("{name}: {fault}\n{question}"));
        }
    }
}

impl Solver for Compared {
    fn check(&mut self, terms: &mut Terms, query: Query<'_>, limits: &QueryLimits) -> Answer {
        self.asked += 1;
        let answer = self.layered.check(terms, query, limits);
        {
            let mut tally = self.tally.borrow_mut();
            match answer {
                Answer::Sat(_) => tally.models += 1,
                Answer::Unsat(_) => tally.none += 1,
                Answer::Unknown(_) => tally.unknown += 1,
            }
        }
        let short = QueryLimits { time: Some(PATIENCE), ..limits.clone() };
        let bare = self.bare.check(terms, query, &short);
        self.compare(terms, query, "all layers", &answer, &bare, &short);
        if self.asked.is_multiple_of(ALONE) {
            let mut alone = std::mem::take(&mut self.alone);
            for (name, solver) in &mut alone {
                let answer = solver.check(terms, query, &short);
                self.compare(terms, query, name, &answer, &bare, &short);
            }
            self.alone = alone;
        }
        answer
    }

    fn statistics(&self, list: &mut Vec<Statistics>) {
        self.layered.statistics(list);
    }
}

//! A solver that asks others, too, and takes note of where they differ.

use everypath_solve::{Answer, Limits, Query, Solver, Stack, Statistics};
use everypath_term::{Evaluation, Model, Term, Terms};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

/// The layers are asked alone about one question of so many: each of them is a whole solver.
const ALONE: u64 = 20;

/// How long the others may take for a question. What they leave open is not compared.
const PATIENCE: Duration = Duration::from_secs(5);

/// What came of the comparison.
#[derive(Default)]
pub(super) struct Tally {
    /// Questions with a model, without, without an answer.
    pub(super) models: u64,
    pub(super) none: u64,
    pub(super) unknown: u64,
    /// Answers that were compared with another.
    pub(super) compared: u64,
    /// Answers that the other solver did not have in time.
    pub(super) left_out: u64,
    /// What differs, in words.
    pub(super) faults: Vec<String>,
}

impl Tally {
    pub(super) fn questions(&self) -> u64 {
        self.models + self.none + self.unknown
    }
}

/// The whole stack, whose answers are given; the bare backend; and each layer by itself above a backend.
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
        let bare = Stack::bare();
        let alone = [
            ("constant", Stack { constant: true, ..bare.clone() }),
            ("slice", Stack { slice: true, ..bare.clone() }),
            ("guess", Stack { guess: true, ..bare.clone() }),
            ("cache", Stack { cache: true, ..bare.clone() }),
            ("enumerate", Stack { enumerate: true, ..bare.clone() }),
            ("relate", Stack { relate: true, ..bare.clone() }),
            ("narrow", Stack { narrow: true, ..bare.clone() }),
            ("adjust", Stack { adjust: true, ..bare.clone() }),
            ("invert", Stack { invert: true, ..bare.clone() }),
            ("linear", Stack { linear: true, ..bare.clone() }),
            ("polish", Stack { polish: true, ..bare.clone() }),
        ];
        Compared {
            layered: Stack::default().build(),
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

    /// What is wrong with one answer, given another to the same question.
    fn compare(
        &mut self,
        terms: &mut Terms,
        query: Query<'_>,
        name: &str,
        answer: &Answer,
        other: &Answer,
        limits: &Limits,
    ) {
        let mut fault = None;
        match (answer, other) {
            (Answer::Unknown(_), _) | (_, Answer::Unknown(_)) => {
                self.tally.borrow_mut().left_out += 1;
                return;
            }
            (Answer::Model(model), Answer::Model(_)) => {
                if !self.holds(terms, query.conditions, model) {
                    fault = Some("its model does not satisfy the question");
                }
            }
            (Answer::None(core), Answer::None(_)) => {
                if !core.iter().all(|condition| query.conditions.contains(condition)) {
                    fault = Some("its core has conditions that the question does not have");
                } else if core.len() < query.conditions.len() {
                    let core = Query { conditions: core, known: None };
                    if matches!(self.bare.check(terms, core, limits), Answer::Model(_)) {
                        fault = Some("its core has a model");
                    }
                }
            }
            (Answer::Model(_), Answer::None(_)) => fault = Some("it has a model, the bare backend has none"),
            (Answer::None(_), Answer::Model(_)) => fault = Some("it has no model, the bare backend has one"),
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
    fn check(&mut self, terms: &mut Terms, query: Query<'_>, limits: &Limits) -> Answer {
        self.asked += 1;
        let answer = self.layered.check(terms, query, limits);
        {
            let mut tally = self.tally.borrow_mut();
            match answer {
                Answer::Model(_) => tally.models += 1,
                Answer::None(_) => tally.none += 1,
                Answer::Unknown(_) => tally.unknown += 1,
            }
        }
        let short = Limits { time: Some(PATIENCE), ..limits.clone() };
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

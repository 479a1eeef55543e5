//! An external SMT-LIB 2 solver over a pipe: decides queries that the first backend leaves open, and gives the
//! independent second opinion.

use everypath_term::{Input, Model, Term, Terms};

use super::process::{Running, SolverProgram, Trouble};
use crate::limits::Budget;
use crate::{Answer, Query, QueryDeadline, QueryLimits, Solver, Statistics, UnknownReason};

/// Queries a solver in a child process. It is started on first use, and restarted after it had to be killed.
pub struct Pipe {
    program: SolverProgram,
    running: Option<Running>,
    statistics: Statistics,
}

impl Pipe {
    /// A solver that is not started yet.
    #[must_use]
    pub fn new(program: SolverProgram) -> Pipe {
        let statistics = Statistics { name: "pipe", ..Statistics::default() };
        Pipe { program, running: None, statistics }
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &SolverProgram {
        &self.program
    }

    fn ask(&mut self, terms: &Terms, conditions: &[Term], until: &QueryDeadline) -> Result<Answer, Trouble> {
        let script = match terms.smtlib(conditions) {
            Ok(script) => script,
            Err(error) => return Ok(Answer::Unknown(UnknownReason::GaveUp(error.to_string()))),
        };
        let running = match &mut self.running {
            Some(running) => running,
            none => none.insert(Running::start(&self.program)?),
        };
        running.send(&format!("(reset)\n(set-option :produce-models true)\n{script}(check-sat)\n"))?;
        match running.expression(until)?.as_str() {
            "unsat" => Ok(Answer::Unsat(conditions.to_vec())),
            "sat" => {
                let inputs = inputs(terms, conditions);
                let names: Vec<String> = inputs.iter().map(|input| format!("i{}", input.0)).collect();
                if names.is_empty() {
                    return Ok(Answer::Sat(Model::new()));
                }
                running.send(&format!("(get-value ({}))\n", names.join(" ")))?;
                let values = running.expression(until)?;
                Ok(match model(&values) {
                    Some(model) => Answer::Sat(model),
                    None => {
                        Answer::Unknown(UnknownReason::GaveUp(format!("its model cannot be read: {values}")))
                    }
                })
            }
            other => {
                Ok(Answer::Unknown(UnknownReason::GaveUp(format!("{} said {other}", self.program.name))))
            }
        }
    }
}

impl Solver for Pipe {
    fn check(&mut self, terms: &mut Terms, query: Query<'_>, limits: &QueryLimits) -> Answer {
        self.statistics.asked += 1;
        let budget = Budget::new(limits);
        let answer = self.ask(terms, query.conditions, &budget.until).unwrap_or_else(|trouble| {
            // The state of the process is unknown, so the next query starts a new one.
            self.running = None;
            Answer::Unknown(match trouble {
                Trouble::Overrun => budget.overrun(),
                Trouble::Gone(why) => UnknownReason::GaveUp(why),
            })
        });
        if !matches!(answer, Answer::Unknown(_)) {
            self.statistics.answered += 1;
        }
        answer
    }

    fn statistics(&self, list: &mut Vec<Statistics>) {
        list.push(self.statistics);
    }
}

fn inputs(terms: &Terms, conditions: &[Term]) -> std::collections::BTreeSet<Input> {
    conditions.iter().flat_map(|&condition| terms.inputs(condition).iter()).collect()
}

/// Parses the response to `get-value`: `((i0 #x1f) (i1 #b00000000))`.
fn model(values: &str) -> Option<Model> {
    let words: Vec<&str> = values
        .split(|letter: char| letter.is_whitespace() || "()".contains(letter))
        .filter(|word| !word.is_empty())
        .collect();
    let mut model = Model::new();
    for pair in words.chunks(2) {
        let [name, value] = pair else { return None };
        let number = name.strip_prefix('i')?.parse().ok()?;
        let byte = match (value.strip_prefix("#x"), value.strip_prefix("#b")) {
            (Some(digits), _) => u8::from_str_radix(digits, 16).ok()?,
            (_, Some(digits)) => u8::from_str_radix(digits, 2).ok()?,
            _ => return None,
        };
        model.set(Input(number), byte);
    }
    Some(model)
}

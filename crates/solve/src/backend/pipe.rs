//! Any SMT-LIB 2 solver by pipe: for what the first backend leaves open, and as the independent opinion.

use everypath_term::{Input, Model, Term, Terms};

use super::process::{Program, Running, Trouble};
use crate::limits::Budget;
use crate::{Answer, Limits, Query, Reason, Solver, Statistics, Until};

/// Asks a solver in a child process. It is started when it is first needed, and again after it had to be ended.
pub struct Pipe {
    program: Program,
    running: Option<Running>,
    statistics: Statistics,
}

impl Pipe {
    /// A solver that is not started yet.
    #[must_use]
    pub fn new(program: Program) -> Pipe {
        let statistics = Statistics { name: "pipe", ..Statistics::default() };
        Pipe { program, running: None, statistics }
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    fn ask(&mut self, terms: &Terms, conditions: &[Term], until: &Until) -> Result<Answer, Trouble> {
        let script = match terms.smtlib(conditions) {
            Ok(script) => script,
            Err(error) => return Ok(Answer::Unknown(Reason::GaveUp(error.to_string()))),
        };
        let running = match &mut self.running {
            Some(running) => running,
            none => none.insert(Running::start(&self.program)?),
        };
        running.send(&format!("(reset)\n(set-option :produce-models true)\n{script}(check-sat)\n"))?;
        match running.expression(until)?.as_str() {
            "unsat" => Ok(Answer::None(conditions.to_vec())),
            "sat" => {
                let inputs = inputs(terms, conditions);
                let names: Vec<String> = inputs.iter().map(|input| format!("i{}", input.0)).collect();
                if names.is_empty() {
                    return Ok(Answer::Model(Model::new()));
                }
                running.send(&format!("(get-value ({}))\n", names.join(" ")))?;
                let values = running.expression(until)?;
                Ok(match model(&values) {
                    Some(model) => Answer::Model(model),
                    None => Answer::Unknown(Reason::GaveUp(format!("its model cannot be read: {values}"))),
                })
            }
            other => Ok(Answer::Unknown(Reason::GaveUp(format!("{} said {other}", self.program.name)))),
        }
    }
}

impl Solver for Pipe {
    fn check(&mut self, terms: &mut Terms, query: Query<'_>, limits: &Limits) -> Answer {
        self.statistics.asked += 1;
        let budget = Budget::new(limits);
        let answer = self.ask(terms, query.conditions, &budget.until).unwrap_or_else(|trouble| {
            // Whatever it was doing, it is not to be trusted with the next question.
            self.running = None;
            Answer::Unknown(match trouble {
                Trouble::Overrun => budget.overrun(),
                Trouble::Gone(why) => Reason::GaveUp(why),
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

/// Reads what `get-value` says: `((i0 #x1f) (i1 #b00000000))`.
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

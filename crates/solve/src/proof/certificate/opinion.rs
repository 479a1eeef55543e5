//! Verdicts of other solvers on the query of a certificate.

use super::{Certificate, text};
use crate::{Answer, Pipe, Query, QueryLimits, Solver, SolverProgram};

/// The verdict of another solver on the same query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opinion {
    /// Its name, a word.
    pub solver: String,
    /// Its version, a word.
    pub version: String,
    /// Its answer, a word such as `unsat`.
    pub answer: String,
}

impl Certificate {
    /// Queries another solver with the conditions of the core, and records its verdict.
    pub fn ask(&mut self, program: &SolverProgram, limits: &QueryLimits) {
        let answer = match text::read_query(&self.query) {
            Ok((mut terms, all)) => {
                let core: Vec<_> = self.core.iter().filter_map(|&place| all.get(place).copied()).collect();
                let query = Query { conditions: &core, known: None };
                match Pipe::new(program.clone()).check(&mut terms, query, limits) {
                    Answer::Sat(_) => "sat",
                    Answer::Unsat(_) => "unsat",
                    Answer::Unknown(_) => "unknown",
                }
            }
            Err(_) => "unknown",
        };
        let said = program.version().unwrap_or_default();
        let is_version = |word: &&str| word.starts_with(|letter: char| letter.is_ascii_digit());
        let version = said.split_whitespace().find(is_version).unwrap_or("unknown");
        let name = program.name.rsplit('/').next().unwrap_or_default();
        self.opinions.push(Opinion {
            // The text form separates words by blanks.
            solver: name.replace(char::is_whitespace, "_"),
            version: version.to_owned(),
            answer: answer.to_owned(),
        });
    }
}

//! Writes every query that reaches it as SMT-LIB 2, with its answer.

use std::io::Write;

use everypath_term::Terms;

use super::report;
use crate::{Answer, Query, QueryLimits, Solver, Statistics};

/// Writes queries to an output stream. Write errors are ignored: a log never changes an answer.
pub struct Log {
    below: Box<dyn Solver>,
    output: Box<dyn Write>,
    statistics: Statistics,
}

impl Log {
    /// Puts the layer above another solver.
    #[must_use]
    pub fn new(below: Box<dyn Solver>, output: Box<dyn Write>) -> Log {
        Log { below, output, statistics: Statistics { name: "log", ..Statistics::default() } }
    }
}

impl Solver for Log {
    fn check(&mut self, terms: &mut Terms, query: Query<'_>, limits: &QueryLimits) -> Answer {
        self.statistics.asked += 1;
        let script = terms.smtlib(query.conditions);
        let answer = self.below.check(terms, query, limits);
        let text = match &answer {
            Answer::Sat(_) => "sat".to_owned(),
            Answer::Unsat(_) => "unsat".to_owned(),
            Answer::Unknown(reason) => format!("unknown: {reason}"),
        };
        let number = self.statistics.asked;
        let body = script.unwrap_or_else(|error| format!("; {error}\n"));
        let _ = writeln!(self.output, "; query {number}: {text}\n(reset)\n{body}(check-sat)");
        answer
    }

    fn statistics(&self, list: &mut Vec<Statistics>) {
        report(self.statistics, &*self.below, list);
    }
}

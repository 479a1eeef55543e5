//! The main backend as a solver of queries.

use everypath_term::Terms;

use super::bitblast::Session;
use crate::{Answer, Limits, Query, Solver, Statistics};

/// Our bit-blasting onto CaDiCaL, in process.
pub struct BitBlast {
    session: Session,
    statistics: Statistics,
}

impl BitBlast {
    /// A backend that has seen no terms.
    #[must_use]
    pub fn new() -> BitBlast {
        let statistics = Statistics { name: "bit-blast", ..Statistics::default() };
        BitBlast { session: Session::new(), statistics }
    }
}

impl Default for BitBlast {
    fn default() -> BitBlast {
        BitBlast::new()
    }
}

impl Solver for BitBlast {
    fn check(&mut self, terms: &mut Terms, query: Query<'_>, limits: &Limits) -> Answer {
        self.statistics.asked += 1;
        let answer = self.session.check(terms, query.conditions, limits.clone());
        if !matches!(answer, Answer::Unknown(_)) {
            self.statistics.answered += 1;
        }
        answer
    }

    fn statistics(&self, list: &mut Vec<Statistics>) {
        list.push(self.statistics);
    }
}

//! The bit-blasting session as a [`Solver`].

use everypath_term::Terms;

use super::bitblast::BitBlastSession;
use crate::{Answer, Query, QueryLimits, Solver, Statistics};

/// Bit blasting onto CaDiCaL, in process.
pub struct BitBlast {
    session: BitBlastSession,
    statistics: Statistics,
}

impl BitBlast {
    /// A backend with an empty session.
    #[must_use]
    pub fn new() -> BitBlast {
        let statistics = Statistics { name: "bit-blast", ..Statistics::default() };
        BitBlast { session: BitBlastSession::new(), statistics }
    }
}

impl Default for BitBlast {
    fn default() -> BitBlast {
        BitBlast::new()
    }
}

impl Solver for BitBlast {
    fn check(&mut self, terms: &mut Terms, query: Query<'_>, limits: &QueryLimits) -> Answer {
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

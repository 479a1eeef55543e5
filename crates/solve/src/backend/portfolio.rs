//! A sequential portfolio of two backends with fixed turns.

use std::time::{Duration, Instant};

use everypath_term::Terms;

use crate::{Answer, Query, QueryLimits, Solver, Statistics};

/// The conflict limit of the first backend's turn, some seconds. Counted in conflicts, so that the load of the machine
/// does not decide which backend answers.
const FIRST_TURN: u32 = 100_000;

/// Queries the first backend within its turn, then the second for half of the remaining time, then the first again. A
/// query that the first cannot translate goes to the second at once.
pub struct Portfolio {
    first: Box<dyn Solver>,
    second: Box<dyn Solver>,
    statistics: Statistics,
}

impl Portfolio {
    /// A first and a second backend.
    #[must_use]
    pub fn new(first: Box<dyn Solver>, second: Box<dyn Solver>) -> Portfolio {
        let statistics = Statistics { name: "portfolio", ..Statistics::default() };
        Portfolio { first, second, statistics }
    }
}

impl Solver for Portfolio {
    fn check(&mut self, terms: &mut Terms, query: Query<'_>, limits: &QueryLimits) -> Answer {
        self.statistics.asked += 1;
        let start = Instant::now();
        let left = || limits.time.map(|time| time.saturating_sub(start.elapsed()));
        let conflicts = Some(limits.conflicts.map_or(FIRST_TURN, |conflicts| conflicts.min(FIRST_TURN)));
        let half = |time: Option<Duration>| time.map(|time| time / 2);
        let first = QueryLimits { conflicts, time: half(limits.time), ..limits.clone() };
        let answer = self.first.check(terms, query, &first);
        if !matches!(answer, Answer::Unknown(_)) {
            return answer;
        }
        let second = self.second.check(terms, query, &QueryLimits { time: half(left()), ..limits.clone() });
        if !matches!(second, Answer::Unknown(_)) {
            return second;
        }
        self.first.check(terms, query, &QueryLimits { time: left(), ..limits.clone() })
    }

    fn statistics(&self, list: &mut Vec<Statistics>) {
        list.push(self.statistics);
        self.first.statistics(list);
        self.second.statistics(list);
    }
}

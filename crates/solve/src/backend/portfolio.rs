//! The rule that says which backend is asked when.

use std::time::{Duration, Instant};

use everypath_term::Terms;

use crate::{Answer, Limits, Query, Solver, Statistics};

/// How much the first backend works on a question before the second one gets its turn: some seconds. Counted in conflicts,
/// so that who answers does not depend on what else the machine does.
const FIRST_TURN: u32 = 100_000;

/// Asks the first backend for a while, then the second for half of the time that is left, then the first one again. A
/// question that the first one cannot even read goes to the second one at once.
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
    fn check(&mut self, terms: &mut Terms, query: Query<'_>, limits: &Limits) -> Answer {
        self.statistics.asked += 1;
        let start = Instant::now();
        let left = || limits.time.map(|time| time.saturating_sub(start.elapsed()));
        let conflicts = Some(limits.conflicts.map_or(FIRST_TURN, |conflicts| conflicts.min(FIRST_TURN)));
        let half = |time: Option<Duration>| time.map(|time| time / 2);
        let first = Limits { conflicts, time: half(limits.time), ..limits.clone() };
        let answer = self.first.check(terms, query, &first);
        if !matches!(answer, Answer::Unknown(_)) {
            return answer;
        }
        let second = self.second.check(terms, query, &Limits { time: half(left()), ..limits.clone() });
        if !matches!(second, Answer::Unknown(_)) {
            return second;
        }
        self.first.check(terms, query, &Limits { time: left(), ..limits.clone() })
    }

    fn statistics(&self, list: &mut Vec<Statistics>) {
        list.push(self.statistics);
        self.first.statistics(list);
        self.second.statistics(list);
    }
}

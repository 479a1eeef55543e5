//! The rule that says which backend is asked when.

use std::time::Duration;

use everypath_term::Terms;

use crate::{Answer, Limits, Query, Solver, Statistics};

/// How long the first backend works on a question before the second one gets its turn.
const FIRST_TURN: Duration = Duration::from_millis(1500);

/// Asks the first backend for a short time, then the second, then the first one again for all the time that is left. A
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
        let short =
            Limits { time: Some(limits.time.map_or(FIRST_TURN, |time| time.min(FIRST_TURN))), ..*limits };
        let answer = self.first.check(terms, query, &short);
        if !matches!(answer, Answer::Unknown(_)) {
            return answer;
        }
        let left = limits.time.map(|time| time.saturating_sub(FIRST_TURN));
        if left == Some(Duration::ZERO) {
            return answer;
        }
        let half = Limits { time: left.map(|left| left / 2), ..*limits };
        let second = self.second.check(terms, query, &half);
        if !matches!(second, Answer::Unknown(_)) {
            return second;
        }
        self.first.check(terms, query, &half)
    }

    fn statistics(&self, list: &mut Vec<Statistics>) {
        list.push(self.statistics);
        self.first.statistics(list);
        self.second.statistics(list);
    }
}

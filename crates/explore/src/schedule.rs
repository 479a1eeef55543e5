//! When a search looks at its result again, and when it gives up: the numbers of paths that decide it.

/// Number of paths after which the search first checks whether every uncovered direction is infeasible; it checks again
/// each time the number doubles, because excluding directions by value sets is slow.
const FIRST_JUDGED: u64 = 32;

/// Number of further paths of a search for hangs when its criterion is reached: enough for every value of a byte.
const PATHS_FOR_HANGS: u64 = 300;

/// The work of these paths, in executed instructions.
const WORK_FOR_HANGS: u64 = 4_000_000;

/// The path counts of a search.
pub(crate) struct Schedule {
    /// Number of paths run.
    paths: u64,
    /// Maximum number of paths.
    bound: u64,
    /// Number of further paths when everything known is covered.
    patience: u64,
    /// Number of paths run when everything that the criterion knows became covered; `None` while it is not.
    covered_since: Option<u64>,
    /// Number of paths run when the criterion was reached, and the work up to then.
    reached_at: Option<(u64, u64)>,
    /// Number of paths after which the verdicts are checked next.
    judge_at: u64,
    /// How often value sets were computed, and the number of paths before which they are not computed again.
    deepened: (u64, u64),
}

impl Schedule {
    pub(crate) fn new(patience: u64, bound: u64) -> Schedule {
        Schedule {
            paths: 0,
            bound,
            patience,
            covered_since: None,
            reached_at: None,
            judge_at: FIRST_JUDGED,
            deepened: (0, 0),
        }
    }

    /// Number of paths run.
    pub(crate) fn paths(&self) -> u64 {
        self.paths
    }

    /// Counts a path.
    pub(crate) fn ran(&mut self) {
        self.paths += 1;
    }

    /// Advances a search for hangs whose criterion is reached; true if it ends. Loops that are never left show no new direction, so
    /// that it runs some more paths first.
    pub(crate) fn advance_search_for_hangs(&mut self, effort: u64) -> bool {
        let (paths, before) = *self.reached_at.get_or_insert((self.paths, effort));
        self.paths - paths >= PATHS_FOR_HANGS || effort - before >= WORK_FOR_HANGS
    }

    /// Everything known is covered, but the criterion is not reached: new code may still appear.
    pub(crate) fn covered(&mut self) {
        self.covered_since.get_or_insert(self.paths);
    }

    /// Something known is not covered.
    pub(crate) fn uncovered(&mut self) {
        self.covered_since = None;
    }

    /// Why the search must end, if a bound is reached. `covers_all` tells whether everything known is covered.
    pub(crate) fn check_bounds(&self, covers_all: bool) -> Result<(), String> {
        let (paths, patience) = (self.paths, self.patience);
        if covers_all && self.covered_since.is_some_and(|since| paths - since >= patience) {
            return Err(format!(
                "{patience} more paths showed nothing new after every known direction was covered, but not every indirect \
                 jump is resolved"
            ));
        }
        if paths >= self.bound {
            let paths = if self.bound == 1 { "path" } else { "paths" };
            return Err(format!("the bound of {} {paths} was reached", self.bound));
        }
        Ok(())
    }

    /// Takes the computation of value sets that is due, if one is. Each target that a path adds to the graph makes them
    /// obsolete, so that the number of paths between two computations grows.
    pub(crate) fn take_due_deepening(&mut self) -> bool {
        let (times, not_before) = self.deepened;
        let is_due = self.paths >= not_before;
        if is_due {
            self.deepened = (times + 1, self.paths + times);
        }
        is_due
    }

    /// Takes the check of the verdicts that is due, if one is; the next is due after twice as many paths.
    pub(crate) fn take_due_judging(&mut self) -> bool {
        let is_due = self.paths >= self.judge_at;
        if is_due {
            self.judge_at = 2 * self.paths;
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_ends_a_search_that_finds_nothing_new() {
        let mut schedule = Schedule::new(2, 100);
        schedule.covered();
        schedule.ran();
        assert_eq!(schedule.check_bounds(true), Ok(()));
        schedule.ran();
        assert!(schedule.check_bounds(true).is_err());
        schedule.uncovered();
        schedule.covered();
        assert_eq!(schedule.check_bounds(true), Ok(()), "new code begins the count anew");
    }

    #[test]
    fn value_sets_are_computed_less_and_less_often() {
        let mut schedule = Schedule::new(0, u64::MAX);
        let due = (1..=20).filter(|_| {
            schedule.ran();
            schedule.take_due_deepening()
        });
        assert_eq!(due.collect::<Vec<u64>>(), [1, 2, 3, 5, 8, 12, 17]);
    }

    #[test]
    fn verdicts_are_checked_each_time_the_number_of_paths_doubles() {
        let mut schedule = Schedule::new(0, u64::MAX);
        let due = (1..=200).filter(|_| {
            schedule.ran();
            schedule.take_due_judging()
        });
        assert_eq!(due.collect::<Vec<u64>>(), [32, 64, 128]);
    }
}

//! Progress reports of an exploration, and its cancellation and steering by an observer.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use everypath_record::{Direction, Finding, Judged, TestCase, Verdict};
use everypath_solve::Statistics;

use crate::exploration::Exploration;
use crate::record::recorder::{Recorded, Recorder};
use crate::steering::Steering;

/// A progress report.
#[derive(Clone, Debug, Default)]
pub struct ProgressReport {
    /// Covered branch directions.
    pub covered: usize,
    /// Discovered branch directions.
    pub directions: usize,
    /// Distinct instructions executed.
    pub instructions: usize,
    /// Tests so far.
    pub tests: usize,
    /// Findings so far.
    pub findings: usize,
    /// Paths run to their end.
    pub paths: u64,
    /// Pending branches.
    pub pending: usize,
    /// Solver queries so far.
    pub queries: u64,
    /// Instructions of the guest executed on explored paths; trial runs and replays are not counted.
    pub executed: u64,
    /// The address that the current path has reached.
    pub address: u64,
    /// Statistics of the solver layers.
    pub solver: Vec<Statistics>,
}

/// The details of a search: its frontier, and the directions that are known so far.
#[derive(Clone, Debug, Default)]
pub struct SearchDetails {
    /// Number of pending branches, by the branching instruction.
    pub pending: BTreeMap<u64, usize>,
    /// The known branch directions. Their verdicts come at the end; this is what the search knows now.
    pub directions: Vec<(Direction, DirectionStatus)>,
}

/// The provisional verdict on a branch direction while the search runs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DirectionStatus {
    /// A path has taken it.
    Covered,
    /// Value sets or an abstraction exclude it. A path that shows them wrong, or a further target of an indirect jump, may
    /// still change that.
    Infeasible,
    /// It is undecided.
    Open(OpenReason),
}

/// Why a branch direction is undecided so far; displayed in words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum OpenReason {
    /// No path has executed the branch.
    NotReached,
    /// A branch with this direction is pending.
    Pending,
    /// A solver query for it was not answered, for this reason.
    Unanswered(String),
    /// Each query for it so far was unsatisfiable.
    Unsatisfiable,
    /// The condition of the branch has not depended on input so far.
    Constant,
}

impl fmt::Display for OpenReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenReason::NotReached => write!(formatter, "branch not reached"),
            OpenReason::Pending => write!(formatter, "pending"),
            OpenReason::Unanswered(reason) => write!(formatter, "query not answered: {reason}"),
            OpenReason::Unsatisfiable => write!(formatter, "unsatisfiable so far"),
            OpenReason::Constant => write!(formatter, "constant so far"),
        }
    }
}

/// Observes the progress of an exploration, and may steer it.
pub trait Observer {
    /// Called now and then with a progress report; `false` cancels the exploration.
    fn on_progress(&mut self, now: &dyn Fn() -> ProgressReport) -> bool;

    /// Called after each progress report with the details of the search, which are computed only if they are asked for.
    fn on_details(&mut self, now: &dyn Fn() -> SearchDetails) {
        let _ = now;
    }

    /// Called after each progress report: what to change about the search, in order. If nothing is ever changed, the
    /// exploration is the same as without an observer.
    fn steer(&mut self) -> Vec<Steering> {
        Vec::new()
    }

    /// Called for each [`Steering::Pause`]: returns when the search is to continue. The time limit does not run meanwhile.
    fn wait_while_paused(&mut self) {}

    /// Called for each test when it is recorded. Its name is provisional: the minimised suite may leave the test out, and
    /// renumber the remaining ones.
    fn test(&mut self, test: &TestCase) {
        let _ = test;
    }

    /// Called for each finding when it is confirmed. The name of its test is provisional.
    fn finding(&mut self, finding: &Finding) {
        let _ = finding;
    }

    /// Called for each covered direction after the test that covers it, and for all others at the end.
    fn verdict(&mut self, judged: &Judged) {
        let _ = judged;
    }

    /// A cancellation flag, which is polled inside solver queries as well. The alarm for the time limit sets it, too.
    fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::default()
    }
}

/// A no-op observer.
pub struct NoObserver;

impl Observer for NoObserver {
    fn on_progress(&mut self, _: &dyn Fn() -> ProgressReport) -> bool {
        true
    }
}

/// The tests, findings and covered directions that the observer has been told of.
#[derive(Default)]
pub(crate) struct Announcer {
    tests: usize,
    findings: usize,
}

impl Announcer {
    /// Tells the observer of the tests and findings recorded since the last call.
    pub(crate) fn tell(&mut self, recorder: &Recorder<'_>, observer: &mut dyn Observer) {
        for Recorded { test, .. } in &recorder.tests()[self.tests..] {
            observer.test(test);
            for direction in test.new_directions.iter().copied() {
                let verdict = Verdict::covered_by_test(&test.name);
                observer.verdict(&Judged { direction, verdict });
            }
        }
        recorder.findings()[self.findings..].iter().for_each(|finding| observer.finding(finding));
        (self.tests, self.findings) = (recorder.tests().len(), recorder.findings().len());
    }

    /// Tells the observer of the verdicts on directions that no test covers.
    pub(crate) fn tell_uncovered(exploration: &Exploration, observer: &mut dyn Observer) {
        let is_covered = |judged: &&Judged| matches!(judged.verdict, Verdict::Covered { .. });
        let uncovered = exploration.directions.iter().filter(|judged| !is_covered(judged));
        uncovered.for_each(|judged| observer.verdict(judged));
    }
}

//! Progress reports of an exploration, and its cancellation by an observer.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use everypath_record::{Finding, Judged, TestCase, Verdict};
use everypath_solve::Statistics;

use crate::exploration::Exploration;
use crate::record::recorder::{Recorded, Recorder};

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
    /// Instructions of the guest executed, repetitions included.
    pub executed: u64,
    /// The address that the current path has reached.
    pub address: u64,
    /// Statistics of the solver layers.
    pub solver: Vec<Statistics>,
}

/// Observes the progress of an exploration.
pub trait Observer {
    /// Called now and then with a progress report; `false` cancels the exploration.
    fn on_progress(&mut self, now: &dyn Fn() -> ProgressReport) -> bool;

    /// Called for each test when it is recorded. Its name is provisional: the minimised suite may leave the test out, and
    /// numbers the remaining ones anew.
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

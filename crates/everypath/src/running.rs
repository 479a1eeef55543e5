//! An exploration in a thread of its own: an iterator over what it discovers, while it runs.

use crate::error::Error;
use crate::outcome::Outcome;
use crate::steering::SteeringQueue;
use everypath_explore::{Observer, ProgressReport, Steering};
use everypath_record::{Finding, Judged, TestCase};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

/// A discovery of a running exploration. Names of tests are provisional: the minimised suite leaves tests out and
/// numbers the remaining ones anew.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Discovery {
    /// A test was recorded.
    Test(TestCase),
    /// An oracle's report was confirmed.
    Finding(Finding),
    /// A branch direction got its verdict. Directions that no test covers get theirs at the end.
    Verdict(Judged),
}

/// A running exploration; as an iterator, its discoveries in order. Dropping it stops the exploration.
pub struct Running {
    discoveries: Receiver<Discovery>,
    stop: StopOnDrop,
    steering: SteeringQueue,
    thread: JoinHandle<Result<Outcome, Error>>,
}

impl Running {
    /// Runs an exploration in a new thread.
    pub(crate) fn start(
        explore: impl FnOnce(&mut dyn Observer) -> Result<Outcome, Error> + Send + 'static,
    ) -> Running {
        let (sender, discoveries) = channel();
        let stop = Arc::new(AtomicBool::new(false));
        let steering = SteeringQueue::default();
        let mut reporter = Reporter { sender, stop: stop.clone(), steering: steering.clone() };
        let thread = thread::spawn(move || explore(&mut reporter));
        Running { discoveries, stop: StopOnDrop(stop), steering, thread }
    }

    /// Asks the exploration to stop. It ends soon, with the verdicts and tests that it has.
    pub fn stop(&self) {
        self.stop.0.store(true, Ordering::Relaxed);
    }

    /// The flag that stops the exploration when it is set, for another thread or a signal handler.
    #[must_use]
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        self.stop.0.clone()
    }

    /// The queue of changes to the exploration: which functions come first or last, its bounds, and pauses. Each change is
    /// recorded in the ledger, among [`Summary::assumptions`](everypath_record::Summary::assumptions).
    #[must_use]
    pub fn steering(&self) -> &SteeringQueue {
        &self.steering
    }

    /// Waits for the end, and returns the outcome.
    ///
    /// # Errors
    /// If the configuration or the plan does not fit the program, or the setup is wrong.
    ///
    /// # Panics
    /// If the exploration panicked.
    pub fn finish(self) -> Result<Outcome, Error> {
        let Running { thread, stop, steering: _, discoveries: _ } = self;
        let outcome = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        drop(stop);
        outcome
    }
}

impl Iterator for Running {
    type Item = Discovery;

    fn next(&mut self) -> Option<Discovery> {
        self.discoveries.recv().ok()
    }
}

/// Stops the exploration when it is dropped.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The observer that sends discoveries to a [`Running`].
struct Reporter {
    sender: Sender<Discovery>,
    stop: Arc<AtomicBool>,
    steering: SteeringQueue,
}

impl Reporter {
    fn send(&self, discovery: Discovery) {
        // Without a receiver the exploration is being stopped.
        let _ = self.sender.send(discovery);
    }
}

impl Observer for Reporter {
    fn on_progress(&mut self, _: &dyn Fn() -> ProgressReport) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }

    fn steer(&mut self) -> Vec<Steering> {
        self.steering.take()
    }

    fn wait_while_paused(&mut self) {
        self.steering.wait_while_paused(&self.stop);
    }

    fn test(&mut self, test: &TestCase) {
        self.send(Discovery::Test(test.clone()));
    }

    fn finding(&mut self, finding: &Finding) {
        self.send(Discovery::Finding(finding.clone()));
    }

    fn verdict(&mut self, judged: &Judged) {
        self.send(Discovery::Verdict(judged.clone()));
    }

    fn stop_flag(&self) -> Arc<AtomicBool> {
        self.stop.clone()
    }
}

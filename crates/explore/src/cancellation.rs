//! Cooperative cancellation: one flag that every long computation polls, set by the user or by an alarm.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Time that a cancelled exploration may still spend on its result.
const GRACE: Duration = Duration::from_millis(500);

/// Share of the time limit reserved for the result: one part of so many, at most [`LONGEST`].
const SHARE: u32 = 10;
const LONGEST: Duration = Duration::from_secs(5);

/// A timer that sets a flag, unless it is dropped before.
pub(crate) struct Alarm {
    _cancel: Sender<()>,
}

impl Alarm {
    pub(crate) fn set(flag: Arc<AtomicBool>, after: Duration) -> Alarm {
        let (cancel, cancelled) = channel();
        thread::spawn(move || {
            if cancelled.recv_timeout(after) == Err(RecvTimeoutError::Timeout) {
                flag.store(true, Ordering::Relaxed);
            }
        });
        Alarm { _cancel: cancel }
    }
}

/// The cancellation of one exploration: its flag, its start and its time limit.
pub(crate) struct Cancellation {
    flag: Arc<AtomicBool>,
    /// The start, moved on by the time of pauses.
    started: Instant,
    seconds: Option<u64>,
    /// The alarm for the time limit, while the exploration searches.
    alarm: Option<Alarm>,
}

impl Cancellation {
    pub(crate) fn new(started: Instant, seconds: Option<u64>) -> Cancellation {
        Cancellation { flag: Arc::default(), started, seconds, alarm: None }
    }

    /// Polls another flag from now on, which the user may set.
    pub(crate) fn watch(&mut self, flag: Arc<AtomicBool>) {
        self.flag = flag;
    }

    /// The flag, for computations that poll it themselves.
    pub(crate) fn flag(&self) -> &Arc<AtomicBool> {
        &self.flag
    }

    pub(crate) fn is_set(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// Whether the time for exploring is over.
    fn is_late(&self) -> bool {
        self.seconds.is_some_and(|seconds| self.started.elapsed() >= exploring(seconds))
    }

    /// Why the exploration is cancelled.
    pub(crate) fn reason(&self) -> String {
        match self.seconds {
            Some(seconds) if self.is_late() => format!("the time limit of {seconds} s was reached"),
            _ => "interrupted by the user".to_owned(),
        }
    }

    /// Sets the alarm for the time limit, instead of the one that is set.
    pub(crate) fn set_alarm(&mut self) {
        self.alarm = self.alarm();
    }

    /// Drops the alarm for the time limit.
    pub(crate) fn drop_alarm(&mut self) {
        self.alarm = None;
    }

    /// Changes the time limit of an exploration that searches.
    pub(crate) fn limit(&mut self, seconds: u64) {
        self.seconds = Some(seconds);
        self.set_alarm();
    }

    /// Waits; that time does not count.
    pub(crate) fn suspend(&mut self, wait: impl FnOnce()) {
        self.drop_alarm();
        let pause_started = Instant::now();
        wait();
        self.started += pause_started.elapsed();
        self.set_alarm();
    }

    /// An alarm for the time limit.
    fn alarm(&self) -> Option<Alarm> {
        let left = |seconds| exploring(seconds).saturating_sub(self.started.elapsed());
        self.seconds.map(|seconds| Alarm::set(self.flag.clone(), left(seconds)))
    }

    /// Clears the flag and sets the alarm for the result. Directions that are undecided by then stay open.
    pub(crate) fn last_alarm(&mut self) -> Option<Alarm> {
        let was_set = self.is_set();
        let end = self.seconds.map(|seconds| self.started + Duration::from_secs(seconds));
        if !was_set && end.is_none() {
            return None;
        }
        let by_clock = end.map(|end| end.saturating_duration_since(Instant::now()));
        let is_user = was_set && !self.is_late();
        let left = by_clock.filter(|_| !is_user).unwrap_or_default().max(GRACE);
        if was_set {
            self.flag = Arc::default();
        }
        Some(Alarm::set(self.flag.clone(), left))
    }
}

/// The part of a time limit that is spent on exploring.
fn exploring(seconds: u64) -> Duration {
    let whole = Duration::from_secs(seconds);
    whole - (whole / SHARE).min(LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alarm_that_is_dropped_does_not_ring() {
        let cancellation = Cancellation::new(Instant::now(), None);
        assert!(cancellation.alarm().is_none(), "without a limit there is no alarm");
        drop(Alarm::set(cancellation.flag().clone(), Duration::from_millis(20)));
        thread::sleep(Duration::from_millis(60));
        assert!(!cancellation.is_set());
    }

    #[test]
    fn a_pause_does_not_count() {
        let mut cancellation = Cancellation::new(Instant::now(), Some(1));
        cancellation.set_alarm();
        cancellation.suspend(|| thread::sleep(Duration::from_millis(1200)));
        assert!(!cancellation.is_set() && !cancellation.is_late());
        cancellation.limit(0);
        let limited = Instant::now();
        while !cancellation.is_set() && limited.elapsed() < Duration::from_secs(20) {
            thread::sleep(Duration::from_millis(5));
        }
        assert!(cancellation.is_set(), "the new limit is past");
        assert_eq!(cancellation.reason(), "the time limit of 0 s was reached");
    }

    #[test]
    fn the_result_gets_time_after_an_interrupt() {
        let mut cancellation = Cancellation::new(Instant::now(), Some(600));
        cancellation.flag().store(true, Ordering::Relaxed);
        assert_eq!(cancellation.reason(), "interrupted by the user");
        let alarm = cancellation.last_alarm();
        assert!(alarm.is_some() && !cancellation.is_set());
        let interrupted = Instant::now();
        while !cancellation.is_set() && interrupted.elapsed() < 20 * GRACE {
            thread::sleep(Duration::from_millis(10));
        }
        assert!(cancellation.is_set(), "an interrupted exploration has half a second for its result");
    }
}

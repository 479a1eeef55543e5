//! Cooperative cancellation: one flag that every long computation polls, set by the user or by an alarm.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::explorer::Explorer;

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

impl Explorer<'_> {
    /// Whether the exploration is cancelled.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Why the exploration is cancelled.
    pub(crate) fn stop_reason(&self) -> String {
        match self.plan.seconds {
            Some(seconds) if self.started.elapsed() >= exploring(seconds) => {
                format!("the bound of {seconds} s was reached")
            }
            _ => "it was interrupted".to_owned(),
        }
    }

    /// Sets the alarm for the time limit.
    pub(crate) fn set_alarm(&self) -> Option<Alarm> {
        let left = |seconds| exploring(seconds).saturating_sub(self.started.elapsed());
        self.plan.seconds.map(|seconds| Alarm::set(self.stop.clone(), left(seconds)))
    }

    /// Sets the alarm for the result. Directions that are undecided by then stay open.
    pub(crate) fn set_last_alarm(&mut self) -> Option<Alarm> {
        let was_stopped = self.is_stopped();
        let end = self.plan.seconds.map(|seconds| self.started + Duration::from_secs(seconds));
        if !was_stopped && end.is_none() {
            return None;
        }
        let by_clock = end.map(|end| end.saturating_duration_since(Instant::now()));
        let is_user = was_stopped
            && self.plan.seconds.is_none_or(|seconds| self.started.elapsed() < exploring(seconds));
        let left = by_clock.filter(|_| !is_user).unwrap_or_default().max(GRACE);
        if was_stopped {
            self.stop = Arc::new(AtomicBool::new(false));
        }
        Some(Alarm::set(self.stop.clone(), left))
    }

    /// The resource limits of one solver query, with the cancellation flag.
    pub(crate) fn query_limits(&self) -> everypath_solve::QueryLimits {
        everypath_solve::QueryLimits { stop: Some(self.stop.clone()), ..self.plan.limits() }
    }
}

/// The part of a time limit that is spent on exploring.
fn exploring(seconds: u64) -> Duration {
    let whole = Duration::from_secs(seconds);
    whole - (whole / SHARE).min(LONGEST)
}

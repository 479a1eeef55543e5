//! A queue of changes to a running exploration, from another thread.

use everypath_explore::Steering;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Time between two looks at the flag that stops a paused exploration.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The changes that wait.
#[derive(Default)]
struct Waiting {
    changes: Vec<Steering>,
    paused: bool,
}

/// Changes that another thread, such as that of a user interface, asks of an exploration. An [`Observer`] of your own
/// returns [`SteeringQueue::take`] from [`Observer::steer`], and calls [`SteeringQueue::wait_while_paused`] in
/// [`Observer::wait_while_paused`]; a [`Running`](crate::Running) has one. Clones share the queue.
///
/// ```
/// use everypath::{Steering, SteeringQueue};
/// let queue = SteeringQueue::default();
/// queue.push(Steering::PathInstructions(5_000));
/// queue.pause();
/// assert_eq!(queue.take(), [Steering::PathInstructions(5_000), Steering::Pause]);
/// ```
///
/// [`Observer`]: everypath_explore::Observer
/// [`Observer::steer`]: everypath_explore::Observer::steer
/// [`Observer::wait_while_paused`]: everypath_explore::Observer::wait_while_paused
#[derive(Clone, Default)]
pub struct SteeringQueue {
    shared: Arc<(Mutex<Waiting>, Condvar)>,
}

impl SteeringQueue {
    /// Asks for a change.
    pub fn push(&self, change: Steering) {
        self.waiting().changes.push(change);
    }

    /// Asks for a pause, until [`SteeringQueue::resume`].
    pub fn pause(&self) {
        self.waiting().paused = true;
    }

    /// Ends a pause.
    pub fn resume(&self) {
        self.waiting().paused = false;
        self.shared.1.notify_all();
    }

    /// Removes the changes that were asked for, in order; the last is [`Steering::Pause`] if a pause is wanted.
    #[must_use]
    pub fn take(&self) -> Vec<Steering> {
        let mut waiting = self.waiting();
        let mut changes = std::mem::take(&mut waiting.changes);
        changes.extend(waiting.paused.then_some(Steering::Pause));
        changes
    }

    /// Returns when no pause is wanted any more, or the flag is set.
    pub fn wait_while_paused(&self, stop: &AtomicBool) {
        let mut waiting = self.waiting();
        while waiting.paused && !stop.load(Ordering::Relaxed) {
            let woken = self.shared.1.wait_timeout(waiting, LOOK_EVERY);
            waiting = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        // A panic elsewhere leaves the list as it was.
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_pause_ends_by_another_thread_or_the_flag() {
        let (queue, stop) = (SteeringQueue::default(), AtomicBool::new(false));
        queue.wait_while_paused(&stop);
        queue.pause();
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(20));
                queue.resume();
            });
            queue.wait_while_paused(&stop);
        });
        assert_eq!(queue.take(), []);
        queue.pause();
        stop.store(true, Ordering::Relaxed);
        queue.wait_while_paused(&stop);
        assert_eq!(queue.take(), [Steering::Pause]);
    }
}

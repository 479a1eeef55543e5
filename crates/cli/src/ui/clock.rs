//! The time that an exploration has used: pauses do not count.

use std::time::{Duration, Instant};

/// A clock that can be stopped.
pub(super) struct Clock {
    started: Instant,
    /// The pauses that have ended.
    pauses: Duration,
    paused_since: Option<Instant>,
}

impl Clock {
    pub(super) fn start() -> Clock {
        Clock { started: Instant::now(), pauses: Duration::ZERO, paused_since: None }
    }

    /// The time since the start, without pauses.
    pub(super) fn elapsed(&self) -> Duration {
        let now = self.paused_since.unwrap_or_else(Instant::now);
        (now - self.started).saturating_sub(self.pauses)
    }

    pub(super) fn pause(&mut self) {
        self.paused_since.get_or_insert_with(Instant::now);
    }

    pub(super) fn resume(&mut self) {
        self.pauses += self.paused_since.take().map_or(Duration::ZERO, |since| since.elapsed());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_does_not_count() {
        let mut clock = Clock::start();
        clock.pause();
        let before = clock.elapsed();
        std::thread::sleep(Duration::from_millis(50));
        assert_eq!(clock.elapsed(), before);
        clock.resume();
        assert!(clock.elapsed() < before + Duration::from_millis(50));
    }
}

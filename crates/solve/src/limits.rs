//! How much one query may take, and how it is ended from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::Reason;

/// How much one query may take; what is not set has no limit.
#[derive(Clone, Default, Debug)]
pub struct Limits {
    /// Conflicts of the search. The same queries in the same order end at the same point on every machine.
    pub conflicts: Option<u32>,
    /// Time on the clock. A result that depends on it depends on the machine.
    pub time: Option<Duration>,
    /// Gates of the circuit into which the query is translated, about 100 bytes each with their clauses.
    pub gates: Option<usize>,
    /// Ends the query soon after somebody else sets it, wherever the query is.
    pub stop: Option<Arc<AtomicBool>>,
}

/// When a search ends at the latest: at a point in time, or when a flag is set.
#[derive(Clone, Default, Debug)]
pub struct Until {
    /// The point in time.
    pub time: Option<Instant>,
    /// The flag.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Until {
    /// Whether that is now.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_stopped() || self.time.is_some_and(|time| Instant::now() >= time)
    }

    /// Whether the flag is set.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// What is left of the limits while a query is worked on.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    pub(crate) conflicts: Option<u32>,
    pub(crate) until: Until,
    pub(crate) gates: usize,
    conflicts_taken: u64,
}

impl Budget {
    pub(crate) fn new(limits: &Limits) -> Budget {
        let time = limits.time.map(|time| Instant::now() + time);
        Budget {
            conflicts: limits.conflicts,
            until: Until { time, stop: limits.stop.clone() },
            gates: limits.gates.unwrap_or(usize::MAX),
            conflicts_taken: 0,
        }
    }

    /// Fails if the time is over or the query was stopped.
    pub(crate) fn check_time(&self) -> Result<(), Reason> {
        if self.until.is_over() { Err(self.overrun()) } else { Ok(()) }
    }

    /// Why a search ended before it had an answer, if not for its conflicts.
    pub(crate) fn overrun(&self) -> Reason {
        if self.until.is_stopped() { Reason::Stopped } else { Reason::Time }
    }

    /// Takes conflicts off what is left.
    pub(crate) fn take_conflicts(&mut self, conflicts: u64) {
        self.conflicts_taken += conflicts;
        self.conflicts =
            self.conflicts.map(|left| left.saturating_sub(u32::try_from(conflicts).unwrap_or(u32::MAX)));
    }

    /// How many conflicts were taken.
    pub(crate) fn conflicts_taken(&self) -> u64 {
        self.conflicts_taken
    }
}

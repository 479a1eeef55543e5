//! Resource limits of one query, and cancellation from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::UnknownReason;

/// Resource limits of one query; an unset limit is unbounded.
#[derive(Clone, Default, Debug)]
pub struct QueryLimits {
    /// Conflicts of the SAT search. The same queries in the same order end at the same point on every machine.
    pub conflicts: Option<u32>,
    /// Wall-clock time. A result that depends on it depends on the machine.
    pub time: Option<Duration>,
    /// Gates of the bit-blasted circuit, about 100 bytes each with their clauses.
    pub gates: Option<usize>,
    /// A stop flag: setting it from another thread ends the query soon, in every layer.
    pub stop: Option<Arc<AtomicBool>>,
}

impl QueryLimits {
    /// Returns true if the query was cancelled.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// The deadline of a search: a point in time, or a stop flag.
#[derive(Clone, Default, Debug)]
pub struct QueryDeadline {
    /// The point in time.
    pub time: Option<Instant>,
    /// The flag.
    pub stop: Option<Arc<AtomicBool>>,
}

impl QueryDeadline {
    /// Returns true if the deadline has passed or the flag is set.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_stopped() || self.time.is_some_and(|time| Instant::now() >= time)
    }

    /// Returns true if the flag is set.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// The remaining limits of a running query.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    pub(crate) conflicts: Option<u32>,
    pub(crate) until: QueryDeadline,
    pub(crate) gates: usize,
    conflicts_taken: u64,
}

impl Budget {
    pub(crate) fn new(limits: &QueryLimits) -> Budget {
        let time = limits.time.map(|time| Instant::now() + time);
        Budget {
            conflicts: limits.conflicts,
            until: QueryDeadline { time, stop: limits.stop.clone() },
            gates: limits.gates.unwrap_or(usize::MAX),
            conflicts_taken: 0,
        }
    }

    /// Fails if the deadline has passed or the query was stopped.
    pub(crate) fn check_time(&self) -> Result<(), UnknownReason> {
        if self.until.is_over() { Err(self.overrun()) } else { Ok(()) }
    }

    /// The reason why a search ended undecided, if not for its conflicts.
    pub(crate) fn overrun(&self) -> UnknownReason {
        if self.until.is_stopped() { UnknownReason::Stopped } else { UnknownReason::Time }
    }

    /// Deducts conflicts from the limit.
    pub(crate) fn take_conflicts(&mut self, conflicts: u64) {
        self.conflicts_taken += conflicts;
        self.conflicts =
            self.conflicts.map(|left| left.saturating_sub(u32::try_from(conflicts).unwrap_or(u32::MAX)));
    }

    /// The number of conflicts so far.
    pub(crate) fn conflicts_taken(&self) -> u64 {
        self.conflicts_taken
    }
}

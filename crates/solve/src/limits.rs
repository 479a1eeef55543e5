//! How much one question may take.

use std::time::{Duration, Instant};

/// How much one question may take; what is not set has no limit.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Limits {
    /// Conflicts of the search. The same questions in the same order end at the same point on every machine.
    pub conflicts: Option<u32>,
    /// Time on the clock.
    pub time: Option<Duration>,
    /// Gates of the circuit into which the question is translated, about 100 bytes each with their clauses.
    pub gates: Option<usize>,
}

/// What is left of the limits while a question is worked on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    pub(crate) conflicts: Option<u32>,
    pub(crate) deadline: Option<Instant>,
    pub(crate) gates: usize,
    conflicts_taken: u64,
}

impl Budget {
    pub(crate) fn new(limits: Limits) -> Budget {
        Budget {
            conflicts: limits.conflicts,
            deadline: limits.time.map(|time| Instant::now() + time),
            gates: limits.gates.unwrap_or(usize::MAX),
            conflicts_taken: 0,
        }
    }

    /// Whether the time is over.
    pub(crate) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
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

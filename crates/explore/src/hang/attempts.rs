//! How often proofs of non-termination are tried at the head of a loop, and where they were found.

use everypath_ir::Place;
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of attempts at one head: most loops end, and an attempt takes some queries.
const ATTEMPTS: u32 = 48;
/// The least number of visits of a path at which a proof is tried; it is tried again at each doubling, up to the largest.
const LEAST_VISITS: u64 = 4;
const MOST_VISITS: u64 = 1 << 16;

/// The attempts to prove non-termination so far.
#[derive(Default)]
pub(crate) struct ProofAttempts {
    by_head: FxHashMap<Place, u32>,
    /// The places of the loops that were shown to be endless.
    endless: FxHashSet<Place>,
}

impl ProofAttempts {
    /// Takes an attempt at the head if one is due after so many visits of a path; false if not, or if none is left.
    pub(crate) fn take_due_attempt(&mut self, head: Place, visits: u64) -> bool {
        (LEAST_VISITS..=MOST_VISITS).contains(&visits) && visits.is_power_of_two() && self.take_attempt(head)
    }

    /// Records the places of a loop that was shown to be endless.
    pub(crate) fn record_proof(&mut self, places: impl IntoIterator<Item = Place>) {
        self.endless.extend(places);
    }

    /// Whether a loop through a place was shown to be endless. It may have several heads, and is one finding.
    pub(crate) fn is_proved(&self, place: Place) -> bool {
        self.endless.contains(&place)
    }

    /// Takes an attempt at the head; false if none is left.
    pub(crate) fn take_attempt(&mut self, head: Place) -> bool {
        let attempts = self.by_head.entry(head).or_default();
        *attempts += 1;
        *attempts <= ATTEMPTS
    }
}

//! The state of proofs by abstraction: when one is due, and the search that waits for it.

use everypath_term::Model;

use crate::frontier::Frontier;
use crate::path::roots::{Roots, TermHolder};
use crate::verdict::knowledge::SuspendedSearch;
use crate::verdict::notes::Notes;

/// The proofs of a search.
pub(super) struct Proof {
    /// The effort without a new direction after which a proof is tried.
    pub(super) patience: u64,
    /// The notes before the first path.
    pub(super) first_notes: Notes,
    /// The number of covered directions, and the effort when the last of them was covered.
    pub(super) progress: (usize, u64),
    /// The effort before which no proof is tried.
    pub(super) not_before: u64,
    /// The models of paths by which proofs have covered something: the search runs them, too, so that it meets all that is
    /// on them.
    pub(super) seeds: Vec<Model>,
    /// The search that waits for the proof, and the effort at which that is given up.
    pub(super) search: Option<(Frontier, SuspendedSearch, u64)>,
}

impl TermHolder for Proof {
    fn roots(&self, roots: &mut Roots) {
        self.search.iter().for_each(|(frontier, ..)| frontier.roots(roots));
    }
}

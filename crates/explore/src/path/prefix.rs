//! The replay of a path prefix: by what a run from an earlier point reaches a pending branch (`docs/why/replay.md`).

use std::rc::Rc;

use everypath_record::TakenInterrupt;
use everypath_term::Term;

use crate::path::path_condition::PathCondition;
use crate::path::roots::{Roots, TermHolder};

/// A known prefix of a path, to be run again from an earlier point.
#[derive(Clone, Default)]
pub(crate) struct Prefix {
    /// The alternatives of decisions before this one are in the frontier and must not be enqueued again (the bound of
    /// generational search).
    pub(crate) until: usize,
    /// Assumptions that join the path condition before a decision, in order. They come from solver queries, not from
    /// executed branches.
    pub(crate) query_conditions: Vec<(usize, Term)>,
    /// The path condition that the replay must have reproduced when the last assumption joins it.
    pub(crate) expected: Option<PathCondition>,
    /// The interrupts that the path takes.
    pub(crate) interrupts: Rc<Vec<TakenInterrupt>>,
}

/// The alternatives that a path has used up, each of which a bound limits.
#[derive(Clone, Default)]
pub(crate) struct Used {
    /// Number of alternative addresses taken at accesses whose address depends on input.
    pub(crate) aliases: u32,
    /// Number of alternative targets taken at indirect jumps.
    pub(crate) targets: u32,
    /// For each kind of object, a bit set of those that the path has used.
    pub(crate) objects: Vec<u64>,
}

/// The data by which a run from the entry, or from another earlier point, reaches a pending branch.
///
/// The bounds on alternatives hold for a path and not for a run, so their use travels with the plan. The objects that a
/// path has used do not: the replay chooses them again.
#[derive(Clone)]
pub(crate) struct ReplayPlan {
    pub(crate) prefix: Prefix,
    pub(crate) aliases: u32,
    pub(crate) targets: u32,
}

impl TermHolder for Prefix {
    fn roots(&self, roots: &mut Roots) {
        roots.extend(self.query_conditions.iter().map(|(_, condition)| *condition));
        self.expected.iter().for_each(|expected| roots.path(expected));
    }
}

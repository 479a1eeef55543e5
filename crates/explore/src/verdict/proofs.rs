//! Directions that an abstraction of all paths has shown infeasible: it was explored to its end, and none of its paths takes them.

use std::collections::BTreeMap;

use everypath_record::Direction;

use crate::verdict::coverage::Coverage;
use crate::verdict::indirect_exits::IndirectTargetLog;

/// The results of abstractions of all paths.
#[derive(Default)]
pub(crate) struct Proofs {
    /// Directions that an abstraction does not take, with the evidence.
    directions: BTreeMap<Direction, String>,
    /// The targets of indirect exits that an abstraction takes, if it was explored to the end.
    indirect_targets: Option<IndirectTargetLog>,
}

impl Proofs {
    /// Whether an abstraction has shown that a direction is infeasible.
    pub(crate) fn has(&self, direction: Direction) -> bool {
        self.directions.contains_key(&direction)
    }

    /// The directions that were shown infeasible, with the evidence.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Direction, &String)> {
        self.directions.iter().map(|(direction, evidence)| (*direction, evidence))
    }

    /// Whether an abstraction takes no targets of indirect exits but those that paths have taken.
    pub(crate) fn has_only(&self, taken: &IndirectTargetLog) -> bool {
        self.indirect_targets.as_ref().is_some_and(|proved| taken.include(proved))
    }

    /// Adds what an abstraction has shown. It says nothing of targets where paths of it ended abnormally.
    pub(crate) fn add(
        &mut self,
        untaken: impl IntoIterator<Item = (Direction, String)>,
        indirect_targets: Option<IndirectTargetLog>,
    ) {
        self.directions.extend(untaken);
        self.indirect_targets = indirect_targets;
    }

    /// Drops everything if a path takes a direction that was shown infeasible, and returns that direction.
    pub(crate) fn drop_if_refuted(&mut self, coverage: &Coverage) -> Option<Direction> {
        let refuted = self.directions.keys().find(|direction| coverage.is_covered(**direction)).copied()?;
        *self = Proofs::default();
        Some(refuted)
    }
}

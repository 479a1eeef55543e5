//! The observer's part in a search: progress reports, details, and the changes that it asks for.

use std::collections::{BTreeMap, BTreeSet};

use everypath_record::Direction;

use crate::explorer::Explorer;
use crate::frontier::Frontier;
use crate::observer::{DirectionStatus, Observer, OpenReason, SearchDetails};
use crate::steering::Steering;
use crate::verdict::coverage::DirectionRecord;

impl Explorer<'_> {
    /// Reports progress at an address, and makes the changes that the observer asks for. Returns false if it cancels the
    /// exploration.
    pub(super) fn consult(&mut self, address: u64, observer: &mut dyn Observer) -> bool {
        if !observer.on_progress(&|| self.now(address)) {
            return false;
        }
        observer.on_details(&|| self.details());
        for steering in observer.steer() {
            self.follow_steering(steering, observer);
        }
        true
    }

    fn follow_steering(&mut self, steering: Steering, observer: &mut dyn Observer) {
        if steering != Steering::Pause {
            let address = steering.address().unwrap_or(self.root.at.place.address);
            let what = format!(
                "steered by the user after {} paths: {steering}; the same seed alone does not give this suite again",
                self.schedule.paths()
            );
            self.steered.push((address, what));
        }
        let order = (self.make_strategy)(self.plan.seed);
        match steering {
            Steering::Focus(functions) => self.search_frontier().focus(functions, order),
            Steering::Skip(functions) => self.search_frontier().skip(functions, order),
            Steering::PathInstructions(bound) => {
                self.plan.bounds.path_instructions = bound;
                self.runner.bound_instructions(bound);
                self.probes.bound_instructions(bound);
            }
            Steering::Seconds(seconds) => self.cancellation.limit(seconds),
            Steering::Pause => self.cancellation.suspend(|| observer.wait_while_paused()),
        }
    }

    /// The frontier of the search, which waits while an abstraction is explored.
    fn search_frontier(&mut self) -> &mut Frontier {
        let waiting = self.proof.as_mut().and_then(|proof| proof.search.as_mut());
        waiting.map_or(&mut self.frontier, |(frontier, ..)| frontier)
    }

    fn details(&self) -> SearchDetails {
        let (mut pending, mut directions) = (BTreeMap::new(), BTreeSet::new());
        for (address, direction) in self.frontier.branches() {
            *pending.entry(address).or_insert(0) += 1;
            directions.extend(direction);
        }
        let known = self.knowledge.coverage.directions().iter();
        let status = |(direction, known): (&Direction, &DirectionRecord)| {
            (*direction, self.status(*direction, known, directions.contains(direction)))
        };
        SearchDetails { directions: known.map(status).collect(), pending }
    }

    fn status(&self, direction: Direction, known: &DirectionRecord, is_pending: bool) -> DirectionStatus {
        if known.taken > 0 {
            return DirectionStatus::Covered;
        }
        if self.knowledge.is_excluded_so_far(direction) {
            return DirectionStatus::Infeasible;
        }
        DirectionStatus::Open(if is_pending {
            OpenReason::Pending
        } else if let Some(reason) = known.unknown.first() {
            OpenReason::Unanswered(reason.clone())
        } else if known.unsat > 0 {
            OpenReason::Unsatisfiable
        } else if known.constant > 0 || self.knowledge.coverage.has_executed(direction.branch.0) {
            OpenReason::Constant
        } else {
            OpenReason::NotReached
        })
    }
}

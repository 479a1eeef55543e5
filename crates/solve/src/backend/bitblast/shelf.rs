//! The pool of incremental SAT solvers, and the choice of one for a query.

use rustc_hash::FxHashSet;

use super::instance::Instance;
use crate::circuit::Literal;

/// The number of solvers kept: queries come from a few paths at a time, and each path may split into independent
/// slices.
const KEPT: usize = 8;

/// The solvers in least-recently-used order, the most recent at the end.
#[derive(Debug, Default)]
pub(super) struct Shelf(Vec<Instance>);

impl Shelf {
    /// The solver whose last query shares most conditions with this one, or a new solver.
    ///
    /// A solver with a committed condition that the query lacks cannot be used. One with many stale conditions is not
    /// used: it would have to assign all their variables in each query.
    pub(super) fn choose(&mut self, conditions: &FxHashSet<Literal>) -> &mut Instance {
        let common = |instance: &Instance| {
            instance.previous.iter().filter(|condition| conditions.contains(condition)).count()
        };
        let suits = |instance: &Instance, common: usize| {
            common * 2 + 1 >= conditions.len()
                && instance.met <= 4 * conditions.len() + 16
                && instance.committed.is_subset(conditions)
        };
        let candidates = self.0.iter().enumerate().map(|(place, instance)| (common(instance), place));
        let best = candidates.filter(|&(common, place)| suits(&self.0[place], common)).max();
        let instance = match best {
            Some((_, place)) => self.0.remove(place),
            None => {
                if self.0.len() == KEPT {
                    self.0.remove(0);
                }
                Instance::default()
            }
        };
        self.0.push(instance);
        self.0.last_mut().expect("just pushed")
    }

    /// All solvers in the pool.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Instance> {
        self.0.iter_mut()
    }
}

//! The solvers that are kept, and which of them gets a question.

use rustc_hash::FxHashSet;

use super::instance::Instance;
use crate::circuit::Literal;

/// So many solvers are kept: questions come from a few paths at a time, and each path may fall into parts that have no
/// input in common.
const KEPT: usize = 8;

/// The solvers, the one used last at the end.
#[derive(Debug, Default)]
pub(super) struct Shelf(Vec<Instance>);

impl Shelf {
    /// The solver for a question: the one whose last question had most in common with this one, or a new one.
    ///
    /// A solver that takes something for granted which is not asked now cannot be used. One whose last questions were
    /// about other things should not be: it would have to find values for all of them, each time.
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

    /// All that are kept.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Instance> {
        self.0.iter_mut()
    }
}

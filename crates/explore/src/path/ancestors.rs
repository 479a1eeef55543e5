//! The candidates of subsumption: earlier states of a path, at the heads of its loops. A state that one of them includes can
//! show nothing new (`subsumption.rs`).

use std::rc::Rc;

use everypath_environment::Progress;
use everypath_ir::Place;
use everypath_machine::State;

use crate::path::oracles::Oracles;
use crate::path::path_condition::PathCondition;
use crate::path::roots::{Roots, TermHolder};
use crate::reach::progress::TargetProgress;

/// An earlier state of a path.
pub(crate) struct Ancestor {
    pub(crate) state: State,
    pub(crate) progress: Progress,
    pub(crate) path_condition: PathCondition,
    pub(crate) oracles: Oracles,
    pub(crate) objects: Vec<u64>,
    pub(crate) target_progress: TargetProgress,
}

/// A loop that the path has entered.
struct Loop<A> {
    head: Place,
    /// How often the path was at its head.
    visits: u64,
    /// How often it was there without having been at the head of another loop meanwhile.
    in_a_row: u64,
    /// The number of visits when the ancestor was kept.
    kept_at: u64,
    /// How often the ancestor was compared in vain.
    in_vain: u32,
    /// The visit before which it is not compared again.
    next_comparison: u64,
    ancestor: Rc<A>,
    /// The state at the last visit after which the path had read input, if that was later.
    last: Option<Rc<A>>,
}

/// Maximum number of states at one head, from which the path was interrupted, that are kept.
const LEFT: usize = 8;

/// The ancestors of a path: for each head of a loop, its state at a visit whose number is a power of two, so that a cycle
/// of any length is met and few states are kept (Brent 1980). A loop that reads input at each visit, and so may poll, also has
/// its state at the visit before: a program polls again and again at one place, each time in another state.
pub(crate) struct Ancestors<A = Ancestor> {
    /// The loop whose head was visited last: an inner loop makes most visits.
    current: Option<Loop<A>>,
    others: imbl::OrdMap<Place, Loop<A>>,
    /// The last states in which the path was interrupted at a head.
    left: imbl::OrdMap<Place, Vec<Rc<A>>>,
}

/// A visit of the head of a loop.
pub(crate) struct Visit<A> {
    /// The ancestor, and whether it is from the visit before.
    pub(crate) ancestor: Option<(Rc<A>, bool)>,
    /// The state at a later visit, if one was kept.
    pub(crate) last: Option<Rc<A>>,
    /// Whether the states are to be compared with that of the path.
    pub(crate) is_compared: bool,
    /// Whether the state of the path is to be kept as the next ancestor.
    pub(crate) is_kept: bool,
    /// Number of visits without one of the head of another loop meanwhile.
    pub(crate) in_a_row: u64,
}

impl<A> Clone for Loop<A> {
    fn clone(&self) -> Loop<A> {
        Loop { ancestor: self.ancestor.clone(), last: self.last.clone(), ..*self }
    }
}

impl<A> Clone for Ancestors<A> {
    fn clone(&self) -> Ancestors<A> {
        Ancestors { current: self.current.clone(), others: self.others.clone(), left: self.left.clone() }
    }
}

impl<A> Default for Ancestors<A> {
    fn default() -> Ancestors<A> {
        Ancestors { current: None, others: imbl::OrdMap::new(), left: imbl::OrdMap::new() }
    }
}

impl<A> Ancestors<A> {
    /// Counts a visit of the head of a loop.
    pub(crate) fn visit(&mut self, head: Place) -> Visit<A> {
        if self.current.as_ref().is_none_or(|current| current.head != head) {
            let entered = self.others.remove(&head);
            if let Some(left) = std::mem::replace(&mut self.current, entered) {
                self.others.insert(left.head, Loop { in_a_row: 0, ..left });
            }
        }
        match &mut self.current {
            Some(current) => {
                current.visits += 1;
                current.in_a_row += 1;
                let is_next = current.visits == current.kept_at + 1;
                Visit {
                    ancestor: Some((current.ancestor.clone(), is_next)),
                    last: current.last.clone(),
                    is_compared: current.visits >= current.next_comparison,
                    is_kept: current.visits.is_power_of_two(),
                    in_a_row: current.in_a_row,
                }
            }
            None => Visit { ancestor: None, last: None, is_compared: false, is_kept: true, in_a_row: 1 },
        }
    }

    /// How often the path was at the head of the loop that it visited last.
    pub(crate) fn visits(&self) -> u64 {
        self.current.as_ref().map_or(0, |current| current.visits)
    }

    /// Records that the ancestor of the current loop was compared to the end, and does not include the state. The number of
    /// visits to the next comparison doubles each time, because one takes time that grows with the path.
    pub(crate) fn compared_in_vain(&mut self) {
        if let Some(current) = &mut self.current {
            current.next_comparison = current.visits.saturating_add(1 << current.in_vain.min(32));
            current.in_vain += 1;
        }
    }

    /// The states at a head in which the path was interrupted, the last one first.
    pub(crate) fn left(&self, head: Place) -> impl Iterator<Item = &Rc<A>> {
        self.left.get(&head).into_iter().flat_map(|left| left.iter().rev())
    }

    /// Records that the path is interrupted at a head, in this state. Its visits are counted from zero again when the handler has
    /// returned.
    pub(crate) fn leave(&mut self, head: Place, state: A) {
        self.current.take_if(|current| current.head == head);
        self.others.remove(&head);
        let mut left = self.left.get(&head).cloned().unwrap_or_default();
        if left.len() == LEFT {
            left.remove(0);
        }
        left.push(Rc::new(state));
        self.left.insert(head, left);
    }

    /// Keeps the state at the current visit of the head of a loop.
    pub(crate) fn keep(&mut self, head: Place, ancestor: A) {
        let (visits, in_a_row) =
            self.current.as_ref().map_or((1, 1), |current| (current.visits, current.in_a_row));
        self.current = Some(Loop {
            head,
            visits,
            in_a_row,
            kept_at: visits,
            in_vain: 0,
            next_comparison: 0,
            ancestor: Rc::new(ancestor),
            last: None,
        });
    }

    /// Keeps the state at the current visit beside the ancestor.
    pub(crate) fn keep_last(&mut self, last: A) {
        if let Some(current) = &mut self.current {
            current.last = Some(Rc::new(last));
        }
    }
}

impl TermHolder for Ancestors {
    fn roots(&self, roots: &mut Roots) {
        let loops = self.current.iter().chain(self.others.values());
        let loops = loops.flat_map(|held| [Some(&held.ancestor), held.last.as_ref()].into_iter().flatten());
        for ancestor in loops.chain(self.left.values().flatten()) {
            if roots.visit(Rc::as_ptr(ancestor) as usize) {
                roots.extend(ancestor.state.terms());
                roots.extend(ancestor.oracles.terms());
                roots.path(&ancestor.path_condition);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use everypath_ir::Context;

    use super::*;

    /// The visits at which a state is kept, and those that are compared with the state of the visit before, of an inner loop
    /// that an outer one interrupts.
    #[test]
    fn states_are_kept_at_powers_of_two() {
        let (inner, outer) = (Place::new(8, Context::default()), Place::new(4, Context::default()));
        let mut ancestors: Ancestors<u64> = Ancestors::default();
        let (mut kept, mut next) = (Vec::new(), Vec::new());
        for number in 1..=20 {
            let visit = ancestors.visit(inner);
            next.extend(visit.ancestor.filter(|(_, is_next)| *is_next).map(|_| number));
            if visit.is_kept {
                kept.push(number);
                ancestors.keep(inner, number);
            }
            if number % 3 == 0 && ancestors.visit(outer).is_kept {
                ancestors.keep(outer, number);
            }
        }
        assert_eq!(kept, [1, 2, 4, 8, 16]);
        assert_eq!(next, [2, 3, 5, 9, 17]);
    }
}

//! Priorities of functions: pending branches that an observer wants first, and those that it wants last. Within each of
//! the two the plan's strategy decides. A search that nobody steers has no priorities.

use std::collections::BTreeMap;

use crate::steering::FunctionCode;
use crate::strategy::{Candidate, SearchView, Strategy};

/// The functions of one priority, and the order of their pending branches.
struct Class {
    functions: Vec<FunctionCode>,
    order: Box<dyn Strategy>,
}

impl Class {
    fn contains(&self, address: u64) -> bool {
        self.functions.iter().any(|function| function.contains(address))
    }
}

/// The functions whose pending branches come first or last.
#[derive(Default)]
pub(crate) struct Priorities {
    first: Option<Class>,
    last: Option<Class>,
    /// The candidates that the frontier's own strategy has named and that come last.
    deferred: BTreeMap<u64, Candidate>,
}

impl Priorities {
    /// Makes the pending branches of these functions come first.
    pub(crate) fn focus(
        &mut self,
        functions: Vec<FunctionCode>,
        order: Box<dyn Strategy>,
        pending: impl Iterator<Item = (u64, Candidate)>,
    ) {
        let mut class = Class { functions, order };
        for (address, candidate) in pending {
            if class.contains(address) {
                class.order.add(candidate);
            }
        }
        self.first = Some(class).filter(|class| !class.functions.is_empty());
    }

    /// Makes the pending branches of these functions come last. Returns the candidates that came last before, which the
    /// frontier's own strategy must be given again.
    pub(crate) fn skip(
        &mut self,
        functions: Vec<FunctionCode>,
        order: Box<dyn Strategy>,
    ) -> impl Iterator<Item = Candidate> + use<> {
        self.last = Some(Class { functions, order }).filter(|class| !class.functions.is_empty());
        std::mem::take(&mut self.deferred).into_values()
    }

    /// Records a new pending branch at an address.
    pub(crate) fn add(&mut self, address: u64, candidate: Candidate) {
        if let Some(first) = self.first.as_mut().filter(|first| first.contains(address)) {
            first.order.add(candidate);
        }
    }

    /// The next candidate that comes first. It may not be pending any more.
    pub(crate) fn next_first(&mut self, view: &dyn SearchView) -> Option<Candidate> {
        self.first.as_mut()?.order.next(view)
    }

    /// Defers a candidate at an address, if it comes last.
    pub(crate) fn defers(&mut self, address: u64, candidate: Candidate) -> bool {
        let Some(last) = self.last.as_mut().filter(|last| last.contains(address)) else { return false };
        last.order.add(candidate);
        self.deferred.insert(candidate.number, candidate);
        true
    }

    /// The next candidate that comes last. It may not be pending any more.
    pub(crate) fn next_last(&mut self, view: &dyn SearchView) -> Option<Candidate> {
        let chosen = self.last.as_mut()?.order.next(view)?;
        self.deferred.remove(&chosen.number);
        Some(chosen)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use everypath_record::Direction;

    use super::*;
    use crate::strategy::depth_first::LastFirst;

    struct Nothing;

    impl SearchView for Nothing {
        fn is_covered(&self, _: Direction) -> bool {
            false
        }

        fn effort(&self) -> u64 {
            0
        }

        fn open(&self) -> Vec<Direction> {
            Vec::new()
        }

        fn distances(&self, _: Direction) -> HashMap<u64, u32> {
            HashMap::new()
        }
    }

    fn candidate(number: u64) -> Candidate {
        Candidate { number, depth: 0, reads: 0, direction: None, jump: false, place: None }
    }

    fn code(start: u64) -> Vec<FunctionCode> {
        vec![FunctionCode::in_one_piece("function", start..start + 0x10)]
    }

    #[test]
    fn those_of_the_focus_are_named_each_once() {
        let mut priorities = Priorities::default();
        let pending = [(0x10, candidate(1)), (0x20, candidate(2)), (0x1f, candidate(3))];
        priorities.focus(code(0x10), Box::<LastFirst>::default(), pending.into_iter());
        priorities.add(0x18, candidate(4));
        priorities.add(0x28, candidate(5));
        let named: Vec<u64> =
            std::iter::from_fn(|| priorities.next_first(&Nothing)).map(|chosen| chosen.number).collect();
        assert_eq!(named, [4, 3, 1]);
        priorities.focus(Vec::new(), Box::<LastFirst>::default(), pending.into_iter());
        priorities.add(0x18, candidate(6));
        assert_eq!(priorities.next_first(&Nothing), None);
    }

    #[test]
    fn those_that_come_last_are_given_back_when_they_no_longer_do() {
        let mut priorities = Priorities::default();
        assert_eq!(priorities.skip(code(0x10), Box::<LastFirst>::default()).count(), 0);
        assert!(priorities.defers(0x10, candidate(1)) && priorities.defers(0x11, candidate(2)));
        assert!(!priorities.defers(0x20, candidate(3)));
        assert_eq!(priorities.next_last(&Nothing), Some(candidate(2)));
        let again: Vec<Candidate> = priorities.skip(Vec::new(), Box::<LastFirst>::default()).collect();
        assert_eq!(again, [candidate(1)]);
        assert_eq!(priorities.next_last(&Nothing), None);
        assert!(!priorities.defers(0x10, candidate(4)));
    }
}

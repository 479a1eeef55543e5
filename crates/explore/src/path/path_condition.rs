//! The path condition (King 1976): constraints in the order of decisions, as a linked list that shares prefixes.

use std::rc::Rc;

use everypath_term::Term;
use rustc_hash::FxHashSet;

struct Link {
    condition: Term,
    before: Option<Rc<Link>>,
    length: usize,
    /// Whether it only fixes an address to the one that the path accesses.
    fixes_address: bool,
}

/// A path condition: the conjunction of the constraints on input along a path.
#[derive(Clone, Default)]
pub(crate) struct PathCondition {
    last: Option<Rc<Link>>,
}

impl PathCondition {
    /// Number of conditions.
    pub(crate) fn len(&self) -> usize {
        self.last.as_ref().map_or(0, |link| link.length)
    }

    /// The conjunction of these conditions.
    pub(crate) fn of(conditions: impl IntoIterator<Item = Term>) -> PathCondition {
        let mut all = PathCondition::default();
        conditions.into_iter().for_each(|condition| all.push(condition));
        all
    }

    /// Appends a condition.
    pub(crate) fn push(&mut self, condition: Term) {
        let length = self.len() + 1;
        self.last = Some(Rc::new(Link { condition, before: self.last.take(), length, fixes_address: false }));
    }

    /// Records that the last condition, which was just appended, only fixes an address.
    pub(crate) fn last_fixes_address(&mut self) {
        if let Some(link) = self.last.as_mut().and_then(Rc::get_mut) {
            link.fixes_address = true;
        }
    }

    /// Whether a condition only fixes an address.
    pub(crate) fn fixes_addresses(&self) -> bool {
        std::iter::successors(self.last.as_ref(), |link| link.before.as_ref()).any(|link| link.fixes_address)
    }

    /// The last condition.
    pub(crate) fn last(&self) -> Option<Term> {
        self.last.as_ref().map(|link| link.condition)
    }

    /// Whether both state the same conditions in the same order.
    pub(crate) fn is_same(&self, other: &PathCondition) -> bool {
        self.len() == other.len() && self.conditions() == other.conditions()
    }

    /// The conditions, from the first to the last.
    pub(crate) fn conditions(&self) -> Vec<Term> {
        self.conditions_that(|_| true)
    }

    /// The conditions but those that only fix an address, from the first to the last.
    pub(crate) fn without_fixed_addresses(&self) -> Vec<Term> {
        self.conditions_that(|link| !link.fixes_address)
    }

    fn conditions_that(&self, is_wanted: impl Fn(&Link) -> bool) -> Vec<Term> {
        let mut conditions = Vec::with_capacity(self.len());
        let mut link = &self.last;
        while let Some(this) = link {
            conditions.extend(is_wanted(this).then_some(this.condition));
            link = &this.before;
        }
        conditions.reverse();
        conditions
    }

    /// Collects the conditions from the last one back to the first that was visited before, with its prefix.
    pub(crate) fn visit_new(&self, visited: &mut FxHashSet<usize>, conditions: &mut Vec<Term>) {
        let mut link = &self.last;
        while let Some(this) = link
            && visited.insert(Rc::as_ptr(this) as usize)
        {
            conditions.push(this.condition);
            link = &this.before;
        }
    }
}

impl Drop for Link {
    /// Iterative, because a path condition may be long.
    fn drop(&mut self) {
        let mut before = self.before.take();
        while let Some(link) = before {
            match Rc::try_unwrap(link) {
                Ok(mut link) => before = link.before.take(),
                Err(_) => break,
            }
        }
    }
}

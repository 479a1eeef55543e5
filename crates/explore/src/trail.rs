//! The conditions of a path, in the order in which they were met; paths with a common beginning share it.

use std::rc::Rc;

use everypath_term::Term;
use rustc_hash::FxHashSet;

struct Link {
    condition: Term,
    before: Option<Rc<Link>>,
    length: usize,
}

/// The conditions that hold on a path.
#[derive(Clone, Default)]
pub(crate) struct Trail {
    last: Option<Rc<Link>>,
}

impl Trail {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.last.as_ref().map_or(0, |link| link.length)
    }

    /// Adds a condition.
    pub(crate) fn push(&mut self, condition: Term) {
        let length = self.len() + 1;
        self.last = Some(Rc::new(Link { condition, before: self.last.take(), length }));
    }

    /// The last condition.
    pub(crate) fn last(&self) -> Option<Term> {
        self.last.as_ref().map(|link| link.condition)
    }

    /// Whether both state the same conditions in the same order.
    pub(crate) fn is_same(&self, other: &Trail) -> bool {
        self.len() == other.len() && self.conditions() == other.conditions()
    }

    /// The conditions, from the first to the last.
    pub(crate) fn conditions(&self) -> Vec<Term> {
        let mut conditions = Vec::with_capacity(self.len());
        let mut link = &self.last;
        while let Some(this) = link {
            conditions.push(this.condition);
            link = &this.before;
        }
        conditions.reverse();
        conditions
    }

    /// Adds the conditions up to the first that was visited before; those before it were, too.
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
    /// Without recursion: a trail may be long.
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

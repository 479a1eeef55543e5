//! The root set of the tracing garbage collection of terms: each part that keeps terms across paths adds its own.

use everypath_term::Term;
use rustc_hash::FxHashSet;

use crate::path::path_condition::PathCondition;

/// Half the number of gathered roots at which duplicates are dropped.
const ROOTS: usize = 1 << 20;

/// A part that keeps terms across paths. A term that no holder names is collected, and its number is given to another.
pub(crate) trait TermHolder {
    /// Adds every term that it keeps.
    fn roots(&self, roots: &mut Roots);
}

/// The roots gathered from holders that share much.
#[derive(Default)]
pub(crate) struct Roots {
    terms: Vec<Term>,
    conditions: FxHashSet<usize>,
    /// The addresses of other parts that holders share.
    visited: FxHashSet<usize>,
}

impl Roots {
    /// The roots of these holders.
    pub(crate) fn of<'h>(holders: impl IntoIterator<Item = &'h dyn TermHolder>) -> Roots {
        let mut roots = Roots::default();
        holders.into_iter().for_each(|holder| holder.roots(&mut roots));
        roots
    }

    pub(crate) fn extend(&mut self, terms: impl IntoIterator<Item = Term>) {
        self.terms.extend(terms);
        if self.terms.len() >= 2 * ROOTS {
            self.terms.sort_unstable();
            self.terms.dedup();
        }
    }

    /// Adds a path condition; a prefix that another path shares is added once.
    pub(crate) fn path(&mut self, path_condition: &PathCondition) {
        path_condition.visit_new(&mut self.conditions, &mut self.terms);
        self.extend([]);
    }

    /// Visits a part that holders share, by its address; true the first time.
    pub(crate) fn visit(&mut self, address: usize) -> bool {
        self.visited.insert(address)
    }

    pub(crate) fn into_terms(self) -> Vec<Term> {
        self.terms
    }
}

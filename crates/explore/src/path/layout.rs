//! Detects decisions that depend on the layout of objects: comparisons of pointers into different objects, and tests of
//! pointer bits. Null checks, pointer equality and offsets within one object do not depend on it.

use everypath_ir::Op;
use everypath_term::{Term, Terms, View};
use rustc_hash::FxHashSet;

/// Maximum number of subterms to inspect; a larger condition counts as dependent.
const LOOKED_AT: usize = 4096;

/// Whether a term depends on the layout of the objects that these pointers point to.
pub(crate) fn depends_on_layout(terms: &mut Terms, pointers: Vec<Term>, term: Term) -> bool {
    if pointers.is_empty() {
        return false;
    }
    Search { terms, pointers, seen: FxHashSet::default() }.depends(term)
}

struct Search<'t> {
    terms: &'t mut Terms,
    pointers: Vec<Term>,
    seen: FxHashSet<Term>,
}

impl Search<'_> {
    /// Whether a term depends on a pointer's input bytes.
    fn touches(&self, term: Term) -> bool {
        let inputs = self.terms.inputs(term);
        self.pointers.iter().any(|pointer| inputs.intersects(self.terms.inputs(*pointer)))
    }

    fn depends(&mut self, term: Term) -> bool {
        if !self.touches(term) || !self.seen.insert(term) {
            return false;
        }
        if self.seen.len() > LOOKED_AT {
            return true;
        }
        let View::Apply { op, arguments } = self.terms.view(term) else { return true };
        if let (Op::Eq | Op::Ne | Op::Ult | Op::Ule | Op::Slt | Op::Sle, [first, second]) =
            (op, &arguments[..])
            && self.is_free(op, *first, *second)
        {
            return false;
        }
        arguments.iter().any(|argument| self.depends(*argument))
    }

    /// Whether a comparison has the same outcome for every layout.
    fn is_free(&mut self, op: Op, first: Term, second: Term) -> bool {
        if matches!(op, Op::Eq | Op::Ne) {
            let zero = |terms: &Terms, term| terms.as_u64(term) == Some(0);
            if zero(self.terms, second) && self.is_all_of_pointers(first)
                || zero(self.terms, first) && self.is_all_of_pointers(second)
                || self.pointers.contains(&first) && self.pointers.contains(&second)
            {
                return true;
            }
            // A difference compared with zero is an equality.
            if zero(self.terms, second)
                && let View::Apply { op: Op::Sub | Op::Xor, arguments } = self.terms.view(first)
            {
                return self.is_free(op, arguments[0], arguments[1]);
            }
        }
        // Two places in one object: their distance does not depend on its address.
        if !self.touches(first) || !self.touches(second) {
            return false;
        }
        let width = self.terms.width(first);
        let distance = self.terms.apply(Op::Sub, width, &[first, second]);
        !self.touches(distance)
    }

    /// Whether a term consists of all bytes of some pointers and nothing else, so that it is zero only if they are
    /// null.
    fn is_all_of_pointers(&self, term: Term) -> bool {
        let mut bytes = Vec::new();
        if !self.joins(term, &mut bytes) {
            return false;
        }
        let whole = |pointer: &&Term| self.terms.inputs(**pointer).iter().all(|byte| bytes.contains(&byte));
        let pointers: Vec<&Term> = self.pointers.iter().filter(whole).collect();
        bytes.iter().all(|byte| pointers.iter().any(|pointer| self.terms.inputs(**pointer).contains(*byte)))
    }

    /// Collects the bytes of a term that only joins input bytes; returns false for other terms.
    fn joins(&self, term: Term, bytes: &mut Vec<everypath_term::Input>) -> bool {
        match self.terms.view(term) {
            View::Input(input) => {
                bytes.push(input);
                true
            }
            View::Apply { op: Op::Concat | Op::Or | Op::Zext, arguments } => {
                arguments.iter().all(|argument| self.joins(*argument, bytes))
            }
            View::Constant(bits) => bits.is_zero(),
            _ => false,
        }
    }
}

//! Detects decisions that depend on the layout of objects: comparisons of pointers into different objects, and tests of
//! pointer bits. Null checks, pointer equality and offsets within one object do not depend on it.

use std::collections::BTreeSet;

use everypath_ir::Op;
use everypath_term::{Term, Terms, View};
use rustc_hash::FxHashSet;

/// Maximum number of subterms to inspect; a larger condition counts as dependent.
const LOOKED_AT: usize = 4096;

/// A pointer in the input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LayoutPointer {
    pub(crate) term: Term,
    /// The kind of object that it points to.
    pub(crate) kind: usize,
    /// Whether objects of this kind are nothing else.
    pub(crate) is_separate: bool,
}

/// Whether a term depends on the layout of the objects that these pointers point to.
pub(crate) fn depends_on_layout(terms: &mut Terms, pointers: &[LayoutPointer], term: Term) -> bool {
    if pointers.is_empty() {
        return false;
    }
    Search { terms, pointers, seen: FxHashSet::default() }.depends(term)
}

/// Whether an address may be elsewhere, in relation to the objects and to all other memory, in another layout. It is not if it is
/// a pointer and a distance that depends on no pointer.
pub(crate) fn is_elsewhere(terms: &mut Terms, pointers: &[LayoutPointer], address: Term) -> bool {
    let search = Search { terms, pointers, seen: FxHashSet::default() };
    if !search.touches(address) {
        return false;
    }
    // Where addresses are wider than pointers.
    let address = match search.terms.view(address) {
        View::Apply { op: Op::Zext, arguments } => arguments[0],
        _ => address,
    };
    let width = search.terms.width(address);
    let bases = search.pointers.iter().map(|pointer| pointer.term);
    let bases: Vec<Term> = bases.filter(|base| search.terms.width(*base) == width).collect();
    !bases.into_iter().any(|base| {
        let distance = search.terms.apply(Op::Sub, width, &[address, base]);
        !search.touches(distance)
    })
}

/// The pointers that a term compares with each other, by their numbers.
pub(crate) fn compared(terms: &mut Terms, pointers: &[LayoutPointer], term: Term) -> BTreeSet<usize> {
    let mut search = Search { terms, pointers, seen: FxHashSet::default() };
    let mut found = BTreeSet::new();
    if !search.pointers.is_empty() {
        search.compared(term, &mut found);
    }
    found
}

struct Search<'t> {
    terms: &'t mut Terms,
    pointers: &'t [LayoutPointer],
    seen: FxHashSet<Term>,
}

impl Search<'_> {
    /// Whether a term depends on a pointer's input bytes.
    fn touches(&self, term: Term) -> bool {
        let inputs = self.terms.inputs(term);
        self.pointers.iter().any(|pointer| inputs.intersects(self.terms.inputs(pointer.term)))
    }

    /// Collects the pointers on both sides of comparisons.
    fn compared(&mut self, term: Term, found: &mut BTreeSet<usize>) {
        if !self.touches(term) || self.seen.len() > LOOKED_AT || !self.seen.insert(term) {
            return;
        }
        let View::Apply { op, arguments } = self.terms.view(term) else { return };
        let arguments = arguments.to_vec();
        // A difference or a bitwise one compared with zero is a comparison as well.
        if let (Op::Eq | Op::Ne | Op::Ult | Op::Ule | Op::Slt | Op::Sle | Op::Sub | Op::Xor, [first, second]) =
            (op, &arguments[..])
            && self.touches(*first)
            && self.touches(*second)
        {
            for (number, pointer) in self.pointers.iter().enumerate() {
                let of = self.terms.inputs(pointer.term);
                if arguments.iter().any(|side| self.terms.inputs(*side).intersects(of)) {
                    found.insert(number);
                }
            }
        }
        arguments.into_iter().for_each(|argument| self.compared(argument, found));
    }

    /// Whether two terms are pointers that are equal in every layout, or in none, but for the object that is chosen.
    fn are_comparable(&self, first: Term, second: Term) -> bool {
        let known = |term: Term| self.pointers.iter().find(|pointer| pointer.term == term);
        known(first).zip(known(second)).is_some_and(|(first, second)| {
            first.kind == second.kind || first.is_separate || second.is_separate
        })
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
                || self.are_comparable(first, second)
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
        // Two places in one object: their distance does not depend on its address. As signed numbers, an object may be on both
        // sides of the largest one.
        if matches!(op, Op::Slt | Op::Sle) || !self.touches(first) || !self.touches(second) {
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
        let whole = |term: &Term| self.terms.inputs(*term).iter().all(|byte| bytes.contains(&byte));
        let pointers: Vec<Term> = self.pointers.iter().map(|pointer| pointer.term).filter(whole).collect();
        bytes.iter().all(|byte| pointers.iter().any(|pointer| self.terms.inputs(*pointer).contains(*byte)))
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

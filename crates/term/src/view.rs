//! Pattern-matching views of terms and arrays.

use everypath_ir::{Bits, Op};

use crate::node::Kind;
use crate::{Array, Input, Term, Terms};

/// The top-level structure of a term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum View {
    /// A constant.
    Constant(Bits),
    /// An input byte.
    Input(Input),
    /// An operator with its arguments.
    Apply {
        /// The operator.
        op: Op,
        /// Its arguments, as many as its arity.
        arguments: Arguments,
    },
    /// The byte of an array at an index.
    Read {
        /// The array.
        array: Array,
        /// The index, of the array's index width.
        index: Term,
    },
}

/// The arguments of an operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arguments {
    terms: [Term; 3],
    count: u8,
}

impl Arguments {
    /// Changes each argument.
    pub(crate) fn for_each(&mut self, change: impl FnMut(&mut Term)) {
        self.terms[..usize::from(self.count)].iter_mut().for_each(change);
    }
}

impl std::ops::Deref for Arguments {
    type Target = [Term];

    fn deref(&self) -> &[Term] {
        &self.terms[..usize::from(self.count)]
    }
}

/// The top-level structure of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArrayView<'a> {
    /// Constant bytes from index zero; bytes beyond them are zero.
    Table(&'a [u8]),
    /// Another array with a value stored at an index.
    Store {
        /// The other array.
        array: Array,
        /// The index, of the array's index width.
        index: Term,
        /// The byte there.
        value: Term,
    },
}

impl Terms {
    /// The top-level structure of a term.
    ///
    /// # Panics
    /// If the term was collected and its slot is empty.
    #[must_use]
    pub fn view(&self, term: Term) -> View {
        let node = self.node(term);
        let [a, b, _] = node.arguments;
        if let Some((op, terms)) = self.applied(term) {
            return View::Apply { op, arguments: Arguments { terms, count: op.arity() as u8 } };
        }
        match node.kind {
            Kind::Input => View::Input(Input(a)),
            Kind::Read => View::Read { array: Array::new(a), index: Term::new(b) },
            _ => match self.as_constant(term) {
                Some(bits) => View::Constant(bits),
                None => panic!("{term:?} was collected"),
            },
        }
    }

    /// The operator and arguments of an application; arguments beyond its arity are meaningless.
    #[inline]
    pub(crate) fn applied(&self, term: Term) -> Option<(Op, [Term; 3])> {
        let node = self.node(term);
        let Kind::Apply(op) = node.kind else { return None };
        let [a, b, c] = node.arguments;
        let first = Term::new(a);
        let other = |slot: u32| if slot == 0 { first } else { Term::new(slot) };
        Some((op, [first, other(b), other(c)]))
    }

    /// The top-level structure of an array.
    ///
    /// # Panics
    /// If the array was collected.
    #[must_use]
    pub fn array_view(&self, array: Array) -> ArrayView<'_> {
        let node = self.array_node(array);
        let [a, b, c] = node.arguments;
        match node.kind {
            Kind::Table => ArrayView::Table(&self.tables[a as usize]),
            Kind::Store => {
                ArrayView::Store { array: Array::new(a), index: Term::new(b), value: Term::new(c) }
            }
            _ => panic!("{array:?} was collected"),
        }
    }
}

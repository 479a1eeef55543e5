//! Which rules are tried for which operator.

use everypath_ir::{Op, Width, simplified as by_identity};

use crate::{Term, Terms};

/// A term that always equals the computation, if a rule gives one.
///
/// The widths are right, the arguments of a commutative operator in order with a constant last, and not all arguments
/// are constant.
pub(crate) fn simplified(terms: &mut Terms, op: Op, width: Width, arguments: [Term; 3]) -> Option<Term> {
    by_identity(terms, op, width, arguments)
}

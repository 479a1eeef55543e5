//! Interval propagation: decides queries by constant conditions, and by the intersection of the ranges that comparisons with constants
//! imply.

use everypath_ir::{Op, Width};
use everypath_term::{Term, Terms, View};
use rustc_hash::FxHashMap;

use super::report;
use crate::{Answer, Query, QueryLimits, Solver, Statistics};

/// Splits conjunctions, drops constant true conditions, and detects conditions whose ranges for one term do not
/// intersect.
pub struct Constant {
    below: Box<dyn Solver>,
    statistics: Statistics,
}

impl Constant {
    /// Puts the layer above another solver.
    #[must_use]
    pub fn new(below: Box<dyn Solver>) -> Constant {
        Constant { below, statistics: Statistics { name: "constant", ..Statistics::default() } }
    }
}

impl Solver for Constant {
    fn check(&mut self, terms: &mut Terms, query: Query<'_>, limits: &QueryLimits) -> Answer {
        self.statistics.asked += 1;
        let mut answer = None;
        let mut parts = Vec::with_capacity(query.conditions.len());
        for &condition in query.conditions {
            if !split(terms, condition, &mut parts) {
                answer = Some(Answer::Unsat(vec![condition]));
                break;
            }
        }
        if parts.is_empty() && answer.is_none() {
            answer = Some(Answer::Sat(query.known.cloned().unwrap_or_default()));
        }
        let answer = answer.or_else(|| contradiction(terms, &parts));
        if let Some(answer) = answer {
            self.statistics.answered += 1;
            return within(terms, answer, query.conditions);
        }
        let below = Query { conditions: &parts, known: query.known };
        let answer = self.below.check(terms, below, limits);
        within(terms, answer, query.conditions)
    }

    fn statistics(&self, list: &mut Vec<Statistics>) {
        report(self.statistics, &*self.below, list);
    }
}

/// Appends the conjuncts of a condition except constant true ones; `false` if one is constant false.
fn split(terms: &Terms, condition: Term, parts: &mut Vec<Term>) -> bool {
    if !terms.is_constant(condition) && !matches!(terms.view(condition), View::Apply { op: Op::And, .. }) {
        // Fast path: nearly all conditions have one conjunct.
        parts.push(condition);
        return true;
    }
    let mut work = vec![condition];
    while let Some(condition) = work.pop() {
        match terms.view(condition) {
            View::Constant(bits) if bits.is_zero() => return false,
            View::Constant(_) => {}
            View::Apply { op: Op::And, arguments } => work.extend(arguments.iter().rev()),
            _ => parts.push(condition),
        }
    }
    true
}

/// Maps an unsat core of conjuncts back to the query's conditions.
fn within(terms: &Terms, answer: Answer, conditions: &[Term]) -> Answer {
    let Answer::Unsat(core) = answer else { return answer };
    let comes_from = |condition: &Term| {
        let mut parts = Vec::new();
        core.contains(condition)
            || !split(terms, *condition, &mut parts)
            || parts.iter().any(|part| core.contains(part))
    };
    Answer::Unsat(conditions.iter().copied().filter(comes_from).collect())
}

/// The unsigned range of a term implied by conditions, and the conditions that narrowed it.
struct Left {
    least: u64,
    greatest: u64,
    by: Vec<Term>,
}

/// An unsat core of conditions whose ranges for one term do not intersect, if there is one.
fn contradiction(terms: &Terms, conditions: &[Term]) -> Option<Answer> {
    let mut left: FxHashMap<Term, Left> = FxHashMap::default();
    for &condition in conditions {
        let Some((term, least, greatest)) = range(terms, condition) else { continue };
        let own = terms.unsigned_range(term)?;
        let left = left.entry(term).or_insert_with(|| Left { least: own.0, greatest: own.1, by: Vec::new() });
        if least > left.least || greatest < left.greatest {
            left.least = left.least.max(least);
            left.greatest = left.greatest.min(greatest);
            left.by.push(condition);
        }
        if left.least > left.greatest {
            return Some(Answer::Unsat(std::mem::take(&mut left.by)));
        }
    }
    None
}

/// The term that a condition compares with a constant, and the unsigned range that the condition implies.
fn range(terms: &Terms, condition: Term) -> Option<(Term, u64, u64)> {
    let View::Apply { op, arguments } = terms.view(condition) else { return None };
    let (a, b) = (*arguments.first()?, *arguments.get(1)?);
    let width = terms.width(a);
    if width > Width::W64 {
        return None;
    }
    let greatest = u64::MAX >> (64 - width.bits());
    match (op, terms.as_u64(a), terms.as_u64(b)) {
        (Op::Eq, None, Some(value)) => Some((a, value, value)),
        (Op::Eq, Some(value), None) => Some((b, value, value)),
        (Op::Ult, None, Some(value)) => Some((a, 0, value.checked_sub(1)?)),
        (Op::Ult, Some(value), None) if value < greatest => Some((b, value + 1, greatest)),
        (Op::Ule, None, Some(value)) => Some((a, 0, value)),
        (Op::Ule, Some(value), None) => Some((b, value, greatest)),
        _ => None,
    }
}

//! Answers from what conditions say by themselves: constants, contradictions, and the ranges that comparisons leave.

use everypath_ir::{Op, Width};
use everypath_term::{Term, Terms, View};
use rustc_hash::FxHashMap;

use super::report;
use crate::{Answer, Limits, Query, Solver, Statistics};

/// Takes conjunctions apart, drops what always holds, and finds conditions that contradict each other by the ranges
/// they give to one term.
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
    fn check(&mut self, terms: &mut Terms, query: Query<'_>, limits: &Limits) -> Answer {
        self.statistics.asked += 1;
        let mut answer = None;
        let mut parts = Vec::with_capacity(query.conditions.len());
        for &condition in query.conditions {
            if !split(terms, condition, &mut parts) {
                answer = Some(Answer::None(vec![condition]));
                break;
            }
        }
        if parts.is_empty() && answer.is_none() {
            answer = Some(Answer::Model(query.known.cloned().unwrap_or_default()));
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

/// Adds the conditions whose conjunction a condition is, without those that always hold; `false` if it never holds.
fn split(terms: &Terms, condition: Term, parts: &mut Vec<Term>) -> bool {
    if !terms.is_constant(condition) && !matches!(terms.view(condition), View::Apply { op: Op::And, .. }) {
        // Nearly all are one part: no list is made for them.
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

/// A core in terms of the query's own conditions: each part stands for the conditions that it comes from.
fn within(terms: &Terms, answer: Answer, conditions: &[Term]) -> Answer {
    let Answer::None(core) = answer else { return answer };
    let comes_from = |condition: &Term| {
        let mut parts = Vec::new();
        core.contains(condition)
            || !split(terms, *condition, &mut parts)
            || parts.iter().any(|part| core.contains(part))
    };
    Answer::None(conditions.iter().copied().filter(comes_from).collect())
}

/// What conditions leave of a term: an unsigned range, and who made it what it is.
struct Left {
    least: u64,
    greatest: u64,
    by: Vec<Term>,
}

/// Whether the ranges that conditions give to one term leave nothing.
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
            return Some(Answer::None(std::mem::take(&mut left.by)));
        }
    }
    None
}

/// The term that a condition compares with a constant, and the unsigned range in which it holds.
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

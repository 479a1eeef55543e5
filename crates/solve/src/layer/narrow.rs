//! Interval constraint propagation (HC4, Benhamou et al. 1999) over all subterms of the conditions; an empty interval
//! proves unsat.
//!
//! Chains such as "each value differs from the previous one by at most four" are long for a SAT solver and short here.
//! Every subterm has an unsigned and a signed interval. Forward evaluation computes the interval of a result from those
//! of its arguments where it cannot wrap; backward projection narrows the arguments by the interval of the result.

use everypath_ir::{Op, Width};
use everypath_term::{Term, Terms, View};
use rustc_hash::FxHashMap;

use super::attempt::Attempt;
use crate::{Answer, Query, QueryLimits};

/// The maximum depth of subterms.
const DEPTH: u32 = 16;
/// The number of passes over all conditions.
const ROUNDS: usize = 2;

/// Answers unsat if an interval becomes empty.
#[derive(Default)]
pub struct Narrow;

impl Attempt for Narrow {
    const NAME: &'static str = "narrow";

    fn attempt(&mut self, terms: &mut Terms, query: Query<'_>, _limits: &QueryLimits) -> Option<Answer> {
        let mut ranges = Ranges { terms, known: FxHashMap::default() };
        let mut fails = || query.conditions.iter().any(|condition| !ranges.assume(*condition, true, DEPTH));
        (0..ROUNDS).any(|_| fails()).then(|| Answer::Unsat(query.conditions.to_vec()))
    }
}

/// An interval: least and greatest value.
type Range = (i128, i128);

fn meet(a: Range, b: Range) -> Range {
    (a.0.max(b.0), a.1.min(b.1))
}

fn is_empty(range: Range) -> bool {
    range.0 > range.1
}

/// The unsigned and the signed interval of a term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Both {
    plain: Range,
    signed: Range,
}

impl Both {
    fn all(width: Width) -> Both {
        let size = 1_i128 << width.bits();
        Both { plain: (0, size - 1), signed: (-(size / 2), size / 2 - 1) }
    }

    /// The reduced product: each interval narrows the other where it does not cross the sign boundary.
    fn reduced(self, width: Width) -> Both {
        let size = 1_i128 << width.bits();
        let half = size / 2;
        let mut both = self;
        for _ in 0..2 {
            let (plain, signed) = (both.plain, both.signed);
            if plain.1 < half {
                both.signed = meet(signed, plain);
            } else if plain.0 >= half {
                both.signed = meet(signed, (plain.0 - size, plain.1 - size));
            }
            if signed.0 >= 0 {
                both.plain = meet(both.plain, signed);
            } else if signed.1 < 0 {
                both.plain = meet(both.plain, (signed.0 + size, signed.1 + size));
            }
        }
        both
    }

    fn meet(self, other: Both) -> Both {
        Both { plain: meet(self.plain, other.plain), signed: meet(self.signed, other.signed) }
    }

    fn is_empty(self) -> bool {
        is_empty(self.plain) || is_empty(self.signed)
    }
}

/// The intervals of terms computed so far.
struct Ranges<'t> {
    terms: &'t Terms,
    known: FxHashMap<Term, Both>,
}

impl Ranges<'_> {
    fn width(&self, term: Term) -> Option<Width> {
        Some(self.terms.width(term)).filter(|width| *width <= Width::W64)
    }

    /// The intervals of a term of at most 64 bits.
    fn of(&mut self, term: Term, width: Width, depth: u32) -> Both {
        let mut both = self.known.get(&term).copied().unwrap_or_else(|| {
            let mut all = Both::all(width);
            if let Some((least, greatest)) = self.terms.unsigned_range(term) {
                all.plain = meet(all.plain, (i128::from(least), i128::from(greatest)));
            }
            all
        });
        if depth > 0 {
            both = both.meet(self.forwards(term, width, depth - 1));
        }
        let both = both.reduced(width);
        self.known.insert(term, both);
        both
    }

    /// Forward evaluation: the intervals implied by the arguments.
    fn forwards(&mut self, term: Term, width: Width, depth: u32) -> Both {
        let all = Both::all(width);
        let View::Apply { op, arguments } = self.terms.view(term) else { return all };
        let Some(inner) = self.width(arguments[0]) else { return all };
        let fit = |range: Range, within: Range| {
            if range.0 >= within.0 && range.1 <= within.1 { range } else { within }
        };
        match op {
            Op::Zext => {
                let plain = self.of(arguments[0], inner, depth).plain;
                Both { plain, signed: all.signed }
            }
            Op::Sext => {
                let signed = self.of(arguments[0], inner, depth).signed;
                Both { plain: all.plain, signed }
            }
            Op::Add | Op::Sub => {
                let (a, b) = (self.of(arguments[0], width, depth), self.of(arguments[1], width, depth));
                let combine = |a: Range, b: Range| match op {
                    Op::Add => (a.0 + b.0, a.1 + b.1),
                    _ => (a.0 - b.1, a.1 - b.0),
                };
                Both {
                    plain: fit(combine(a.plain, b.plain), all.plain),
                    signed: fit(combine(a.signed, b.signed), all.signed),
                }
            }
            Op::Select => {
                let (a, b) = (self.of(arguments[1], width, depth), self.of(arguments[2], width, depth));
                let join = |a: Range, b: Range| (a.0.min(b.0), a.1.max(b.1));
                Both { plain: join(a.plain, b.plain), signed: join(a.signed, b.signed) }
            }
            _ => all,
        }
    }

    /// Backward projection: narrows a term and its subterms; `false` if an interval becomes empty.
    fn narrow(&mut self, term: Term, to: Both, depth: u32) -> bool {
        let Some(width) = self.width(term) else { return true };
        let both = self.of(term, width, depth).meet(to).reduced(width);
        if both.is_empty() {
            return false;
        }
        self.known.insert(term, both);
        if depth == 0 {
            return true;
        }
        let View::Apply { op, arguments } = self.terms.view(term) else { return true };
        let Some(inner) = self.width(arguments[0]) else { return true };
        let all = Both::all(inner);
        match op {
            Op::Zext => self.narrow(arguments[0], Both { plain: both.plain, ..all }, depth - 1),
            Op::Sext => self.narrow(arguments[0], Both { signed: both.signed, ..all }, depth - 1),
            Op::Add | Op::Sub => self.narrow_sum(op, both, (arguments[0], arguments[1]), width, depth - 1),
            _ => true,
        }
    }

    /// Narrows the operands of a sum or difference that does not wrap.
    fn narrow_sum(&mut self, op: Op, sum: Both, (x, y): (Term, Term), width: Width, depth: u32) -> bool {
        let all = Both::all(width);
        let (a, b) = (self.of(x, width, depth), self.of(y, width, depth));
        let parts = |a: Range, b: Range, sum: Range, all: Range| {
            let (whole, first, second) = match op {
                Op::Add => ((a.0 + b.0, a.1 + b.1), (sum.0 - b.1, sum.1 - b.0), (sum.0 - a.1, sum.1 - a.0)),
                _ => ((a.0 - b.1, a.1 - b.0), (sum.0 + b.0, sum.1 + b.1), (a.0 - sum.1, a.1 - sum.0)),
            };
            (whole.0 >= all.0 && whole.1 <= all.1).then_some((first, second))
        };
        let (mut first, mut second) = (all, all);
        if let Some((x, y)) = parts(a.plain, b.plain, sum.plain, all.plain) {
            (first.plain, second.plain) = (x, y);
        }
        if let Some((x, y)) = parts(a.signed, b.signed, sum.signed, all.signed) {
            (first.signed, second.signed) = (x, y);
        }
        self.narrow(x, first, depth) && self.narrow(y, second, depth)
    }

    /// Assumes that a condition holds, or that it does not; `false` if an interval becomes empty.
    fn assume(&mut self, condition: Term, holds: bool, depth: u32) -> bool {
        if let Some(value) = self.terms.as_u64(condition) {
            return (value != 0) == holds;
        }
        let View::Apply { op, arguments } = self.terms.view(condition) else { return true };
        if depth == 0 {
            return true;
        }
        match (op, holds) {
            (Op::Not, _) => return self.assume(arguments[0], !holds, depth - 1),
            (Op::And, true) | (Op::Or, false) if self.terms.width(condition) == Width::W1 => {
                return self.assume(arguments[0], holds, depth - 1)
                    && self.assume(arguments[1], holds, depth - 1);
            }
            _ => {}
        }
        let (Some(&x), Some(&y)) = (arguments.first(), arguments.get(1)) else { return true };
        let Some(width) = self.width(x).filter(|width| Some(*width) == self.width(y)) else { return true };
        let all = Both::all(width);
        // Every comparison is `lesser + by <= greater`; negation swaps the operands.
        match (op, holds) {
            (Op::Ult, true) => self.order(x, y, 1, false, width, depth),
            (Op::Ult, false) => self.order(y, x, 0, false, width, depth),
            (Op::Ule, true) => self.order(x, y, 0, false, width, depth),
            (Op::Ule, false) => self.order(y, x, 1, false, width, depth),
            (Op::Slt, true) => self.order(x, y, 1, true, width, depth),
            (Op::Slt, false) => self.order(y, x, 0, true, width, depth),
            (Op::Sle, true) => self.order(x, y, 0, true, width, depth),
            (Op::Sle, false) => self.order(y, x, 1, true, width, depth),
            (Op::Eq, true) | (Op::Ne, false) => {
                let both = self.of(x, width, depth).meet(self.of(y, width, depth)).meet(all);
                !both.is_empty() && self.narrow(x, both, depth) && self.narrow(y, both, depth)
            }
            _ => true,
        }
    }

    /// Narrows two terms of which one is less than the other by at least `by`.
    fn order(&mut self, less: Term, more: Term, by: i128, signed: bool, width: Width, depth: u32) -> bool {
        let (a, b) = (self.of(less, width, depth), self.of(more, width, depth));
        let (mut below, mut above) = (Both::all(width), Both::all(width));
        if signed {
            below.signed.1 = b.signed.1 - by;
            above.signed.0 = a.signed.0 + by;
        } else {
            below.plain.1 = b.plain.1 - by;
            above.plain.0 = a.plain.0 + by;
        }
        self.narrow(less, below, depth) && self.narrow(more, above, depth)
    }
}

//! Polynomial normal form modulo 2^n: decides or shrinks equalities of sums of products.
//!
//! Both sides are expanded into a sum of monomials with coefficients modulo 2^n, up to a bound. If the difference is a
//! constant, the equality is decided; if it has fewer monomials than both sides had and is linear, the equality of the
//! remainder replaces it.

use everypath_ir::{Algebra, Op, Width, Word};

use crate::{Term, Terms};

/// The maximum number of monomials.
const MONOMIALS: usize = 24;
/// The maximum degree of a monomial.
const DEGREE: usize = 4;
/// The maximum number of terms expanded.
const VISITED: u32 = 64;

/// A product of terms, sorted; the empty product is one.
type Monomial = Vec<Term>;

/// A sum of monomials with nonzero coefficients, sorted.
#[derive(Clone, Default)]
struct Polynomial(Vec<(Monomial, u64)>);

impl Polynomial {
    fn constant(value: u64) -> Polynomial {
        Polynomial(if value == 0 { vec![] } else { vec![(vec![], value)] })
    }

    /// Adds a multiple of another polynomial; `None` if the result is too large.
    fn add(mut self, other: &Polynomial, factor: u64, mask: u64) -> Option<Polynomial> {
        for (monomial, coefficient) in &other.0 {
            let coefficient = coefficient.wrapping_mul(factor);
            match self.0.binary_search_by(|(known, _)| known.cmp(monomial)) {
                Ok(at) => {
                    let sum = self.0[at].1.wrapping_add(coefficient) & mask;
                    self.0[at].1 = sum;
                    if sum == 0 {
                        self.0.remove(at);
                    }
                }
                Err(_) if coefficient & mask == 0 => {}
                Err(at) => self.0.insert(at, (monomial.clone(), coefficient & mask)),
            }
        }
        (self.0.len() <= MONOMIALS).then_some(self)
    }

    fn multiply(&self, other: &Polynomial, mask: u64) -> Option<Polynomial> {
        let mut product = Polynomial::default();
        for (monomial, coefficient) in &other.0 {
            let mut shifted = Polynomial::default();
            for (own, factor) in &self.0 {
                if own.len() + monomial.len() > DEGREE {
                    return None;
                }
                let mut joined = [own.as_slice(), monomial].concat();
                joined.sort_unstable();
                let single = Polynomial(vec![(joined, factor.wrapping_mul(*coefficient) & mask)]);
                shifted = shifted.add(&single, 1, mask)?;
            }
            product = product.add(&shifted, 1, mask)?;
        }
        Some(product)
    }
}

/// The expansion of a term into a polynomial.
struct Expansion<'a> {
    terms: &'a Terms,
    width: Width,
    visits: u32,
}

impl Expansion<'_> {
    /// The term as a polynomial; a term that is not a sum or product is a variable.
    fn expand(&mut self, term: Term) -> Option<Polynomial> {
        self.visits += 1;
        if self.visits > VISITED {
            return None;
        }
        let mask = u64::mask(self.width);
        if let Some(value) = self.terms.as_u64(term) {
            return Some(Polynomial::constant(value));
        }
        let variable = Polynomial(vec![(vec![term], 1)]);
        let Some((op, [a, b, _])) = self.terms.applied(term) else { return Some(variable) };
        match op {
            Op::Add => self.expand(a)?.add(&self.expand(b)?, 1, mask),
            Op::Sub => self.expand(a)?.add(&self.expand(b)?, mask, mask),
            Op::Neg => Polynomial::default().add(&self.expand(a)?, mask, mask),
            // `!a` is `-a - 1`.
            Op::Not => Polynomial::constant(mask).add(&self.expand(a)?, mask, mask),
            Op::Mul => {
                let (a, b) = (self.expand(a)?, self.expand(b)?);
                // A product too large to expand is a variable.
                Some(a.multiply(&b, mask).unwrap_or(variable))
            }
            // A left shift in canonical form.
            Op::Concat => {
                let Some(low) = self.terms.as_u64(b) else { return Some(variable) };
                let Some((Op::Extract(0), [whole, ..])) = self.terms.applied(a) else {
                    return Some(variable);
                };
                if self.terms.width(whole) != self.width {
                    return Some(variable);
                }
                let factor = 1 << self.terms.width(b).bits();
                Polynomial::constant(low).add(&self.expand(whole)?, factor, mask)
            }
            _ => Some(variable),
        }
    }
}

fn is_arithmetic(terms: &Terms, x: Term) -> bool {
    matches!(terms.applied(x), Some((Op::Add | Op::Sub | Op::Mul | Op::Neg | Op::Concat, _)))
}

/// `op` is `eq` or `ne`.
pub(super) fn equal(terms: &mut Terms, op: Op, x: Term, y: Term) -> Option<Term> {
    let width = terms.width(x);
    if width > Width::W64 || !is_arithmetic(terms, x) && !is_arithmetic(terms, y) {
        return None;
    }
    let mut expansion = Expansion { terms, width, visits: 0 };
    let (left, right) = (expansion.expand(x)?, expansion.expand(y)?);
    let before = left.0.len() + right.0.len();
    let difference = left.add(&right, u64::mask(width), u64::mask(width))?;
    let positive = op == Op::Eq;
    if difference.0.is_empty() {
        return Some(terms.truth(positive));
    }
    if let [(monomial, _)] = difference.0.as_slice()
        && monomial.is_empty()
    {
        return Some(terms.truth(!positive));
    }
    // Parity: an even value never equals an odd one.
    let odd = |(monomial, coefficient): &&(Monomial, u64)| monomial.is_empty() == (coefficient % 2 == 1);
    if difference.0.iter().filter(odd).count() == difference.0.len()
        && difference.0.iter().any(|(monomial, _)| monomial.is_empty())
    {
        return Some(terms.truth(!positive));
    }
    let is_linear = difference.0.iter().all(|(monomial, _)| monomial.len() <= 1);
    if difference.0.len() >= before || !is_linear {
        return None;
    }
    rebuild(terms, op, width, &difference)
}

/// The equality of a polynomial with zero, with negative terms moved to the other side.
fn rebuild(terms: &mut Terms, op: Op, width: Width, difference: &Polynomial) -> Option<Term> {
    let mut sides = [terms.zero(width); 2];
    for (monomial, coefficient) in &difference.0 {
        let negative = coefficient.is_negative(width);
        let magnitude = if negative { coefficient.wrapping_neg() } else { *coefficient };
        let factor = terms.constant_u64(magnitude, width);
        let part = match monomial.first() {
            Some(&variable) => terms.compute(Op::Mul, width, &[variable, factor]),
            None => factor,
        };
        let side = &mut sides[usize::from(negative)];
        let sum = terms.compute(Op::Add, width, &[*side, part]);
        *side = sum;
    }
    // Without fuel the rewritten equality could be the original one; then it stays as it was.
    (terms.fuel > 0).then(|| terms.compute(op, Width::W1, &sides))
}

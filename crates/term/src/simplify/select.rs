//! Rewrite rules for select (if-then-else).

use everypath_ir::{Algebra, Op, Width};

use super::boolean::are_opposite;
use crate::{Term, Terms};

pub(super) fn select(
    terms: &mut Terms,
    width: Width,
    condition: Term,
    then: Term,
    otherwise: Term,
) -> Option<Term> {
    // Simplifies each arm under the value of the condition.
    let known_then = known(terms, condition, then, true);
    let known_otherwise = known(terms, condition, otherwise, false);
    if known_then.is_some() || known_otherwise.is_some() {
        let (then, otherwise) = (known_then.unwrap_or(then), known_otherwise.unwrap_or(otherwise));
        return Some(terms.compute(Op::Select, width, &[condition, then, otherwise]));
    }
    if width == Width::W1
        && let Some(simpler) = of_bits(terms, condition, then, otherwise)
    {
        return Some(simpler);
    }
    match terms.applied(condition) {
        Some((Op::Eq, [a, b, _])) if [a, b] == [then, otherwise] || [b, a] == [then, otherwise] => {
            return Some(otherwise);
        }
        Some((Op::Ne, [a, b, _])) if [a, b] == [then, otherwise] || [b, a] == [then, otherwise] => {
            return Some(then);
        }
        // Canonical form: the condition is an equality.
        Some((Op::Ne, [a, b, _])) => {
            let equal = terms.compute(Op::Eq, Width::W1, &[a, b]);
            return Some(terms.compute(Op::Select, width, &[equal, otherwise, then]));
        }
        _ => {}
    }
    nested(terms, width, condition, then, otherwise)
        .or_else(|| narrow(terms, width, condition, then, otherwise))
}

/// An arm, simplified under this value of the condition.
fn known(terms: &mut Terms, condition: Term, side: Term, value: bool) -> Option<Term> {
    if side == condition {
        return Some(terms.truth(value));
    }
    if are_opposite(terms, side, condition) {
        return Some(terms.truth(!value));
    }
    match terms.applied(side)? {
        (Op::Select, [inner, a, b]) if inner == condition => Some(if value { a } else { b }),
        (Op::Select, [inner, a, b]) if are_opposite(terms, inner, condition) => {
            Some(if value { b } else { a })
        }
        _ => None,
    }
}

/// A select between single bits becomes a Boolean operator.
fn of_bits(terms: &mut Terms, condition: Term, then: Term, otherwise: Term) -> Option<Term> {
    let one = Width::W1;
    if terms.is_zero(then) {
        let opposite = terms.negation(condition);
        return Some(terms.compute(Op::And, one, &[opposite, otherwise]));
    }
    if terms.is_one(otherwise) {
        let opposite = terms.negation(condition);
        return Some(terms.compute(Op::Or, one, &[opposite, then]));
    }
    if are_opposite(terms, then, otherwise) {
        return Some(terms.compute(Op::Eq, one, &[condition, then]));
    }
    None
}

/// Nested selects with a common arm.
fn nested(terms: &mut Terms, width: Width, condition: Term, then: Term, otherwise: Term) -> Option<Term> {
    if let Some((Op::Select, [inner, a, b])) = terms.applied(otherwise) {
        if a == then {
            let either = terms.compute(Op::Or, Width::W1, &[condition, inner]);
            return Some(terms.compute(Op::Select, width, &[either, then, b]));
        }
        if b == then {
            let opposite = terms.negation(condition);
            let both = terms.compute(Op::And, Width::W1, &[opposite, inner]);
            return Some(terms.compute(Op::Select, width, &[both, a, then]));
        }
    }
    if let Some((Op::Select, [inner, a, b])) = terms.applied(then) {
        if b == otherwise {
            let both = terms.compute(Op::And, Width::W1, &[condition, inner]);
            return Some(terms.compute(Op::Select, width, &[both, a, otherwise]));
        }
        if a == otherwise {
            let opposite = terms.negation(inner);
            let both = terms.compute(Op::And, Width::W1, &[condition, opposite]);
            return Some(terms.compute(Op::Select, width, &[both, b, otherwise]));
        }
    }
    None
}

/// Selects before extending.
fn narrow(terms: &mut Terms, width: Width, condition: Term, then: Term, otherwise: Term) -> Option<Term> {
    let op = [then, otherwise].into_iter().find_map(|side| match terms.applied(side) {
        Some((op @ (Op::Zext | Op::Sext), _)) => Some(op),
        _ => None,
    })?;
    let sides = [terms.argument_of(op, then), terms.argument_of(op, otherwise)];
    let inner = match sides {
        [Some(a), Some(b)] if terms.width(a) == terms.width(b) => terms.width(a),
        [Some(_), Some(_)] => return None,
        [Some(a), None] => terms.width(a),
        [None, Some(b)] => terms.width(b),
        [None, None] => return None,
    };
    let mut narrowed = [then; 2];
    for (place, (side, original)) in narrowed.iter_mut().zip(sides.into_iter().zip([then, otherwise])) {
        *place = match side {
            Some(side) => side,
            None => {
                let value = terms.as_constant(original)?;
                let low = Op::Extract(0).apply(inner, std::slice::from_ref(&value));
                if op.apply(width, std::slice::from_ref(&low)) != value {
                    return None;
                }
                terms.constant(&low)
            }
        };
    }
    let chosen = terms.compute(Op::Select, inner, &[condition, narrowed[0], narrowed[1]]);
    Some(terms.compute(op, width, &[chosen]))
}

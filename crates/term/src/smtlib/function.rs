//! The SMT-LIB functions accepted by the parser, in terms of IR operators.

use everypath_ir::{Bits, Op, Width};

use super::sort::Value;
use crate::{Term, Terms};

/// The reason why a function cannot be applied to these arguments.
type Refused = &'static str;

const ARGUMENTS: Refused = "a function that is known, with arguments of the right number and sorts";

/// Applies an SMT-LIB function.
pub(super) fn apply(
    terms: &mut Terms,
    name: &str,
    numbers: &[u32],
    arguments: &[Value],
) -> Result<Value, Refused> {
    if let Some(value) = on_any(terms, name, arguments)? {
        return Ok(value);
    }
    if let Some(bits) = all(arguments, |value| match value {
        Value::Truth(term) => Some(term),
        _ => None,
    }) {
        return on_truths(terms, name, &bits).map(Value::Truth);
    }
    let Some(bits) = all(arguments, |value| match value {
        Value::Bits(term) => Some(term),
        _ => None,
    }) else {
        return Err(ARGUMENTS);
    };
    if !numbers.is_empty() {
        let &[x] = bits.as_slice() else { return Err(ARGUMENTS) };
        return indexed(terms, name, numbers, x).map(Value::Bits);
    }
    on_bits(terms, name, &bits)
}

fn all(arguments: &[Value], which: impl Fn(Value) -> Option<Term>) -> Option<Vec<Term>> {
    arguments.iter().map(|&value| which(value)).collect()
}

fn compute(terms: &mut Terms, op: Op, width: Width, arguments: &[Term]) -> Result<Term, Refused> {
    let widths: Vec<Width> = arguments.iter().map(|&term| terms.width(term)).collect();
    op.check(width, &widths).map_err(|_| ARGUMENTS)?;
    Ok(terms.apply_plain(op, width, arguments))
}

/// Functions whose arguments may have any sort.
fn on_any(terms: &mut Terms, name: &str, arguments: &[Value]) -> Result<Option<Value>, Refused> {
    match (name, arguments) {
        ("ite", &[Value::Truth(condition), then, otherwise]) => match (then, otherwise) {
            (Value::Truth(a), Value::Truth(b)) => {
                compute(terms, Op::Select, Width::W1, &[condition, a, b]).map(|term| Some(Value::Truth(term)))
            }
            (Value::Bits(a), Value::Bits(b)) => {
                let width = terms.width(a);
                compute(terms, Op::Select, width, &[condition, a, b]).map(|term| Some(Value::Bits(term)))
            }
            _ => Err(ARGUMENTS),
        },
        ("=" | "distinct", [_, _, ..]) => {
            let pairs: Vec<(Value, Value)> = if name == "=" {
                arguments.windows(2).map(|pair| (pair[0], pair[1])).collect()
            } else {
                let later = |at: usize| arguments[at + 1..].iter().map(move |&other| (arguments[at], other));
                (0..arguments.len()).flat_map(later).collect()
            };
            let op = if name == "=" { Op::Eq } else { Op::Ne };
            let mut result = None;
            for pair in pairs {
                let ((Value::Truth(a), Value::Truth(b)) | (Value::Bits(a), Value::Bits(b))) = pair else {
                    return Err(ARGUMENTS);
                };
                let next = compute(terms, op, Width::W1, &[a, b])?;
                result = Some(match result {
                    Some(result) => compute(terms, Op::And, Width::W1, &[result, next])?,
                    None => next,
                });
            }
            Ok(result.map(Value::Truth))
        }
        ("select", &[Value::Array(array), Value::Bits(index)]) => {
            if terms.width(index) != terms.index_width(array) {
                return Err(ARGUMENTS);
            }
            Ok(Some(Value::Bits(terms.read_plain(array, index))))
        }
        ("store", &[Value::Array(array), Value::Bits(index), Value::Bits(value)]) => {
            if terms.width(index) != terms.index_width(array) || terms.width(value) != Width::W8 {
                return Err(ARGUMENTS);
            }
            Ok(Some(Value::Array(terms.store(array, index, value))))
        }
        _ => Ok(None),
    }
}

fn on_truths(terms: &mut Terms, name: &str, arguments: &[Term]) -> Result<Term, Refused> {
    let one = Width::W1;
    match (name, arguments) {
        ("not", &[x]) => compute(terms, Op::Not, one, &[x]),
        ("and", [_, ..]) => chain(terms, Op::And, arguments),
        ("or", [_, ..]) => chain(terms, Op::Or, arguments),
        ("xor", [_, ..]) => chain(terms, Op::Xor, arguments),
        ("=>", [conditions @ .., conclusion]) if !conditions.is_empty() => {
            let mut result = *conclusion;
            for &condition in conditions.iter().rev() {
                let opposite = compute(terms, Op::Not, one, &[condition])?;
                result = compute(terms, Op::Or, one, &[opposite, result])?;
            }
            Ok(result)
        }
        _ => Err(ARGUMENTS),
    }
}

/// A left-associative chain of `op`.
fn chain(terms: &mut Terms, op: Op, arguments: &[Term]) -> Result<Term, Refused> {
    let mut result = arguments[0];
    for &next in &arguments[1..] {
        let width = match op {
            Op::Concat => {
                Width::new(terms.width(result).bits() + terms.width(next).bits()).ok_or(ARGUMENTS)?
            }
            _ => terms.width(result),
        };
        result = compute(terms, op, width, &[result, next])?;
    }
    Ok(result)
}

/// Operators with two or more arguments.
const CHAINS: [(&str, Op); 6] = [
    ("bvand", Op::And),
    ("bvor", Op::Or),
    ("bvxor", Op::Xor),
    ("bvadd", Op::Add),
    ("bvmul", Op::Mul),
    ("concat", Op::Concat),
];

const BINARY: [(&str, Op); 8] = [
    ("bvsub", Op::Sub),
    ("bvudiv", Op::Udiv),
    ("bvurem", Op::Urem),
    ("bvsdiv", Op::Sdiv),
    ("bvsrem", Op::Srem),
    ("bvshl", Op::Shl),
    ("bvlshr", Op::Lshr),
    ("bvashr", Op::Ashr),
];

const COMPLEMENTED: [(&str, Op); 3] = [("bvnand", Op::And), ("bvnor", Op::Or), ("bvxnor", Op::Xor)];

/// Comparisons, with true for those that swap their arguments.
const COMPARISONS: [(&str, Op, bool); 11] = [
    ("bvult", Op::Ult, false),
    ("bvule", Op::Ule, false),
    ("bvugt", Op::Ult, true),
    ("bvuge", Op::Ule, true),
    ("bvslt", Op::Slt, false),
    ("bvsle", Op::Sle, false),
    ("bvsgt", Op::Slt, true),
    ("bvsge", Op::Sle, true),
    ("bvuaddo", Op::Carry, false),
    ("bvsaddo", Op::Scarry, false),
    ("bvssubo", Op::Sborrow, false),
];

fn on_bits(terms: &mut Terms, name: &str, arguments: &[Term]) -> Result<Value, Refused> {
    if arguments.is_empty() {
        return Err(ARGUMENTS);
    }
    if let Some(&(_, op)) = CHAINS.iter().find(|entry| entry.0 == name) {
        return chain(terms, op, arguments).map(Value::Bits);
    }
    let width = terms.width(arguments[0]);
    match (name, arguments) {
        ("bvnot", &[x]) => return compute(terms, Op::Not, width, &[x]).map(Value::Bits),
        ("bvneg", &[x]) => return compute(terms, Op::Neg, width, &[x]).map(Value::Bits),
        _ => {}
    }
    let &[x, y] = arguments else { return Err(ARGUMENTS) };
    if width != terms.width(y) {
        return Err(ARGUMENTS);
    }
    if let Some(&(_, op)) = BINARY.iter().find(|entry| entry.0 == name) {
        return compute(terms, op, width, &[x, y]).map(Value::Bits);
    }
    if let Some(&(_, op)) = COMPLEMENTED.iter().find(|entry| entry.0 == name) {
        let inner = compute(terms, op, width, &[x, y])?;
        return compute(terms, Op::Not, width, &[inner]).map(Value::Bits);
    }
    if let Some(&(_, op, swapped)) = COMPARISONS.iter().find(|entry| entry.0 == name) {
        let sides = if swapped { [y, x] } else { [x, y] };
        return compute(terms, op, Width::W1, &sides).map(Value::Truth);
    }
    match name {
        "bvcomp" => compute(terms, Op::Eq, Width::W1, &[x, y]).map(Value::Bits),
        "bvsmod" => signed_modulo(terms, width, x, y).map(Value::Bits),
        _ => Err(ARGUMENTS),
    }
}

/// The remainder with the sign of the divisor: that of `bvsrem`, plus the divisor if the signs differ and the remainder
/// is nonzero.
fn signed_modulo(terms: &mut Terms, width: Width, x: Term, y: Term) -> Result<Term, Refused> {
    let zero = terms.constant(&Bits::zero(width));
    let remainder = compute(terms, Op::Srem, width, &[x, y])?;
    let moved = compute(terms, Op::Add, width, &[remainder, y])?;
    let negative = compute(terms, Op::Slt, Width::W1, &[remainder, zero])?;
    let divisor_negative = compute(terms, Op::Slt, Width::W1, &[y, zero])?;
    let differ = compute(terms, Op::Ne, Width::W1, &[negative, divisor_negative])?;
    let some = compute(terms, Op::Ne, Width::W1, &[remainder, zero])?;
    let both = compute(terms, Op::And, Width::W1, &[differ, some])?;
    compute(terms, Op::Select, width, &[both, moved, remainder])
}

/// Applies an indexed function `(_ name numbers)`.
fn indexed(terms: &mut Terms, name: &str, numbers: &[u32], x: Term) -> Result<Term, Refused> {
    let bits = terms.width(x).bits();
    match (name, numbers) {
        ("extract", &[high, low]) if low <= high && high < bits => {
            let width = Width::new(high - low + 1).ok_or(ARGUMENTS)?;
            compute(terms, Op::Extract(low as u16), width, &[x])
        }
        ("zero_extend" | "sign_extend", &[more]) => {
            let op = if name == "zero_extend" { Op::Zext } else { Op::Sext };
            let width = bits.checked_add(more).and_then(Width::new).ok_or(ARGUMENTS)?;
            compute(terms, op, width, &[x])
        }
        ("repeat", &[count]) if (1..=Width::MAX_BITS).contains(&count) => {
            chain(terms, Op::Concat, &vec![x; count as usize])
        }
        ("rotate_left" | "rotate_right", &[by]) => {
            let by = by % bits;
            let low = if name == "rotate_left" { (bits - by) % bits } else { by };
            let (Some(upper), Some(lower)) = (Width::new(low), Width::new(bits - low)) else { return Ok(x) };
            let above = compute(terms, Op::Extract(0), upper, &[x])?;
            let below = compute(terms, Op::Extract(low as u16), lower, &[x])?;
            chain(terms, Op::Concat, &[above, below])
        }
        _ => Err(ARGUMENTS),
    }
}

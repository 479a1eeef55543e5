//! Sorts, values and constants of SMT-LIB.

use everypath_ir::{Bits, Width};

use super::tree::{Tree, Trees};
use crate::{Array, Term};

/// The sort of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sort {
    Truth,
    Bits(Width),
    /// A byte array, with the width of its indices.
    Array(Width),
}

/// The value of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Value {
    /// A Boolean, as a term of one bit.
    Truth(Term),
    Bits(Term),
    Array(Array),
}

/// Parses a sort.
pub(super) fn sort(trees: &Trees<'_>, tree: Tree) -> Option<Sort> {
    if trees.word(tree) == Some("Bool") {
        return Some(Sort::Truth);
    }
    if let Some(("BitVec", numbers)) = trees.indexed(tree) {
        return match numbers.as_slice() {
            &[bits] => Width::new(bits).map(Sort::Bits),
            _ => None,
        };
    }
    match trees.list(tree)? {
        &[array, index, element] if trees.word(array) == Some("Array") => {
            match (sort(trees, index)?, sort(trees, element)?) {
                (Sort::Bits(index), Sort::Bits(Width::W8)) if index <= Width::W64 => Some(Sort::Array(index)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Parses a constant.
pub(super) fn constant(trees: &Trees<'_>, tree: Tree) -> Option<Bits> {
    if let Some(word) = trees.word(tree) {
        if let Some(digits) = word.strip_prefix("#x") {
            return Bits::from_hex(digits, Width::new(u32::try_from(digits.len()).ok()?.checked_mul(4)?)?);
        }
        let digits = word.strip_prefix("#b")?;
        let width = Width::new(u32::try_from(digits.len()).ok()?)?;
        let mut bytes = vec![0; width.bytes()];
        for (index, digit) in digits.bytes().rev().enumerate() {
            match digit {
                b'0' => {}
                b'1' => bytes[index / 8] |= 1 << (index % 8),
                _ => return None,
            }
        }
        return Some(Bits::from_bytes_le(&bytes, width));
    }
    // `(_ bv5 8)`.
    let &[underscore, value, width] = trees.list(tree)? else { return None };
    if trees.word(underscore) != Some("_") {
        return None;
    }
    let width = Width::new(trees.word(width)?.parse().ok()?)?;
    let digits = trees.word(value)?.strip_prefix("bv")?;
    if digits.is_empty() || digits.len() > 160 {
        return None;
    }
    let ten = Bits::from_u64(10, Width::MAX);
    let mut value = Bits::zero(Width::MAX);
    for digit in digits.bytes() {
        let digit = char::from(digit).to_digit(10)?;
        let digit = Bits::from_u64(u64::from(digit), Width::MAX);
        let product = everypath_ir::Op::Mul.apply(Width::MAX, &[value, ten.clone()]);
        value = everypath_ir::Op::Add.apply(Width::MAX, &[product, digit]);
    }
    Some(everypath_ir::Op::Extract(0).apply(width, &[value]))
}

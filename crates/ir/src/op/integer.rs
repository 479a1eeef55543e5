//! Semantics of the integer and bit-vector operators, as in SMT-LIB's theory of fixed-size bit vectors where it has
//! them.

use super::apply::Inputs;
use crate::{Width, Word};

/// Defines each operator as a function that is always inlined, so that one dispatch leads to the host's own
/// instruction.
macro_rules! meanings {
    ($( $name:ident($i:ident) $body:block )*) => {
        $(
            #[inline(always)]
            pub(super) fn $name<W: Word>($i: Inputs<W>) -> W $body
        )*
    };
}

#[inline(always)]
fn negate_if<W: Word>(condition: bool, value: W, width: Width) -> W {
    if condition { W::ZERO.wrapping_sub(value).truncate(width) } else { value }
}

#[inline(always)]
fn unsigned_quotient<W: Word>(dividend: W, divisor: W, width: Width) -> W {
    if divisor.is_zero() { W::mask(width) } else { dividend.quotient(divisor) }
}

#[inline(always)]
fn unsigned_remainder<W: Word>(dividend: W, divisor: W) -> W {
    if divisor.is_zero() { dividend } else { dividend.remainder(divisor) }
}

/// The amount of a shift, if it is less than the width.
#[inline(always)]
fn amount<W: Word>(i: Inputs<W>) -> Option<u32> {
    // The amount may be wider than 64 bits; then any set bit above the 64th makes it too large.
    let amount = i.b.low_u64();
    let fits = W::from_u64(amount) == i.b && amount < u64::from(i.result.bits());
    fits.then_some(amount as u32)
}

meanings! {
    add(i) { i.a.wrapping_add(i.b).truncate(i.result) }
    sub(i) { i.a.wrapping_sub(i.b).truncate(i.result) }
    mul(i) { i.a.wrapping_mul(i.b).truncate(i.result) }
    udiv(i) { unsigned_quotient(i.a, i.b, i.result) }
    urem(i) { unsigned_remainder(i.a, i.b) }
    sdiv(i) {
        let (a_negative, b_negative) = (i.a.is_negative(i.result), i.b.is_negative(i.result));
        let dividend = negate_if(a_negative, i.a, i.result);
        let divisor = negate_if(b_negative, i.b, i.result);
        let quotient = unsigned_quotient(dividend, divisor, i.result);
        negate_if(a_negative != b_negative, quotient, i.result)
    }
    srem(i) {
        let negative = i.a.is_negative(i.result);
        let dividend = negate_if(negative, i.a, i.result);
        let divisor = negate_if(i.b.is_negative(i.result), i.b, i.result);
        negate_if(negative, unsigned_remainder(dividend, divisor), i.result)
    }
    and(i) { i.a & i.b }
    or(i) { i.a | i.b }
    xor(i) { i.a ^ i.b }
    not(i) { (!i.a).truncate(i.result) }
    neg(i) { W::ZERO.wrapping_sub(i.a).truncate(i.result) }
    shl(i) { amount(i).map_or(W::ZERO, |amount| i.a.shift_left(amount).truncate(i.result)) }
    lshr(i) { amount(i).map_or(W::ZERO, |amount| i.a.shift_right(amount)) }
    ashr(i) {
        // Shifting by the width less one fills all bits with the sign.
        let amount = amount(i).unwrap_or(i.result.bits() - 1);
        let sign = W::sign_bit(i.result).shift_right(amount);
        (i.a.shift_right(amount) ^ sign).wrapping_sub(sign).truncate(i.result)
    }
    eq(i) { W::from_bool(i.a == i.b) }
    ne(i) { W::from_bool(i.a != i.b) }
    ult(i) { W::from_bool(i.a < i.b) }
    ule(i) { W::from_bool(i.a <= i.b) }
    slt(i) {
        let sign = W::sign_bit(i.argument);
        W::from_bool((i.a ^ sign) < (i.b ^ sign))
    }
    sle(i) {
        let sign = W::sign_bit(i.argument);
        W::from_bool((i.a ^ sign) <= (i.b ^ sign))
    }
    carry(i) { W::from_bool(i.a.wrapping_add(i.b).truncate(i.argument) < i.a) }
    scarry(i) {
        let sum = i.a.wrapping_add(i.b);
        W::from_bool(((i.a ^ sum) & (i.b ^ sum)).is_negative(i.argument))
    }
    sborrow(i) {
        let difference = i.a.wrapping_sub(i.b);
        W::from_bool(((i.a ^ i.b) & (i.a ^ difference)).is_negative(i.argument))
    }
    zext(i) { i.a }
    sext(i) { i.a.sign_extend(i.argument).truncate(i.result) }
    extract(i) { i.a.shift_right(u32::from(i.low)).truncate(i.result) }
    concat(i) { i.a.shift_left(i.result.bits() - i.argument.bits()) | i.b }
    select(i) { if i.a.is_zero() { i.c } else { i.b } }
    popcount(i) { W::from_u64(u64::from(i.a.count_ones())).truncate(i.result) }
    lzcount(i) {
        let above = W::BITS - i.argument.bits();
        W::from_u64(u64::from(i.a.leading_zeros() - above)).truncate(i.result)
    }
}

//! Correctly rounded floating-point square root in any format, by a digit-by-digit integer square root with a sticky
//! bit.

use rustc_apfloat::Float;

use crate::{Wide, Word};

/// The square root, rounded to nearest, ties to even.
pub(super) fn square_root<F: Float>(value: F) -> F {
    if value.is_nan() || value.is_zero() || value.is_pos_infinity() {
        return value;
    }
    if value.is_negative() {
        return F::qnan(None);
    }
    let precision = F::PRECISION as i32;
    // value = significand * 2^exponent, where the significand has exactly as many bits as the precision: this
    // scaling is exact, for subnormal values too.
    let exponent = value.ilogb() - (precision - 1);
    let significand = value.scalbn(-exponent).to_u128(128).value;
    // The root of a radicand of 2p+2 or 2p+3 bits has p+1 or p+2 bits, so that at least one is to be rounded away;
    // the shift also makes the exponent even.
    let shift = precision + 2 + (exponent - precision).rem_euclid(2);
    let (root, exact) = if F::PRECISION <= 53 {
        integer_root(significand.shift_left(shift as u32))
    } else {
        integer_root(Wide::from_u128(significand).shift_left(shift as u32))
    };
    // A sticky bit below represents all further digits. The root of a representable number is never subnormal, so only
    // this conversion rounds.
    let sticky = root << 1 | u128::from(!exact);
    F::from_u128(sticky).value.scalbn((exponent - shift) / 2 - 1)
}

/// The integer part of the square root, which must fit into 128 bits, and whether it is exact.
fn integer_root<W: Word>(radicand: W) -> (u128, bool) {
    // Digit by digit: `remainder` is the radicand less the square of the root so far; `root` is that root, shifted so
    // that twice the root times the next bit is `root` itself.
    let length = W::BITS - radicand.leading_zeros();
    let mut bit = W::ONE.shift_left(length.saturating_sub(1) / 2 * 2);
    let (mut remainder, mut root) = (radicand, W::ZERO);
    while !bit.is_zero() {
        let trial = root | bit;
        root = root.shift_right(1);
        if remainder >= trial {
            remainder = remainder.wrapping_sub(trial);
            root = root | bit;
        }
        bit = bit.shift_right(2);
    }
    (root.low_u128(), remainder.is_zero())
}

#[cfg(test)]
mod checks {
    use super::integer_root;
    use crate::{Wide, Word};

    #[test]
    fn the_integer_root_is_the_largest_whose_square_fits() {
        for radicand in 0_u64..5000 {
            let (root, exact) = integer_root(radicand);
            let root = root as u64;
            assert!(root * root <= radicand && (root + 1) * (root + 1) > radicand, "{radicand}");
            assert_eq!(exact, root * root == radicand, "{radicand}");
        }
        for root in [u128::MAX, u128::MAX - 1, 1 << 127, (1 << 127) + 12345] {
            let wide = Wide::from_u128(root);
            let square = wide.wrapping_mul(wide);
            assert_eq!(integer_root(square), (root, true));
            assert_eq!(integer_root(square.wrapping_add(Word::ONE)), (root, false));
            assert_eq!(integer_root(square.wrapping_sub(Word::ONE)), (root - 1, false));
        }
    }
}

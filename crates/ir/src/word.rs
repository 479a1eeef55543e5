//! Machine integers over which the operators are defined generically.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{BitAnd, BitOr, BitXor, Not};

use crate::Width;

/// The widest word: 512 bits.
pub type Wide = ruint::Uint<512, 8>;

/// An unsigned machine integer.
///
/// Operators are generic over this trait: values of up to 64 bits run on `u64` at the speed of the host, wider ones on
/// `u128` or [`Wide`]. A word that represents a value of some [`Width`] has zeros above that width.
pub trait Word:
    Copy
    + Eq
    + Ord
    + Hash
    + Debug
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
{
    /// The number of bits of the word itself.
    const BITS: u32;
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;

    /// The word of this value.
    fn from_u64(value: u64) -> Self;
    /// The word of the low bits of this value.
    fn from_u128(value: u128) -> Self;
    /// The word of the low bits of these limbs, the least significant first.
    fn from_limbs(limbs: &[u64; 8]) -> Self;
    /// The low 64 bits.
    fn low_u64(self) -> u64;
    /// The low 128 bits.
    fn low_u128(self) -> u128;
    /// All bits, the least significant limb first.
    fn to_limbs(self) -> [u64; 8];

    /// Sum modulo the word.
    #[must_use]
    fn wrapping_add(self, other: Self) -> Self;
    /// Difference modulo the word.
    #[must_use]
    fn wrapping_sub(self, other: Self) -> Self;
    /// Product modulo the word.
    #[must_use]
    fn wrapping_mul(self, other: Self) -> Self;
    /// Quotient; the divisor must not be zero.
    #[must_use]
    fn quotient(self, divisor: Self) -> Self;
    /// Remainder; the divisor must not be zero.
    #[must_use]
    fn remainder(self, divisor: Self) -> Self;
    /// Shift to the left by an amount below [`Word::BITS`].
    #[must_use]
    fn shift_left(self, amount: u32) -> Self;
    /// Shift to the right, filling with zeros, by an amount below [`Word::BITS`].
    #[must_use]
    fn shift_right(self, amount: u32) -> Self;
    /// The number of ones.
    fn count_ones(self) -> u32;
    /// The number of zeros above the highest one.
    fn leading_zeros(self) -> u32;

    /// The word of a truth value.
    #[inline(always)]
    fn from_bool(value: bool) -> Self {
        if value { Self::ONE } else { Self::ZERO }
    }

    /// Whether the word is zero.
    #[inline(always)]
    fn is_zero(self) -> bool {
        self == Self::ZERO
    }

    /// The word with the low `width` bits set.
    #[inline(always)]
    fn mask(width: Width) -> Self {
        debug_assert!(width.bits() <= Self::BITS, "the word holds the value");
        (!Self::ZERO).shift_right(Self::BITS.saturating_sub(width.bits()))
    }

    /// The word with only the sign bit of a value of `width` bits set.
    #[inline(always)]
    fn sign_bit(width: Width) -> Self {
        Self::ONE.shift_left(width.bits() - 1)
    }

    /// Whether the value of `width` bits is negative when read as a signed one.
    #[inline(always)]
    fn is_negative(self, width: Width) -> bool {
        !(self & Self::sign_bit(width)).is_zero()
    }

    /// The low `width` bits.
    #[inline(always)]
    #[must_use]
    fn truncate(self, width: Width) -> Self {
        self & Self::mask(width)
    }

    /// The value of `width` bits with its sign repeated in all bits of the word.
    #[inline(always)]
    #[must_use]
    fn sign_extend(self, width: Width) -> Self {
        let sign = Self::sign_bit(width);
        (self ^ sign).wrapping_sub(sign)
    }
}

macro_rules! native_word {
    ($word:ident, |$limbs:ident| $from_limbs:expr, |$value:ident| $to_limbs:expr) => {
        impl Word for $word {
            const BITS: u32 = $word::BITS;
            const ZERO: Self = 0;
            const ONE: Self = 1;

            #[inline(always)]
            fn from_u64(value: u64) -> Self {
                value as $word
            }
            #[inline(always)]
            fn from_u128(value: u128) -> Self {
                value as $word
            }
            #[inline(always)]
            fn from_limbs($limbs: &[u64; 8]) -> Self {
                $from_limbs
            }
            #[inline(always)]
            fn low_u64(self) -> u64 {
                self as u64
            }
            #[inline(always)]
            fn low_u128(self) -> u128 {
                self as u128
            }
            #[inline(always)]
            fn to_limbs(self) -> [u64; 8] {
                let $value = self;
                $to_limbs
            }
            #[inline(always)]
            fn wrapping_add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn wrapping_sub(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn wrapping_mul(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn quotient(self, divisor: Self) -> Self {
                self / divisor
            }
            #[inline(always)]
            fn remainder(self, divisor: Self) -> Self {
                self % divisor
            }
            #[inline(always)]
            fn shift_left(self, amount: u32) -> Self {
                self << amount
            }
            #[inline(always)]
            fn shift_right(self, amount: u32) -> Self {
                self >> amount
            }
            #[inline(always)]
            fn count_ones(self) -> u32 {
                self.count_ones()
            }
            #[inline(always)]
            fn leading_zeros(self) -> u32 {
                self.leading_zeros()
            }
        }
    };
}

native_word!(u64, |limbs| limbs[0], |value| [value, 0, 0, 0, 0, 0, 0, 0]);
native_word!(u128, |limbs| u128::from(limbs[0]) | u128::from(limbs[1]) << 64, |value| [
    value as u64,
    (value >> 64) as u64,
    0,
    0,
    0,
    0,
    0,
    0
]);

impl Word for Wide {
    const BITS: u32 = 512;
    const ZERO: Self = Wide::ZERO;
    const ONE: Self = Wide::ONE;

    fn from_u64(value: u64) -> Self {
        Wide::from_limbs([value, 0, 0, 0, 0, 0, 0, 0])
    }
    fn from_u128(value: u128) -> Self {
        Wide::from_limbs(value.to_limbs())
    }
    fn from_limbs(limbs: &[u64; 8]) -> Self {
        Wide::from_limbs(*limbs)
    }
    fn low_u64(self) -> u64 {
        self.as_limbs()[0]
    }
    fn low_u128(self) -> u128 {
        <u128 as Word>::from_limbs(self.as_limbs())
    }
    fn to_limbs(self) -> [u64; 8] {
        self.into_limbs()
    }
    fn wrapping_add(self, other: Self) -> Self {
        Wide::wrapping_add(self, other)
    }
    fn wrapping_sub(self, other: Self) -> Self {
        Wide::wrapping_sub(self, other)
    }
    fn wrapping_mul(self, other: Self) -> Self {
        Wide::wrapping_mul(self, other)
    }
    fn quotient(self, divisor: Self) -> Self {
        self.wrapping_div(divisor)
    }
    fn remainder(self, divisor: Self) -> Self {
        self.wrapping_rem(divisor)
    }
    fn shift_left(self, amount: u32) -> Self {
        self.wrapping_shl(amount as usize)
    }
    fn shift_right(self, amount: u32) -> Self {
        self.wrapping_shr(amount as usize)
    }
    fn count_ones(self) -> u32 {
        Wide::count_ones(&self) as u32
    }
    fn leading_zeros(self) -> u32 {
        Wide::leading_zeros(&self) as u32
    }
}

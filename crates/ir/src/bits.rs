//! Fixed-width bit vectors (`BitVec` of SMT-LIB) as concrete values.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use crate::{Width, Word};

/// A bit vector: a value and its [`Width`]. All bits above the width are zero.
///
/// Values of up to 64 bits are stored inline, wider ones on the heap. Values are ordered by width, then as unsigned
/// numbers. The text form is the value in hexadecimal, a colon and the width:
///
/// ```
/// use everypath_ir::{Bits, Width};
/// let bits = Bits::from_u64(0x11f, Width::W8);
/// assert_eq!(bits.to_string(), "0x1f:8");
/// assert_eq!("0x1f:8".parse(), Ok(bits));
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Bits(Form);

/// The representation depends on the width alone, so equal values have equal representations.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Form {
    Narrow { width: Width, value: u64 },
    Wide { width: Width, limbs: Box<[u64; 8]> },
}

impl Bits {
    /// The low `width` bits of `value`.
    #[inline]
    #[must_use]
    pub fn from_u64(value: u64, width: Width) -> Bits {
        if width.bits() <= 64 {
            Bits(Form::Narrow { width, value: value.truncate(width) })
        } else {
            Bits(Form::Wide { width, limbs: Box::new(value.to_limbs()) })
        }
    }

    /// The low `width` bits of `value`.
    #[must_use]
    pub fn from_u128(value: u128, width: Width) -> Bits {
        let limbs = value.to_limbs();
        Bits::from_limbs(limbs, width)
    }

    /// The low `width` bits of a word.
    #[inline]
    #[must_use]
    pub fn from_word<W: Word>(word: W, width: Width) -> Bits {
        if width.bits() <= 64 {
            Bits(Form::Narrow { width, value: word.low_u64().truncate(width) })
        } else {
            Bits::from_limbs(word.to_limbs(), width)
        }
    }

    /// The low `width` bits of a value given by bytes, the least significant first; missing bytes are zero.
    #[must_use]
    pub fn from_bytes_le(bytes: &[u8], width: Width) -> Bits {
        let mut limbs = [0; 8];
        for (index, &byte) in bytes.iter().take(64).enumerate() {
            limbs[index / 8] |= u64::from(byte) << (index % 8 * 8);
        }
        Bits::from_limbs(limbs, width)
    }

    /// The value of hexadecimal digits, without prefix; `None` if there is no digit, a character is not a digit, or the
    /// value does not fit.
    #[must_use]
    pub fn from_hex(digits: &str, width: Width) -> Option<Bits> {
        let significant = digits.trim_start_matches('0');
        if digits.is_empty() || significant.len() > 128 {
            return None;
        }
        let mut limbs = [0; 8];
        for (index, digit) in significant.bytes().rev().enumerate() {
            let digit = char::from(digit).to_digit(16)?;
            limbs[index / 16] |= u64::from(digit) << (index % 16 * 4);
        }
        let bits = Bits::from_limbs(limbs, width);
        (bits.to_limbs() == limbs).then_some(bits)
    }

    /// Zero.
    #[must_use]
    pub fn zero(width: Width) -> Bits {
        Bits::from_u64(0, width)
    }

    /// The value whose bits are all one.
    #[must_use]
    pub fn ones(width: Width) -> Bits {
        Bits::from_limbs([u64::MAX; 8], width)
    }

    fn from_limbs(mut limbs: [u64; 8], width: Width) -> Bits {
        if width.bits() <= 64 {
            return Bits::from_u64(limbs[0], width);
        }
        for (index, limb) in limbs.iter_mut().enumerate() {
            let inside = width.bits().saturating_sub(index as u32 * 64);
            if inside < 64 {
                *limb &= (1 << inside) - 1;
            }
        }
        Bits(Form::Wide { width, limbs: Box::new(limbs) })
    }

    fn to_limbs(&self) -> [u64; 8] {
        match &self.0 {
            Form::Narrow { value, .. } => value.to_limbs(),
            Form::Wide { limbs, .. } => **limbs,
        }
    }

    /// The width of the value.
    #[inline]
    #[must_use]
    pub fn width(&self) -> Width {
        match self.0 {
            Form::Narrow { width, .. } | Form::Wide { width, .. } => width,
        }
    }

    /// The value as a word; bits that do not fit the word are truncated.
    #[inline]
    #[must_use]
    pub fn to_word<W: Word>(&self) -> W {
        match &self.0 {
            Form::Narrow { value, .. } => W::from_u64(*value),
            Form::Wide { limbs, .. } => W::from_limbs(limbs),
        }
    }

    /// The value, if it fits into 64 bits.
    #[inline]
    #[must_use]
    pub fn to_u64(&self) -> Option<u64> {
        match &self.0 {
            Form::Narrow { value, .. } => Some(*value),
            Form::Wide { limbs, .. } => limbs[1..].iter().all(|&limb| limb == 0).then_some(limbs[0]),
        }
    }

    /// The value, if it fits into 128 bits.
    #[must_use]
    pub fn to_u128(&self) -> Option<u128> {
        let limbs = self.to_limbs();
        limbs[2..].iter().all(|&limb| limb == 0).then(|| self.to_word())
    }

    /// The bytes of the value, the least significant first; as many as the width needs.
    #[must_use]
    pub fn to_bytes_le(&self) -> Vec<u8> {
        let limbs = self.to_limbs();
        (0..self.width().bytes()).map(|index| (limbs[index / 8] >> (index % 8 * 8)) as u8).collect()
    }

    /// One bit, counted from the least significant; beyond the width it is zero.
    #[must_use]
    pub fn bit(&self, index: u32) -> bool {
        let limbs = self.to_limbs();
        limbs.get(index as usize / 64).is_some_and(|limb| limb >> (index % 64) & 1 == 1)
    }

    /// Whether the value is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        match &self.0 {
            Form::Narrow { value, .. } => *value == 0,
            Form::Wide { limbs, .. } => limbs.iter().all(|&limb| limb == 0),
        }
    }

    /// Whether all bits are one.
    #[must_use]
    pub fn is_ones(&self) -> bool {
        match &self.0 {
            Form::Narrow { width, value } => *value == u64::mask(*width),
            Form::Wide { width, .. } => *self == Bits::ones(*width),
        }
    }
}

impl From<bool> for Bits {
    fn from(value: bool) -> Bits {
        Bits::from_u64(u64::from(value), Width::W1)
    }
}

impl Ord for Bits {
    fn cmp(&self, other: &Bits) -> Ordering {
        let by_width = self.width().cmp(&other.width());
        by_width.then_with(|| self.to_limbs().iter().rev().cmp(other.to_limbs().iter().rev()))
    }
}

impl PartialOrd for Bits {
    fn partial_cmp(&self, other: &Bits) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Bits {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limbs = self.to_limbs();
        let top = limbs.iter().rposition(|&limb| limb != 0).unwrap_or(0);
        write!(formatter, "{:#x}", limbs[top])?;
        for limb in limbs[..top].iter().rev() {
            write!(formatter, "{limb:016x}")?;
        }
        write!(formatter, ":{}", self.width())
    }
}

impl fmt::Debug for Bits {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Bits({self})")
    }
}

/// The error for text that is not a bit vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BitsError;

impl fmt::Display for BitsError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .write_str("expected a value such as 0x1f:8, whose digits fit into its width of 1 to 512 bits")
    }
}

impl std::error::Error for BitsError {}

impl FromStr for Bits {
    type Err = BitsError;

    fn from_str(text: &str) -> Result<Bits, BitsError> {
        let parse = || {
            let (digits, width) = text.strip_prefix("0x")?.split_once(':')?;
            // `parse` alone would accept a sign.
            let width = width.bytes().all(|byte| byte.is_ascii_digit()).then(|| width.parse().ok())??;
            Bits::from_hex(digits, Width::new(width)?)
        };
        parse().ok_or(BitsError)
    }
}

//! The width of a value in bits.

use std::fmt;
use std::num::NonZeroU16;

/// The width of a value in bits, from 1 to [`Width::MAX_BITS`].
///
/// ```
/// use everypath_ir::Width;
/// assert_eq!(Width::new(12).unwrap().bytes(), 2);
/// assert_eq!(Width::new(0), None);
/// assert_eq!(Width::new(513), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Width(NonZeroU16);

impl Width {
    /// The greatest width of the intermediate representation.
    pub const MAX_BITS: u32 = 512;

    /// One bit: the result of a comparison, a guard.
    pub const W1: Width = Width::literal(1);
    /// 8 bits.
    pub const W8: Width = Width::literal(8);
    /// 16 bits.
    pub const W16: Width = Width::literal(16);
    /// 32 bits.
    pub const W32: Width = Width::literal(32);
    /// 64 bits.
    pub const W64: Width = Width::literal(64);
    /// 128 bits.
    pub const W128: Width = Width::literal(128);
    /// The widest: 512 bits.
    pub const MAX: Width = Width::literal(Self::MAX_BITS);

    const fn literal(bits: u32) -> Width {
        match Width::new(bits) {
            Some(width) => width,
            None => panic!("a width written in this file is valid"),
        }
    }

    /// The width of `bits` bits, if there is one.
    #[must_use]
    pub const fn new(bits: u32) -> Option<Width> {
        if bits > Self::MAX_BITS {
            return None;
        }
        match NonZeroU16::new(bits as u16) {
            Some(bits) => Some(Width(bits)),
            None => None,
        }
    }

    /// The width of a value of `bytes` whole bytes, if there is one.
    #[must_use]
    pub const fn of_bytes(bytes: usize) -> Option<Width> {
        if bytes > (Self::MAX_BITS / 8) as usize { None } else { Width::new(bytes as u32 * 8) }
    }

    /// The number of bits.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0.get() as u32
    }

    /// The number of bytes that hold the value, rounded up.
    #[inline]
    #[must_use]
    pub const fn bytes(self) -> usize {
        self.bits().div_ceil(8) as usize
    }

    /// Whether a value of this width occupies whole bytes, so that it can be stored in a space.
    #[inline]
    #[must_use]
    pub const fn is_whole_bytes(self) -> bool {
        self.bits().is_multiple_of(8)
    }
}

impl fmt::Display for Width {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl fmt::Debug for Width {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Width({})", self.0)
    }
}

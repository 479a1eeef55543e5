//! The decoding context (SLEIGH's context register) as a plain value of up to 128 bits.

use std::fmt;

/// The context in which an instruction is decoded. Bit 0 of the specification is the highest bit here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DecodingContext(pub u128);

impl DecodingContext {
    /// `size` bits from `start` on, counted from the highest bit, as a number.
    pub(crate) fn bits(self, start: u32, size: u32) -> u64 {
        if size == 0 || start >= 128 {
            return 0;
        }
        let aligned = self.0 << start;
        (aligned >> (128 - size.min(64))) as u64
    }

    /// This context with the masked bits replaced.
    #[must_use]
    pub fn with(self, mask: u128, value: u128) -> Self {
        Self(self.0 & !mask | value & mask)
    }
}

impl fmt::LowerHex for DecodingContext {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::LowerHex::fmt(&self.0, formatter)
    }
}

/// A named field of the context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextField {
    /// Its name in the specification.
    pub name: String,
    /// Its bits in a [`DecodingContext`].
    pub mask: u128,
    /// The position of its lowest bit, counted from the lowest bit of a [`DecodingContext`].
    pub shift: u32,
    /// Whether a value set at an address also applies to the following addresses.
    pub flows: bool,
}

impl ContextField {
    /// A field of `size` bits from `start` on, counted from the highest bit; both within the 128 bits.
    pub(crate) fn new(name: String, start: u32, size: u32, flows: bool) -> Self {
        let shift = 128 - start - size;
        let ones = u128::MAX >> (128 - size);
        Self { name, mask: ones << shift, shift, flows }
    }

    /// The field's value in `context`.
    pub fn get(&self, context: DecodingContext) -> u128 {
        (context.0 & self.mask) >> self.shift
    }

    /// `context` with this field set; excess bits are truncated.
    #[must_use]
    pub fn set(&self, context: DecodingContext, value: u128) -> DecodingContext {
        context.with(self.mask, value << self.shift)
    }
}

/// A change of context that an instruction makes for the instruction at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Commit {
    /// The address (in bytes, in the code space) from which the change applies.
    pub address: u64,
    /// The bits that change.
    pub mask: u128,
    /// Their new value.
    pub value: u128,
    /// Whether the change also applies to the following addresses, or only to that one instruction.
    pub flows: bool,
}

//! Address spaces as a specification declares them.

/// The number of an address space; an index into [`Specification::spaces`](crate::Specification::spaces).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SpecificationSpaceId(pub u8);

impl SpecificationSpaceId {
    /// The space of constants: the offset of a varnode in it is the value itself.
    pub const CONSTANT: SpecificationSpaceId = SpecificationSpaceId(0);

    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// The kinds of address spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpecificationSpaceKind {
    /// Constants: the offset is the value.
    Constant,
    /// Temporaries of one instruction.
    Unique,
    /// A space of the processor: memory, or registers.
    Processor,
    /// A space that no instruction accesses.
    Other,
}

/// An address space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecificationSpace {
    /// Its name in the specification.
    pub name: String,
    /// Its kind.
    pub kind: SpecificationSpaceKind,
    /// Whether the most significant byte comes first.
    pub big_endian: bool,
    /// The size of an address in bytes.
    pub address_size: u32,
    /// The size of an address unit in bytes; offsets in varnodes always count bytes.
    pub word_size: u32,
    /// The highest offset, in bytes.
    pub highest: u64,
}

impl SpecificationSpace {
    pub(crate) fn new(
        name: &str,
        kind: SpecificationSpaceKind,
        big_endian: bool,
        address_size: u32,
        word_size: u32,
    ) -> Self {
        let highest =
            mask(address_size).wrapping_mul(u64::from(word_size)).wrapping_add(u64::from(word_size - 1));
        Self { name: name.to_owned(), kind, big_endian, address_size, word_size, highest }
    }

    /// Wraps an offset around the end of the space, as the processor's address arithmetic does.
    pub fn wrap(&self, offset: u64) -> u64 {
        if offset <= self.highest {
            return offset;
        }
        // An offset beyond the end is the result of a signed calculation, so the remainder is a signed one.
        let size = self.highest.wrapping_add(1) as i64;
        if size == 0 { offset } else { (offset as i64).wrapping_rem_euclid(size) as u64 }
    }
}

/// All ones in the low `size` bytes; sizes over eight count as eight.
pub(crate) fn mask(size: u32) -> u64 {
    match size {
        0 => 0,
        1..=7 => (1 << (size * 8)) - 1,
        _ => u64::MAX,
    }
}

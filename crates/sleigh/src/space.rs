//! Address spaces as a specification declares them.

/// The number of an address space; an index into [`Specification::spaces`](crate::Specification::spaces).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SpaceId(pub u8);

impl SpaceId {
    /// The space of constants: the offset of a varnode in it is the value itself.
    pub const CONSTANT: SpaceId = SpaceId(0);

    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// What a space is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpaceKind {
    /// Values, not places.
    Constant,
    /// Temporaries of one instruction.
    Unique,
    /// A space of the processor: memory, or registers.
    Processor,
    /// A space that no instruction reaches.
    Other,
}

/// An address space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Space {
    /// Its name in the specification.
    pub name: String,
    /// What it is for.
    pub kind: SpaceKind,
    /// Whether the most significant byte comes first.
    pub big_endian: bool,
    /// How many bytes an address of it has.
    pub address_size: u32,
    /// How many bytes one address unit has; the offsets in varnodes count bytes all the same.
    pub word_size: u32,
    /// The highest offset, in bytes.
    pub highest: u64,
}

impl Space {
    pub(crate) fn new(
        name: &str,
        kind: SpaceKind,
        big_endian: bool,
        address_size: u32,
        word_size: u32,
    ) -> Self {
        let highest =
            mask(address_size).wrapping_mul(u64::from(word_size)).wrapping_add(u64::from(word_size - 1));
        Self { name: name.to_owned(), kind, big_endian, address_size, word_size, highest }
    }

    /// An offset brought back into the space, as the processor's address arithmetic does.
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

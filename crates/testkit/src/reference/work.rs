//! The kinds of work: contiguous code, or unrelated records.

/// Code to be decoded from front to back.
///
/// The reference sees zeros before and after the bytes; an instruction that extends beyond the end is reported as bad
/// (`truncated`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReferenceSweep {
    /// Address of the first byte.
    pub base: u64,
    /// The distance to the next attempt after an address without an instruction.
    pub step: u64,
}

/// Records of one size, each to be decoded as an instruction of its own.
///
/// The reference sees each record at its address, followed by zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words {
    /// Bytes per record.
    pub size: u64,
    /// Address of the first record.
    pub base: u64,
    /// Distance between the addresses of neighbours: at least 16, the number of bytes that the reference reads, and at
    /// least `size`.
    pub stride: u64,
    /// The number of records after which addresses repeat, with a new instance of the reference. More slots cost less
    /// time; with fewer, one record sets the context of another less often.
    pub slots: u64,
}

impl Words {
    /// Records of `size` bytes with the usual distances.
    pub fn new(size: u64) -> Self {
        Self { size, base: 0x1000, stride: 64, slots: 8192 }
    }

    /// The address of the record with this index.
    ///
    /// ```
    /// use everypath_testkit::reference::Words;
    /// let words = Words { size: 4, base: 0x1000, stride: 0x40, slots: 100 };
    /// assert_eq!(words.address(1), 0x1040);
    /// assert_eq!(words.address(101), 0x1040);
    /// ```
    pub fn address(&self, index: u64) -> u64 {
        self.base + index % self.slots * self.stride
    }

    /// The index after the last record that shares an instance with this one.
    pub(crate) fn end_of_slots(&self, index: u64) -> u64 {
        (index / self.slots + 1) * self.slots
    }
}

/// Either kind of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Code from front to back.
    Sweep(ReferenceSweep),
    /// Unrelated records.
    Words(Words),
}

//! Interrupts of a processor: by which registers a program enables and pends them, and the instruction that takes one.

use serde::Deserialize;

/// How interrupts are enabled, pended and taken.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interrupts {
    /// The address of the instruction that takes an interrupt. The specification has it for this purpose, and the memory map
    /// holds its bytes.
    pub entry: u64,
    /// The register from which that instruction takes the number of the exception.
    pub number: String,
    /// The register from which it takes the address of the interrupted instruction.
    pub interrupted: String,
    /// Registers that must all be zero for an interrupt to be taken.
    pub masks: Vec<String>,
    /// The lines.
    pub lines: Vec<InterruptLines>,
}

/// Interrupt lines with consecutive exception numbers.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InterruptLines {
    /// The exception number of the first.
    pub first: u64,
    /// The bits by which a program enables them; without, they are always enabled.
    pub enable: Option<LineBits>,
    /// The bits by which a program pends them.
    pub pend: Option<LineBits>,
    /// Whether only the program pends them: no device does.
    #[serde(default)]
    pub internal: bool,
}

/// Registers in memory with a bit for each of some interrupt lines.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum LineBits {
    /// A row of registers in which ones set bits, and another in which ones clear them.
    Row {
        /// The address of the registers that set bits; reads of both rows give the bits.
        set: u64,
        /// The address of those that clear bits.
        clear: u64,
        /// The size of each row in bytes.
        size: u64,
    },
    /// Bits of one register, for one line.
    Register {
        /// The address of the register, of four bytes.
        address: u64,
        /// The line's bit is set by a write with all of these.
        set: u32,
        /// The line's bit is cleared by a write with one of these; without, by a write that does not set it.
        clear: Option<u32>,
    },
}

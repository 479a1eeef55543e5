//! Interrupts of a processor: by which registers a program enables and pends them, and the instruction that takes one.

use serde::Deserialize;

/// How interrupts are enabled, pended and taken.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interrupts {
    /// The address of the instruction that takes an interrupt. The specification has it for this purpose.
    pub entry: u64,
    /// The bytes of that instruction, unless the memory map has them. A program with code at the address takes no interrupts.
    #[serde(default)]
    pub bytes: Vec<u8>,
    /// The register from which that instruction takes the number of the interrupt, to find its handler in a table.
    pub number: Option<String>,
    /// The register from which it takes the address of the vector, where handlers begin at fixed addresses.
    pub vector: Option<String>,
    /// The register from which it takes the address of the interrupted instruction.
    pub interrupted: String,
    /// The conditions on registers under which an interrupt is taken; all must hold.
    pub conditions: Vec<RegisterCondition>,
    /// The register that masks lines with the priority that it holds and those with a lower one, which is a greater number;
    /// none if it is zero.
    pub priority_mask: Option<String>,
    /// The lines.
    pub lines: Vec<InterruptLines>,
}

/// A condition on the contents of a register: some of its bits have a given value.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegisterCondition {
    /// The register.
    pub register: String,
    /// The bits that matter; all if nothing is given.
    #[serde(default = "all_bits")]
    pub bits: u64,
    /// Their value.
    #[serde(default)]
    pub value: u64,
}

fn all_bits() -> u64 {
    u64::MAX
}

/// Interrupt lines with consecutive numbers.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InterruptLines {
    /// The number of the first.
    pub first: u64,
    /// Their enable bits. None are given if they differ between chips, or if nothing can disable the lines.
    pub enable: Option<Enable>,
    /// The bits by which a program pends them.
    pub pend: Option<LineBits>,
    /// The address of the byte with the priority of the first; those of the others follow.
    pub priority: Option<u64>,
    /// Whether only the program pends them: no device does.
    #[serde(default)]
    pub internal: bool,
}

/// The enable bits of interrupt lines: of the interrupt controller in memory, or of a register of the processor.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Enable {
    /// Bits of the interrupt controller, by what the program writes to it.
    Controller(LineBits),
    /// Bits of a register that holds what was written to it.
    Register(EnableBits),
}

/// Consecutive bits of a register of the specification, one for each line.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnableBits {
    /// The register.
    pub register: String,
    /// The bit of the first line.
    pub bit: u32,
    /// The number of lines.
    pub count: u64,
}

impl InterruptLines {
    /// The bits of the interrupt controller by which a program enables them.
    pub fn enable_bits(&self) -> Option<&LineBits> {
        match &self.enable {
            Some(Enable::Controller(bits)) => Some(bits),
            Some(Enable::Register(_)) | None => None,
        }
    }
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

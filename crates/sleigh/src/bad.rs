//! Decoding failures: bytes that are not an instruction, and files that are not a specification.

use std::fmt;

/// The reason why bytes could not be decoded. It is a result about the bytes, not a failure of the decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BadInstruction {
    /// No constructor of the specification matches these bytes in this context.
    NoMatch,
    /// The address is not a multiple of the specification's instruction alignment.
    Unaligned,
    /// The given bytes end before the instruction does.
    Truncated,
    /// The specification reads beyond the 16th byte of one instruction.
    TooLong,
    /// The instruction decodes, but the specification has no p-code for it.
    Unimplemented {
        /// Its length in bytes, delay slots included.
        length: u32,
    },
    /// An instruction in its delay slot, after it, or cross-built into it cannot be decoded.
    Companion,
    /// The specification nests constructors or expressions deeper than the decoder allows.
    TooComplex,
    /// The specification is inconsistent here (a malformed p-code template, a missing label, a division by zero in a
    /// field, ...).
    Inconsistent,
}

impl fmt::Display for BadInstruction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::NoMatch => "no instruction of this processor has this encoding",
            Self::Unaligned => "the address is not aligned for an instruction",
            Self::Truncated => "the bytes end within the instruction",
            Self::TooLong => "the encoding runs past 16 bytes",
            Self::Unimplemented { .. } => "the specification gives this instruction no meaning",
            Self::Companion => "the instruction in its delay slot, or after it, does not decode",
            Self::TooComplex => "the specification nests too deeply here",
            Self::Inconsistent => "the specification is malformed here",
        })
    }
}

impl std::error::Error for BadInstruction {}

/// The reason why a `.sla` file, or a name looked up in it, was rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError {
    message: String,
}

impl LoadError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for LoadError {}

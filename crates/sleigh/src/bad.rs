//! The two ways in which something cannot be decoded: bytes that are no instruction, a file that is no specification.

use std::fmt;

/// Why bytes could not be decoded. This is a result about the bytes, not a failure of the decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BadInstruction {
    /// No constructor of the specification matches these bytes in this context.
    NoMatch,
    /// The address is not a multiple of the specification's instruction alignment.
    Unaligned,
    /// The bytes given end before the instruction does.
    Truncated,
    /// The specification asks for bytes beyond the 16th of one instruction.
    TooLong,
    /// It decodes, but the specification gives it no p-code.
    Unimplemented {
        /// Its length in bytes, delay slots included.
        length: u32,
    },
    /// The instruction in its delay slot, after it, or woven into it cannot be decoded.
    Companion,
    /// The specification nests constructors or expressions deeper than the decoder allows.
    TooComplex,
    /// The specification contradicts itself here (a missing label, a division by zero in a field, ...).
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
            Self::Inconsistent => "the specification contradicts itself here",
        })
    }
}

impl std::error::Error for BadInstruction {}

/// Why a `.sla` file, or a name looked up in it, was refused.
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

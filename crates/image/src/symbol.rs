//! Symbols: names of addresses.

use std::fmt;

/// A symbol: the name of an address, with its properties in the file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Symbol {
    /// The address, without the bit that selects an instruction set.
    pub address: u64,
    /// The size in bytes; 0 if the file does not say.
    pub size: u64,
    /// The name, as the file has it (mangled).
    pub name: String,
    /// The kind of symbol.
    pub kind: SymbolKind,
    /// The linkage visibility.
    pub binding: Binding,
    /// A function in the alternate instruction set, on a machine that marks this in the symbol's address or
    /// attributes.
    pub alternate: bool,
    /// The symbol is in the table for dynamic linking.
    pub dynamic: bool,
    /// The symbol's attributes that belong to the processor and the visibility, `st_other`.
    pub other: u8,
}

/// The kinds of symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SymbolKind {
    /// A function.
    Function,
    /// A resolver (`STT_GNU_IFUNC`): a function that returns the address of the function to use.
    IndirectFunction,
    /// Data.
    Object,
    /// An offset in thread-local storage, not an address.
    ThreadLocal,
    /// An address without a type.
    Label,
    /// A number without a type (`SHN_ABS`): the address of a register or a size, not one of code.
    Absolute,
    /// A mapping symbol: the instruction set or data that begins here and extends to the next mapping symbol of the
    /// section.
    Mapping(Mapping),
    /// Any other ELF symbol type.
    Other(u8),
}

/// The contents that begin at a mapping symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mapping {
    /// Instructions of the main set: `$a`, `$x`.
    Code,
    /// Instructions of the alternate set: `$t`.
    AlternateCode,
    /// Data between the instructions: `$d`.
    Data,
}

impl Mapping {
    /// The mapping that the name of an untyped local symbol denotes: `$a`, `$t`, `$d` or `$x`, alone or with a suffix
    /// after a dot; `$x` also with the name of an instruction set.
    pub(crate) fn from_name(name: &[u8]) -> Option<Self> {
        let [b'$', letter, suffix @ ..] = name else { return None };
        let mapping = match letter {
            b'a' | b'x' => Self::Code,
            b't' => Self::AlternateCode,
            b'd' => Self::Data,
            _ => return None,
        };
        let named_set = *letter == b'x' && suffix.starts_with(b"rv");
        (suffix.is_empty() || suffix[0] == b'.' || named_set).then_some(mapping)
    }
}

/// The binding of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Binding {
    /// Visible to all files.
    Global,
    /// Visible to all files, unless another file defines it.
    Weak,
    /// Visible to its own source file.
    Local,
}

impl SymbolKind {
    /// Returns true if the symbol names an address in memory.
    pub const fn is_address(self) -> bool {
        !matches!(self, Self::Mapping(_) | Self::ThreadLocal | Self::Absolute)
    }
}

impl fmt::Display for SymbolKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Function => formatter.write_str("function"),
            Self::IndirectFunction => formatter.write_str("indirect-function"),
            Self::Object => formatter.write_str("object"),
            Self::ThreadLocal => formatter.write_str("thread-local"),
            Self::Label => formatter.write_str("label"),
            Self::Absolute => formatter.write_str("absolute"),
            Self::Mapping(Mapping::Code) => formatter.write_str("maps-code"),
            Self::Mapping(Mapping::AlternateCode) => formatter.write_str("maps-alternate-code"),
            Self::Mapping(Mapping::Data) => formatter.write_str("maps-data"),
            Self::Other(number) => write!(formatter, "other-{number}"),
        }
    }
}

impl fmt::Display for Binding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Global => "global",
            Self::Weak => "weak",
            Self::Local => "local",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mapping_symbols_are_known_by_name() {
        let cases = [
            ("$a", Some(Mapping::Code)),
            ("$t", Some(Mapping::AlternateCode)),
            ("$t.42", Some(Mapping::AlternateCode)),
            ("$d", Some(Mapping::Data)),
            ("$x", Some(Mapping::Code)),
            ("$xrv32i2p1", Some(Mapping::Code)),
            ("$total", None),
            ("$", None),
            ("a", None),
            ("", None),
        ];
        for (name, expected) in cases {
            assert_eq!(Mapping::from_name(name.as_bytes()), expected, "{name}");
        }
    }
}

//! Code locations: an address with its function and its source line, as far as they are known.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Address;

/// An address of the program in the user's terms; displayed as `update+0xc alarm.c:41`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CodeLocation {
    /// The address.
    pub address: Address,
    /// The function, from symbols or from the recovered graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<FunctionOffset>,
    /// The source line, from debug information.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<SourcePosition>,
}

/// A position in a function; displayed as `update+0xc`, at its entry as `update`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FunctionOffset {
    /// The function's name.
    pub name: String,
    /// The distance from its entry, in bytes.
    pub offset: u64,
}

/// A position in a source file; displayed as `alarm.c:41`, without the folders of the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SourcePosition {
    /// The file, as the compiler was given it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
}

impl CodeLocation {
    /// The location of an address among those that are known, which are in the order of their addresses; the address alone if it
    /// is not among them.
    #[must_use]
    pub fn find(known: &[CodeLocation], address: Address) -> Cow<'_, CodeLocation> {
        match known.binary_search_by_key(&address, |location| location.address) {
            Ok(index) => Cow::Borrowed(&known[index]),
            Err(_) => Cow::Owned(CodeLocation { address, function: None, source: None }),
        }
    }
}

impl SourcePosition {
    /// The name of the file without its folders.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.file.rsplit(['/', '\\']).next().unwrap_or(&self.file)
    }
}

impl fmt::Display for CodeLocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.function {
            Some(function) => write!(formatter, "{function}")?,
            None => write!(formatter, "{}", self.address)?,
        }
        self.source.as_ref().map_or(Ok(()), |source| write!(formatter, " {source}"))
    }
}

impl fmt::Display for FunctionOffset {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.offset {
            0 => formatter.write_str(&self.name),
            offset => write!(formatter, "{}+{offset:#x}", self.name),
        }
    }
}

impl fmt::Display for SourcePosition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.file_name(), self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_is_displayed_with_what_is_known_of_it() {
        let function = |offset| Some(FunctionOffset { name: "update".to_owned(), offset });
        let source = Some(SourcePosition { file: "/src/alarm.c".to_owned(), line: 41, column: None });
        let address = Address(0x100);
        let shown = |function, source| CodeLocation { address, function, source }.to_string();
        assert_eq!(shown(function(12), source.clone()), "update+0xc alarm.c:41");
        assert_eq!(shown(function(0), None), "update");
        assert_eq!(shown(None, source), "0x100 alarm.c:41");
        assert_eq!(shown(None, None), "0x100");
    }
}

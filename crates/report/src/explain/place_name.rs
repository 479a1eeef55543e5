//! Places as a user names them: `0x1002`, `update+0xc`, `update`, `alarm.c:41`, and `+0x14` behind an arrow.

use everypath_record::{Address, CodeLocation, SourcePosition};

/// A place as a user names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PlaceName<'n> {
    /// An address.
    Address(Address),
    /// A function, or one offset of it.
    Function(&'n str, Option<u64>),
    /// A source line.
    Line(&'n str, u32),
    /// An offset of the function that the branch is in.
    Offset(u64),
}

impl<'n> PlaceName<'n> {
    /// Any text that is nothing else is the name of a function.
    pub(super) fn parse(text: &'n str) -> PlaceName<'n> {
        let text = text.trim();
        if let Ok(address) = text.parse() {
            return PlaceName::Address(address);
        }
        if let Some(offset) = text.strip_prefix('+').and_then(number) {
            return PlaceName::Offset(offset);
        }
        if let Some((file, line)) = text.rsplit_once(':')
            && let (false, Ok(line)) = (file.is_empty(), line.parse())
        {
            return PlaceName::Line(file, line);
        }
        match text.rsplit_once('+').and_then(|(name, offset)| Some((name, number(offset)?))) {
            Some((name, offset)) => PlaceName::Function(name, Some(offset)),
            None => PlaceName::Function(text, None),
        }
    }

    /// Whether a location is this place; `function` is that of the branch.
    pub(super) fn is_at(self, location: &CodeLocation, function: Option<&str>) -> bool {
        match self {
            PlaceName::Address(address) => location.address == address,
            PlaceName::Function(name, offset) => location.function.as_ref().is_some_and(|function| {
                function.name == name && offset.is_none_or(|offset| offset == function.offset)
            }),
            PlaceName::Line(file, line) => {
                location.source.as_ref().is_some_and(|source| source.line == line && is_file(source, file))
            }
            PlaceName::Offset(offset) => location
                .function
                .as_ref()
                .is_some_and(|own| Some(own.name.as_str()) == function && own.offset == offset),
        }
    }
}

/// Whether a name is the path of a file, or its last parts.
pub(super) fn is_file(source: &SourcePosition, name: &str) -> bool {
    let Some(before) = source.file.strip_suffix(name) else { return false };
    before.is_empty() || before.ends_with(['/', '\\'])
}

/// A hexadecimal number with `0x`, or a decimal one.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_is_told_from_the_others() {
        let forms = [
            ("0x1002", PlaceName::Address(Address(0x1002))),
            (" update+0xc ", PlaceName::Function("update", Some(12))),
            ("update+12", PlaceName::Function("update", Some(12))),
            ("update", PlaceName::Function("update", None)),
            ("ns::update", PlaceName::Function("ns::update", None)),
            ("operator+", PlaceName::Function("operator+", None)),
            ("src/alarm.c:41", PlaceName::Line("src/alarm.c", 41)),
            ("+0x14", PlaceName::Offset(0x14)),
        ];
        for (text, expected) in forms {
            assert_eq!(PlaceName::parse(text), expected, "{text}");
        }
    }

    #[test]
    fn a_file_is_named_by_whole_parts_of_its_path() {
        let source = SourcePosition { file: "/src/lib/alarm.c".to_owned(), line: 1, column: None };
        for (name, expected) in
            [("alarm.c", true), ("lib/alarm.c", true), ("larm.c", false), ("other/alarm.c", false)]
        {
            assert_eq!(is_file(&source, name), expected, "{name}");
        }
    }
}

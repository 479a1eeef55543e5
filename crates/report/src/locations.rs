//! Addresses in the user's terms: function and offset, source line and its text.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use everypath_record::{Address, CodeLocation, Direction, SourcePosition};

/// Maximum number of source lines of a function that are listed.
const LINES: usize = 8;

/// Maximum number of characters of a source line that are shown.
const SOURCE_COLUMNS: usize = 60;

/// Known code locations, with the text of source lines.
pub(crate) struct Locations<'s> {
    /// The locations, in the order of their addresses.
    pub(crate) known: &'s [CodeLocation],
    /// Returns the text of a source line, if the source is at hand.
    pub(crate) source: &'s dyn Fn(&SourcePosition) -> Option<String>,
}

impl Locations<'_> {
    /// The code location of an address; the address alone if nothing else is known.
    pub(crate) fn location(&self, address: Address) -> Cow<'_, CodeLocation> {
        CodeLocation::find(self.known, address)
    }

    /// An address: `update+0xc (0x800010c)  alarm.c:41  if (level > 255)`.
    pub(crate) fn at(&self, address: Address) -> String {
        let location = self.location(address);
        let text = match &location.function {
            Some(function) => format!("{function} ({address})"),
            None => address.to_string(),
        };
        text + &self.source_of(&location)
    }

    /// A direction: `update+0xc -> +0x14 (0x800010c -> 0x8000114)  alarm.c:41  if (level > 255)`.
    pub(crate) fn direction(&self, direction: Direction) -> String {
        let from = self.location(direction.branch);
        direction_text(&from, &self.location(direction.target)) + &self.source_of(&from)
    }

    /// The source line of a location with its text, `  alarm.c:41  if (level > 255)`; empty if it is unknown.
    fn source_of(&self, location: &CodeLocation) -> String {
        let Some(source) = &location.source else { return String::new() };
        format!("  {source}{}", self.source_text(source))
    }

    /// The text of a source line, shortened.
    fn source_text(&self, position: &SourcePosition) -> String {
        let Some(line) = (self.source)(position) else { return String::new() };
        let line = line.trim();
        match line.char_indices().nth(SOURCE_COLUMNS) {
            Some((end, _)) => format!("  {}...", line[..end].trim_end()),
            None => format!("  {line}"),
        }
    }

    /// A message with the code location beside the address that it names, if more is known of it.
    pub(crate) fn named(&self, message: &str) -> String {
        let Some((end, address)) = Address::of_code_in(message) else { return message.to_owned() };
        let location = self.location(address);
        if location.function.is_none() {
            return message.to_owned();
        }
        format!("{} ({location}){}", &message[..end], &message[end..])
    }

    /// The directions by the function of their branch, the function with most of them first.
    pub(crate) fn by_function(&self, directions: &[Direction]) -> Vec<(String, Vec<Direction>)> {
        let mut functions: BTreeMap<String, Vec<Direction>> = BTreeMap::new();
        for direction in directions {
            let location = self.location(direction.branch);
            let name = location.function.as_ref().map_or("no function", |function| &function.name);
            functions.entry(name.to_owned()).or_default().push(*direction);
        }
        let mut functions: Vec<_> = functions.into_iter().collect();
        functions.sort_by_key(|(_, directions)| std::cmp::Reverse(directions.len()));
        functions
    }

    /// The source lines of directions, `  mode.c:14, 17, 22, ...`; the first address if there are none.
    pub(crate) fn lines(&self, directions: &[Direction]) -> String {
        let position = |direction: &Direction| {
            let source = self.location(direction.branch).source.clone()?;
            Some((source.file_name().to_owned(), source.line))
        };
        let positions: BTreeSet<(String, u32)> = directions.iter().filter_map(position).collect();
        let Some((first, _)) = positions.first() else {
            return directions
                .first()
                .map(|first| format!("  first at {}", first.branch))
                .unwrap_or_default();
        };
        let of_first = positions.iter().filter(|(file, _)| file == first);
        let mut lines: Vec<String> = of_first.map(|(_, line)| line.to_string()).collect();
        if lines.len() > LINES || lines.len() < positions.len() {
            lines.truncate(LINES);
            lines.push("...".to_owned());
        }
        format!("  {first}:{}", lines.join(", "))
    }
}

/// A direction from one location to another: `update+0xc -> +0x14 (0x800010c -> 0x8000114)`.
pub(crate) fn direction_text(from: &CodeLocation, to: &CodeLocation) -> String {
    let direction = Direction { branch: from.address, target: to.address };
    let Some(function) = &from.function else { return direction.to_string() };
    let to = match &to.function {
        Some(other) if other.name == function.name => format!("+{:#x}", other.offset),
        Some(other) => other.to_string(),
        None => to.address.to_string(),
    };
    format!("{function} -> {to} ({direction})")
}

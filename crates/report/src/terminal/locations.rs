//! Addresses in the user's terms: function and offset, source line and its text.

use std::collections::{BTreeMap, BTreeSet};

use everypath_record::{Address, Direction, SourcePosition, Summary};

/// Maximum number of source lines of a function that are listed.
const LINES: usize = 8;

/// Maximum number of characters of a source line that are shown.
const SOURCE_COLUMNS: usize = 60;

/// The code locations of a summary, with the text of source lines.
pub(super) struct Locations<'s> {
    pub(super) summary: &'s Summary,
    pub(super) source: &'s dyn Fn(&SourcePosition) -> Option<String>,
}

impl Locations<'_> {
    /// An address: `update+0xc (0x800010c)  alarm.c:41  if (level > 255)`.
    pub(super) fn at(&self, address: Address) -> String {
        let location = self.summary.location(address);
        let mut text = match &location.function {
            Some(function) => format!("{function} ({address})"),
            None => address.to_string(),
        };
        if let Some(source) = &location.source {
            text += &format!("  {source}");
            text += &self.source_text(source);
        }
        text
    }

    /// A direction: `update+0xc -> +0x14 (0x800010c -> 0x8000114)  alarm.c:41  if (level > 255)`.
    pub(super) fn direction(&self, direction: Direction) -> String {
        let Direction { branch, target } = direction;
        let (from, to) = (self.summary.location(branch), self.summary.location(target));
        let Some(function) = &from.function else {
            let source = from.source.as_ref().map(|source| format!("  {source}")).unwrap_or_default();
            return format!("{direction}{source}");
        };
        let to = match &to.function {
            Some(other) if other.name == function.name => format!("+{:#x}", other.offset),
            Some(other) => other.to_string(),
            None => target.to_string(),
        };
        let mut text = format!("{function} -> {to} ({direction})");
        if let Some(source) = &from.source {
            text += &format!("  {source}");
            text += &self.source_text(source);
        }
        text
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
    pub(super) fn named(&self, message: &str) -> String {
        let Some((end, address)) = Address::of_code_in(message) else { return message.to_owned() };
        let location = self.summary.location(address);
        if location.function.is_none() {
            return message.to_owned();
        }
        format!("{} ({location}){}", &message[..end], &message[end..])
    }

    /// The directions by the function of their branch, the function with most of them first.
    pub(super) fn by_function(&self, directions: &[Direction]) -> Vec<(String, Vec<Direction>)> {
        let mut functions: BTreeMap<String, Vec<Direction>> = BTreeMap::new();
        for direction in directions {
            let location = self.summary.location(direction.branch);
            let name = location.function.as_ref().map_or("no function", |function| &function.name);
            functions.entry(name.to_owned()).or_default().push(*direction);
        }
        let mut functions: Vec<_> = functions.into_iter().collect();
        functions.sort_by_key(|(_, directions)| std::cmp::Reverse(directions.len()));
        functions
    }

    /// The source lines of directions, `  mode.c:14, 17, 22, ...`; the first address if there are none.
    pub(super) fn lines(&self, directions: &[Direction]) -> String {
        let position = |direction: &Direction| {
            let source = self.summary.location(direction.branch).source.clone()?;
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

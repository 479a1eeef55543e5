//! Justifications in `everypath.toml`: why directions that stay open are acceptable. They have no effect on a run.

use crate::address_or_symbol::AddressOrSymbol;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// The key of justifications.
const KEY: &str = "justification";

/// The number of hexadecimal digits of a digest of code.
const DIGITS: usize = 16;

/// An entry `[[justification]]`: the reason why a branch direction that stays open is acceptable.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JustificationEntry {
    /// The function: a symbol, or `sub_` and the address of its entry.
    pub function: String,
    /// The distance of the branch from the function's entry, in bytes.
    pub offset: u64,
    /// The target: its address, its distance from the entry of the function (`"+0x14"`), or a place in another function
    /// (`"other+0x4"`).
    pub target: AddressOrSymbol,
    /// The first 16 hexadecimal digits of the hash (SHA-256) of the function's code.
    #[serde(deserialize_with = "digest")]
    pub code: String,
    /// Why the open direction is acceptable.
    #[serde(deserialize_with = "reason")]
    pub reason: String,
    /// Who says so.
    pub by: Option<String>,
    /// When.
    #[serde(default, deserialize_with = "date")]
    pub date: Option<String>,
}

fn digest<'d, D: Deserializer<'d>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?.to_ascii_lowercase();
    if text.len() == DIGITS && text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Ok(text);
    }
    Err(Error::custom(
        "`code` has 16 hexadecimal digits; `everypath explain` prints them for an open direction",
    ))
}

fn reason<'d, D: Deserializer<'d>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.trim().is_empty() {
        return Err(Error::custom("a justification needs a reason: `reason` is empty"));
    }
    Ok(text)
}

/// A date, in quotation marks or without.
fn date<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Date {
        Text(String),
        Literal(toml::value::Datetime),
    }
    Ok(Some(match Date::deserialize(deserializer)? {
        Date::Text(text) => text,
        Date::Literal(date) => date.to_string(),
    }))
}

/// The text of a configuration without its justifications, and without the comments and blank lines right above them: adding or
/// removing one leaves this text as it is. Suites are made for a configuration with this text.
///
/// ```
/// use everypath_environment::without_justifications;
/// let justified = "seed = 1\n\n# HW-REQ-12\n[[justification]]\nfunction = \"step\"\n\n[stack]\nstart = 0\nsize = 8\n";
/// assert_eq!(without_justifications(justified), "seed = 1\n\n[stack]\nstart = 0\nsize = 8\n");
/// ```
#[must_use]
pub fn without_justifications(text: &str) -> Cow<'_, str> {
    let ranges = justifications(text);
    if ranges.is_empty() {
        return Cow::Borrowed(text);
    }
    let (mut rest, mut from) = (String::new(), 0);
    for range in ranges {
        let start = first_line_above(text, range.start).max(from);
        rest.push_str(&text[from..start]);
        from = line_end(text, range.end);
    }
    // Blank lines at the end of the file came with the last entry.
    rest.push_str(if text[from..].trim().is_empty() { "" } else { &text[from..] });
    Cow::Owned(rest)
}

/// Where the justifications are, in order: from the header of each to its last value.
fn justifications(text: &str) -> Vec<Range<usize>> {
    let Ok(document) = DeTable::parse(text) else { return Vec::new() };
    let found = document.get_ref().iter().find(|(key, _)| key.get_ref() == KEY);
    let Some((key, value)) = found else { return Vec::new() };
    // A list in brackets is behind its key; of tables, the key is inside of the header.
    if key.span().start < value.span().start {
        return std::iter::once(key.span().start..value.span().end).collect();
    }
    let entries = value.get_ref().as_array().into_iter().flat_map(|array| array.iter());
    let range = |entry: &toml::Spanned<DeValue<'_>>| {
        let values = entry.get_ref().as_table().into_iter().flat_map(|table| table.iter());
        let last = values.map(|(_, value)| value.span().end).max();
        entry.span().start..last.unwrap_or(0).max(entry.span().end)
    };
    let mut ranges: Vec<Range<usize>> = entries.map(range).collect();
    ranges.sort_unstable_by_key(|range| range.start);
    ranges
}

/// The start of the lines that belong to an entry: its comments, and the blank lines above them.
fn first_line_above(text: &str, start: usize) -> usize {
    let mut first = line_start(text, start);
    for is_of_entry in [|line: &str| line.starts_with('#'), |line: &str| line.is_empty()] {
        while first > 0 {
            let above = line_start(text, first - 1);
            if !is_of_entry(text[above..first].trim()) {
                break;
            }
            first = above;
        }
    }
    first
}

/// The start of the line that an offset is in.
fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind('\n').map_or(0, |end| end + 1)
}

/// The start of the line after the one that an offset is in.
fn line_end(text: &str, offset: usize) -> usize {
    text[offset..].find('\n').map_or(text.len(), |end| offset + end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Configuration;

    const ENTRY: &str = "[[justification]]\nfunction = \"step\"\noffset = 0x2c\ntarget = \"+0x30\"\n\
                         code = \"9f86d081884c7d65\"\nreason = '''never:\n[[justification]]\n'''\n";

    #[test]
    fn what_is_left_does_not_depend_on_justifications() {
        let configurations = [
            "",
            "seed = 1\n",
            "# the board\nseed = 1\n\n[[volatile]]\nname = \"port\"\naddress = 1\nsize = 1\n\n# end\n",
        ];
        for text in configurations {
            assert_eq!(without_justifications(text), text);
            let added = [
                format!("{text}\n{ENTRY}"),
                format!("{text}\n# reviewed\n# twice\n{ENTRY}by = \"A\" # B\n\n\n{ENTRY}\n\n"),
                format!("{text}\n{ENTRY}date = 2026-01-31"),
            ];
            for added in added {
                assert_eq!(without_justifications(&added), text, "{added}");
                assert!(Configuration::parse(&added).is_ok_and(|parsed| !parsed.justifications.is_empty()));
            }
        }
        let between = format!("seed = 1\n\n{ENTRY}\n[stack]\nstart = 0\nsize = 8\n\n{ENTRY}");
        assert_eq!(without_justifications(&between), "seed = 1\n\n[stack]\nstart = 0\nsize = 8\n");
        let inline = "seed = 1\njustification = [\n]\nbudget = 2\n";
        assert_eq!(without_justifications(inline), "seed = 1\nbudget = 2\n");
    }

    #[test]
    fn an_entry_has_a_digest_and_a_reason() {
        let parse = |text: &str| Configuration::parse(text).map(|mut parsed| parsed.justifications.remove(0));
        let entry = parse(&format!("{ENTRY}by = \"A. Reviewer\"\ndate = 2026-01-31\n")).expect("an entry");
        assert_eq!((entry.offset, entry.date.as_deref()), (0x2c, Some("2026-01-31")));
        assert_eq!(entry.target, AddressOrSymbol::Symbol("+0x30".to_owned()));
        let quoted = parse(&format!("{ENTRY}date = \"in May\"\n")).expect("an entry");
        assert_eq!(quoted.date.as_deref(), Some("in May"));
        let refused = |from: &str, to: &str| parse(&ENTRY.replace(from, to)).expect_err("an error");
        let error = refused("9f86d081884c7d65", "9f86");
        assert!(error.contains("line 5") && error.contains("everypath explain"), "{error}");
        let error = refused("'''never:\n[[justification]]\n'''", "\" \"");
        assert!(error.contains("needs a reason"), "{error}");
        let error = refused("offset", "ofset");
        assert!(error.contains("ofset"), "{error}");
    }
}

//! The parts of Markdown that the rules use: names in backticks, headings, and names as words.

/// The words in backticks of one line.
pub(super) fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// Whether a text has a name in backticks.
pub(super) fn names(text: &str, name: &str) -> bool {
    text.lines().any(|line| quoted(line).any(|quoted| quoted == name))
}

/// Whether a text has a heading with this name among its words: `intel_hex` is found in `## Intel HEX`.
pub(super) fn has_heading(text: &str, name: &str) -> bool {
    text.lines().filter(|line| line.starts_with('#')).any(|line| has_words(line, name))
}

/// Whether adjacent words of a text, joined, are the name. Case and characters other than letters and digits are
/// ignored.
fn has_words(text: &str, name: &str) -> bool {
    let name = name.to_lowercase().replace(|character: char| !character.is_alphanumeric(), "");
    let text = text.to_lowercase();
    let words: Vec<_> =
        text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    (0..words.len()).any(|start| {
        let mut joined = String::new();
        words[start..].iter().any(|word| {
            joined.push_str(word);
            joined == name
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_backticks() {
        assert!(names("a\nthe `ir` crate", "ir"));
        assert!(!names("the ir crate, `irk`, `a` ir `b`", "ir"));
    }

    #[test]
    fn headings_are_compared_by_words() {
        let text = "# Images\n## Intel HEX (`.hex`)\nraw\n## Drawbacks\n";
        assert!(has_heading(text, "intel_hex"));
        assert!(has_heading(text, "hex"));
        assert!(!has_heading(text, "raw"));
        assert!(!has_heading(text, "inte"));
    }
}

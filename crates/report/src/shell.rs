//! Words of shell commands that a user may copy.

/// A word for a shell, in quotes if it needs them.
///
/// ```
/// assert_eq!(everypath_report::shell_quoted("a.elf"), "a.elf");
/// assert_eq!(everypath_report::shell_quoted("it's"), r"'it'\''s'");
/// ```
#[must_use]
pub fn shell_quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_./:=,+-".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

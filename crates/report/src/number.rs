//! Numbers for people.

use std::io::{self, Write};

/// A number with a comma between each three digits: `518,980`.
///
/// ```
/// assert_eq!(everypath_report::with_separators(999), "999");
/// assert_eq!(everypath_report::with_separators(1_518_980), "1,518,980");
/// ```
#[must_use]
pub fn with_separators(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of things: `1 path`, `2,000 paths`. The plural is the singular with an `s`.
pub(crate) fn counted(number: u64, singular: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {singular}{plural}", with_separators(number))
}

/// Says how many entries of a list are left out, and where they are: `  ... and 12 more in the summary`.
pub(crate) fn write_rest(length: usize, shown: usize, place: &str, out: &mut dyn Write) -> io::Result<()> {
    match length.saturating_sub(shown) {
        0 => Ok(()),
        rest => writeln!(out, "  ... and {} more{place}", with_separators(rest as u64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_separators() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(with_separators), ["0", "999", "1,000", "1,234,567"]);
    }
}

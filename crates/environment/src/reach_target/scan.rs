//! The scanner of targets: characters, words and numbers, each with its place in the text.

use std::ops::Range;

use super::TargetError;

/// The rest of a text.
pub(super) struct Scanner<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t str) -> Scanner<'t> {
        Scanner { text, at: 0 }
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub(super) fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Whether nothing but space is left.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.skip_space();
        self.rest().is_empty()
    }

    /// Takes a sign behind space, if it comes next.
    pub(super) fn take(&mut self, sign: &str) -> bool {
        self.skip_space();
        let is_next = self.rest().starts_with(sign);
        self.at += if is_next { sign.len() } else { 0 };
        is_next
    }

    /// Takes the longest run of characters, behind space.
    pub(super) fn take_while(&mut self, is_wanted: impl Fn(char, &str) -> bool) -> (&'t str, Range<usize>) {
        self.skip_space();
        let (start, rest) = (self.at, self.rest());
        let mut chars = rest.char_indices();
        let end = chars.find(|(at, char)| !is_wanted(*char, &rest[*at..])).map_or(rest.len(), |(at, _)| at);
        self.at += end;
        (&rest[..end], start..self.at)
    }

    /// An error about what comes next: a word, a sign, or the end of the text.
    pub(super) fn expected(&mut self, what: &str) -> TargetError {
        self.skip_space();
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            let message = format!("expected {what}, and the target ends");
            return TargetError::new(message, self.text, self.at..self.at);
        };
        let word = rest.find(|char: char| !is_word(char)).unwrap_or(rest.len());
        let length = word.max(first.len_utf8());
        let message = format!("expected {what}, found `{}`", &rest[..length]);
        TargetError::new(message, self.text, self.at..self.at + length)
    }

    pub(super) fn error(&self, message: impl Into<String>, span: Range<usize>) -> TargetError {
        TargetError::new(message, self.text, span)
    }
}

/// Whether a character belongs to a name or a number.
pub(super) fn is_word(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '.' | '$' | '@')
}

/// The number that a word is: decimal, or after `0x` or `0b`, with underlines between digits; `None` if it is none or too
/// large.
pub(super) fn number(word: &str) -> Option<u64> {
    let lower = word.to_ascii_lowercase();
    let (digits, base) = match (lower.strip_prefix("0x"), lower.strip_prefix("0b")) {
        (Some(digits), _) => (digits, 16),
        (None, Some(digits)) => (digits, 2),
        (None, None) => (lower.as_str(), 10),
    };
    if digits.starts_with('_') {
        return None;
    }
    u64::from_str_radix(&digits.replace('_', ""), base).ok()
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_have_three_bases() {
        assert_eq!(
            [number("10"), number("0x2000_0010"), number("0b101")],
            [Some(10), Some(0x2000_0010), Some(5)]
        );
        assert_eq!([number("x"), number("0x"), number("0x1_0000_0000_0000_0000"), number("_1")], [None; 4]);
    }
}

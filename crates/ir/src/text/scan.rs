//! Lexer of the text form.

use std::fmt;

use crate::space::is_name_byte;

/// A syntax error with its position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// The line, counted from 1.
    pub line: usize,
    /// The column in that line in bytes, counted from 1.
    pub column: usize,
    /// The expected syntax.
    pub expected: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: expected {}", self.line, self.column, self.expected)
    }
}

impl std::error::Error for ParseError {}

/// The result of parsing a syntax element.
pub(super) type Parsed<T> = Result<T, ParseError>;

/// Scans a text from left to right, skipping white space and comments between words.
pub(super) struct Scanner<'a> {
    text: &'a str,
    /// The index of the next byte; it is neither white space nor in a comment.
    next: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Scanner<'a> {
        let mut scanner = Scanner { text, next: 0 };
        scanner.skip_space();
        scanner
    }

    fn rest(&self) -> &'a str {
        &self.text[self.next..]
    }

    fn skip_space(&mut self) {
        loop {
            let rest = self.rest();
            let space = rest.len() - rest.trim_ascii_start().len();
            self.next += space;
            if !self.rest().starts_with('#') {
                return;
            }
            self.next += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    /// The position of the next word.
    pub(super) fn position(&self) -> usize {
        self.next
    }

    /// An error at the next word.
    pub(super) fn error<T>(&self, expected: impl Into<String>) -> Parsed<T> {
        self.error_at(self.next, expected)
    }

    /// An error at an earlier position.
    pub(super) fn error_at<T>(&self, position: usize, expected: impl Into<String>) -> Parsed<T> {
        let before = &self.text[..position];
        let line_start = before.rfind('\n').map_or(0, |index| index + 1);
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        Err(ParseError { line, column: position - line_start + 1, expected: expected.into() })
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.rest().is_empty()
    }

    /// Whether the next character is this sign.
    pub(super) fn is_at(&self, sign: char) -> bool {
        self.rest().starts_with(sign)
    }

    /// Consumes the sign if it comes next, and returns whether it did.
    pub(super) fn take_sign(&mut self, sign: char) -> bool {
        let found = self.is_at(sign);
        if found {
            self.next += sign.len_utf8();
            self.skip_space();
        }
        found
    }

    pub(super) fn sign(&mut self, sign: char) -> Parsed<()> {
        if self.take_sign(sign) { Ok(()) } else { self.error(format!("`{sign}`")) }
    }

    /// The next word, which may be empty.
    pub(super) fn peek_word(&self) -> &'a str {
        let rest = self.rest();
        let length = rest.bytes().position(|byte| !is_name_byte(byte)).unwrap_or(rest.len());
        &rest[..length]
    }

    /// Consumes the next word.
    pub(super) fn skip_word(&mut self) {
        self.next += self.peek_word().len();
        self.skip_space();
    }

    /// Consumes the word if it comes next, and returns whether it did.
    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let found = self.peek_word() == word;
        if found {
            self.skip_word();
        }
        found
    }

    pub(super) fn word(&mut self, word: &str) -> Parsed<()> {
        if self.take_word(word) { Ok(()) } else { self.error(format!("`{word}`")) }
    }

    /// Consumes a word that `read` accepts.
    pub(super) fn read<T>(&mut self, expected: &str, read: impl FnOnce(&'a str) -> Option<T>) -> Parsed<T> {
        match read(self.peek_word()) {
            Some(value) => {
                self.skip_word();
                Ok(value)
            }
            None => self.error(expected),
        }
    }
}

/// A decimal number without sign.
pub(super) fn decimal<T: TryFrom<u64>>(word: &str) -> Option<T> {
    let digits = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| word.parse::<u64>().ok())?.and_then(|number| number.try_into().ok())
}

/// A hexadecimal number with the prefix `0x`.
pub(super) fn hexadecimal<T: TryFrom<u128>>(word: &str) -> Option<T> {
    let digits = word.strip_prefix("0x")?;
    let valid = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    valid.then(|| u128::from_str_radix(digits, 16).ok())?.and_then(|number| number.try_into().ok())
}

//! The identifiers and literals of a Rust file, without comments.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::iter::Peekable;

/// The identifiers and literals of a file, in order.
#[derive(Debug, Default)]
pub(super) struct Code {
    pub(super) pieces: Vec<Piece>,
}

/// An identifier or a literal.
#[derive(Debug)]
pub(super) struct Piece {
    /// The source text.
    pub(super) text: String,
    /// The line where it begins.
    pub(super) line: usize,
}

impl Code {
    /// Reads a file without its comments; the error says why it is not Rust.
    pub(super) fn with_tests(text: &str) -> Result<Self, String> {
        Self::read(text, true)
    }

    /// Reads a file without its comments and without code that is compiled for tests only.
    pub(super) fn without_tests(text: &str) -> Result<Self, String> {
        Self::read(text, false)
    }

    fn read(text: &str, tests: bool) -> Result<Self, String> {
        let tokens: TokenStream = text.parse().map_err(|error| format!("this is not Rust: {error}"))?;
        let mut code = Self::default();
        code.add(tokens, tests);
        Ok(code)
    }

    fn add(&mut self, tokens: TokenStream, tests: bool) {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Punct(mark) if mark.as_char() == '#' => {
                    let Some(attribute) = attribute(&mut tokens) else { continue };
                    if !tests && is_test_only(&attribute) {
                        skip_item(&mut tokens);
                    } else if !is_documentation(&attribute) {
                        self.add(attribute, tests);
                    }
                }
                TokenTree::Group(group) => self.add(group.stream(), tests),
                TokenTree::Ident(_) | TokenTree::Literal(_) => {
                    let line = token.span().start().line;
                    self.pieces.push(Piece { text: token.to_string(), line });
                }
                TokenTree::Punct(_) => {}
            }
        }
    }
}

type Tokens = Peekable<proc_macro2::token_stream::IntoIter>;

/// The contents of an attribute whose `#` has been read.
fn attribute(tokens: &mut Tokens) -> Option<TokenStream> {
    tokens.next_if(|token| matches!(token, TokenTree::Punct(mark) if mark.as_char() == '!'));
    match tokens.next_if(
        |token| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket),
    )? {
        TokenTree::Group(group) => Some(group.stream()),
        _ => None,
    }
}

/// A doc comment comes as an attribute.
fn is_documentation(attribute: &TokenStream) -> bool {
    attribute.to_string().starts_with("doc")
}

/// `#[test]` and `#[cfg(test)]`, also as `#[cfg(all(test, unix))]`, but not `#[cfg(not(test))]`.
fn is_test_only(attribute: &TokenStream) -> bool {
    let text: String = attribute.to_string().split_whitespace().collect();
    text == "test" || text == "cfg(test)" || text.starts_with("cfg(all(test")
}

/// Skips the item that an attribute belongs to: up to its body or its semicolon.
fn skip_item(tokens: &mut Tokens) {
    for token in tokens {
        match token {
            TokenTree::Punct(mark) if mark.as_char() == ';' => return,
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => return,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "\
//! outer
/// documented
#[derive(Debug)]
fn named<'a>() { let x = \"string\"; /* block /* nested */ */ }
#[cfg(test)]
#[allow(dead_code)]
mod tests { fn inner() { let y = ';'; } }
#[test]
fn checked() {}
#[cfg(test)]
mod elsewhere;
#[cfg(not(test))]
fn last() {}
";

    fn words(code: &Code) -> Vec<&str> {
        code.pieces.iter().map(|piece| piece.text.as_str()).collect()
    }

    #[test]
    fn comments_and_tests_are_left_out() {
        let code = Code::without_tests(FILE).unwrap();
        let expected = "derive Debug fn named a let x \"string\" cfg not test fn last";
        assert_eq!(words(&code).join(" "), expected);
        assert_eq!(code.pieces.last().unwrap().line, 13);
    }

    #[test]
    fn tests_are_kept_on_demand() {
        let code = Code::with_tests(FILE).unwrap();
        for word in ["tests", "inner", "checked", "elsewhere"] {
            assert!(words(&code).contains(&word), "{word}");
        }
        assert!(!words(&code).contains(&"documented"));
    }

    #[test]
    fn what_is_not_rust_is_an_error() {
        assert!(Code::with_tests("fn open( {").unwrap_err().contains("not Rust"));
    }
}

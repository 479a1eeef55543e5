//! The parser of targets: recursive descent over points and places.
//!
//! ```text
//! target    = point { ";" point }
//! point     = place [ ":" condition ]
//! place     = code [ "->" code ] | file ":" line
//! code      = address | symbol [ "+" number ]
//! ```
//!
//! A name with anything but letters, digits, `_`, `.`, `$`, `@`, `/`, `~` and `-` is written in double quotes.

use std::ops::Range;

use super::scan::{Scanner, is_word, number};
use super::{CodePlace, PlaceText, PointText, TargetError, TargetText, condition};

/// Parses a target.
pub(super) fn target(text: &str) -> Result<TargetText, TargetError> {
    let mut scanner = Scanner::new(text);
    let mut points = vec![point(&mut scanner)?];
    while scanner.take(";") {
        points.push(point(&mut scanner)?);
    }
    if !scanner.is_at_end() {
        return Err(scanner.expected("`;` and the next point, or the end"));
    }
    Ok(TargetText { text: text.to_owned(), points })
}

fn point(scanner: &mut Scanner<'_>) -> Result<PointText, TargetError> {
    scanner.skip_space();
    let start = scanner.at;
    let place = place(scanner)?;
    let span = start..scanner.at;
    let condition = if scanner.take(":") { Some(condition::parse(scanner)?) } else { None };
    Ok(PointText { place, span, condition })
}

fn place(scanner: &mut Scanner<'_>) -> Result<PlaceText, TargetError> {
    let (name, span) = name(scanner)?;
    if let Some(line) = line_number(scanner, &name)? {
        return Ok(PlaceText::Line { file: name, line });
    }
    let first = code(scanner, name, span)?;
    if !scanner.take("->") {
        return Ok(PlaceText::Instruction(first));
    }
    let (name, span) = self::name(scanner)?;
    Ok(PlaceText::Direction { branch: first, target: code(scanner, name, span)? })
}

/// A name or an address, in quotes or not.
fn name(scanner: &mut Scanner<'_>) -> Result<(String, Range<usize>), TargetError> {
    const WANTED: &str = "an address, a symbol or a source line";
    if scanner.take("\"") {
        let start = scanner.at;
        let Some(length) = scanner.rest().find('"') else {
            return Err(scanner.error("the quoted name does not end", start - 1..scanner.text.len()));
        };
        scanner.at += length + 1;
        return Ok((scanner.text[start..start + length].to_owned(), start..start + length));
    }
    let is_name = |char: char, rest: &str| {
        is_word(char) || matches!(char, '/' | '~') || char == '-' && !rest.starts_with("->")
    };
    let (name, span) = scanner.take_while(is_name);
    if name.is_empty() { Err(scanner.expected(WANTED)) } else { Ok((name.to_owned(), span)) }
}

/// The line behind the name of a file: digits right behind a colon, and nothing but the end of the place behind them.
fn line_number(scanner: &mut Scanner<'_>, name: &str) -> Result<Option<u32>, TargetError> {
    let Some(behind) = scanner.rest().strip_prefix(':') else { return Ok(None) };
    let length = behind.find(|char: char| !char.is_ascii_digit()).unwrap_or(behind.len());
    let (digits, end) = behind.split_at(length);
    let ends = end.is_empty() || end.starts_with([':', ';']) || end.starts_with(char::is_whitespace);
    if digits.is_empty() || !ends || number(name).is_some() {
        return Ok(None);
    }
    let span = scanner.at + 1..scanner.at + 1 + length;
    let line = digits.parse().ok().filter(|line| *line > 0);
    let line = line.ok_or_else(|| scanner.error("there is no line of this number", span.clone()))?;
    scanner.at = span.end;
    Ok(Some(line))
}

/// The instruction that a name stands for, with the distance behind it.
fn code(scanner: &mut Scanner<'_>, name: String, span: Range<usize>) -> Result<CodePlace, TargetError> {
    let is_quoted = span.start > 0 && scanner.text.as_bytes()[span.start - 1] == b'"';
    if !is_quoted && name.starts_with(|char: char| char.is_ascii_digit()) {
        let address = number(&name);
        let address = address.ok_or_else(|| {
            scanner.error("this is no address: write it in decimal, or in hexadecimal after `0x`", span)
        })?;
        return Ok(CodePlace::Address(address));
    }
    let mut distance = 0;
    if scanner.take("+") {
        let (digits, span) = scanner.take_while(|char, _| is_word(char));
        if digits.is_empty() {
            return Err(scanner.expected("a distance in bytes"));
        }
        distance = number(digits).ok_or_else(|| scanner.error("a distance is a number of bytes", span))?;
    }
    Ok(CodePlace::Symbol { name, distance })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> TargetText {
        target(text).unwrap_or_else(|error| panic!("{error}"))
    }

    fn symbol(name: &str, distance: u64) -> CodePlace {
        CodePlace::Symbol { name: name.to_owned(), distance }
    }

    #[test]
    fn places_have_five_forms() {
        let places = |text: &str| -> Vec<PlaceText> {
            parsed(text).points.into_iter().map(|point| point.place).collect()
        };
        assert_eq!(places("0x800_0120"), [PlaceText::Instruction(CodePlace::Address(0x800_0120))]);
        assert_eq!(places("decode"), [PlaceText::Instruction(symbol("decode", 0))]);
        assert_eq!(places(" decode+0x10 "), [PlaceText::Instruction(symbol("decode", 16))]);
        assert_eq!(places("\"a::b(int)\" + 2"), [PlaceText::Instruction(symbol("a::b(int)", 2))]);
        let line = PlaceText::Line { file: "src/my-parser.c".to_owned(), line: 41 };
        assert_eq!(places("src/my-parser.c:41"), [line]);
        let direction = |branch, target| PlaceText::Direction { branch, target };
        assert_eq!(places("0x62->0x65"), [direction(CodePlace::Address(0x62), CodePlace::Address(0x65))]);
        assert_eq!(places("f+2 -> g"), [direction(symbol("f", 2), symbol("g", 0))]);
        assert_eq!(places("a; b.c:3 ;0x10").len(), 3);
    }

    #[test]
    fn a_condition_follows_a_colon() {
        for text in ["decode: arg0 <= 0", "0x10:r3==5", "p.c:41: r0", "a.c:41:ram[4]>1; b", "0x62->0x65: x"] {
            assert!(parsed(text).points[0].condition.is_some(), "{text}");
        }
        assert!(parsed("p.c:41").points[0].condition.is_none());
    }

    /// The mistake is marked.
    #[test]
    fn mistakes_are_shown_in_the_text() {
        let cases = [
            ("", "", "an address, a symbol or a source line"),
            ("decode;", "", "an address, a symbol or a source line"),
            ("0x62 -> ", "", "an address, a symbol or a source line"),
            ("0xzz", "0xzz", "no address"),
            ("decode + r0", "r0", "number of bytes"),
            ("decode arg0", "arg0", "`;` and the next point"),
            ("\"decode", "\"decode", "does not end"),
            ("p.c:0", "0", "no line"),
            ("f: ", "", "expected a number, a name or `(`"),
            ("f: r0 == ", "", "expected a number, a name or `(`"),
            ("f: (r0 == 1", "", "`)`"),
            ("f: ram[r0", "", "`]`"),
            ("f: r0 = 1", "=", "`==`"),
            ("f: r0 == 1 )", ")", "`;` and the next point"),
            ("f: r0 & 1 == 1", "r0 & 1 == 1", "parentheses"),
            ("f: a < b < c", "a < b < c", "&& b"),
            ("f: 5x > 1", "5x", "no number"),
            ("f: ram[r0, 3] > 1", "3", "1, 2, 4 or 8"),
        ];
        for (text, marked, message) in cases {
            let error = target(text).expect_err(text);
            assert_eq!(&text[error.span.clone()], marked, "{error}");
            assert!(error.message.contains(message), "{text}: {error}");
        }
        let error = target("f: grün ==").expect_err("it ends");
        assert!(error.to_string().ends_with("\n            ^"), "{error}");
    }

    #[test]
    fn no_text_makes_the_parser_panic() {
        let alphabet = [
            "a", "0x1", ":", ";", "->", "-", "+", "(", "[", "]", ")", "==", "&", "&&", "ü", "\"", " ", "!",
            ",",
        ];
        let mut state = 1_u64;
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..8 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                text.push_str(alphabet[(state >> 33) as usize % alphabet.len()]);
            }
            if let Err(error) = target(&text) {
                assert!(text.get(error.span.clone()).is_some() && !error.to_string().is_empty(), "{text}");
            }
        }
    }
}

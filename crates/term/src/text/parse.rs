//! Parser of the text format of terms.

use everypath_ir::{Bits, Op, ParseError, Width};
use rustc_hash::FxHashMap;

use crate::{Array, Input, Part, Term, Terms};

/// The maximum nesting of parentheses; the printer never exceeds it.
const DEPTH: u32 = 64;

impl Terms {
    /// Parses terms as printed by [`Terms::text`], without simplification.
    ///
    /// # Errors
    /// The position at which the text is not valid.
    pub fn parse(&mut self, text: &str) -> Result<Vec<Term>, ParseError> {
        let mut names = FxHashMap::default();
        let mut roots = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let content = line.split('#').next().unwrap_or("");
            let mut reader =
                Reader { terms: self, names: &names, line: index + 1, whole: content, rest: content };
            reader.skip_space();
            if reader.rest.is_empty() {
                continue;
            }
            let defined = match content.split_once('=') {
                Some((name, expression)) => {
                    reader.rest = expression.trim_ascii_start();
                    Some(name.trim_ascii())
                }
                None => None,
            };
            let part = reader.expression(0)?;
            if !reader.rest.is_empty() {
                return reader.error("the end of the line");
            }
            match (defined, part) {
                (Some(name), part) => {
                    let valid = name.strip_prefix('t').is_some_and(|number| decimal(number).is_some());
                    if !valid || names.contains_key(name) {
                        reader.rest = content;
                        return reader.error("a new name such as t1");
                    }
                    names.insert(name, part);
                }
                (None, Part::Term(term)) => roots.push(term),
                (None, Part::Array(_)) => {
                    reader.rest = content;
                    return reader.error("a term");
                }
            }
        }
        Ok(roots)
    }
}

fn decimal(digits: &str) -> Option<u32> {
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.parse().ok())?
}

struct Reader<'a, 'b> {
    terms: &'b mut Terms,
    names: &'b FxHashMap<&'a str, Part>,
    line: usize,
    whole: &'a str,
    rest: &'a str,
}

impl<'a> Reader<'a, '_> {
    fn error<T>(&self, expected: &str) -> Result<T, ParseError> {
        let column = self.whole.len() - self.rest.len() + 1;
        Err(ParseError { line: self.line, column, expected: expected.to_owned() })
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_ascii();
    }

    fn take_sign(&mut self, sign: char) -> bool {
        let found = self.rest.strip_prefix(sign);
        self.rest = found.unwrap_or(self.rest);
        self.skip_space();
        found.is_some()
    }

    fn word(&self) -> &'a str {
        let end = self.rest.find(|sign: char| sign.is_ascii_whitespace() || "()=".contains(sign));
        &self.rest[..end.unwrap_or(self.rest.len())]
    }

    fn skip_word(&mut self) {
        self.rest = &self.rest[self.word().len()..];
        self.skip_space();
    }

    /// An expression on a line or in parentheses.
    fn expression(&mut self, depth: u32) -> Result<Part, ParseError> {
        let word = self.word();
        let (name, width) = match word.split_once(':') {
            Some((name, width)) => (name, decimal(width).and_then(Width::new)),
            None => (word, None),
        };
        if self.rest.starts_with('(') || name.starts_with("0x") {
            return self.operand(depth);
        }
        let start = self.rest;
        match (name, width) {
            ("read", None) => {
                self.skip_word();
                let array = self.array(depth)?;
                let index = self.index(array, depth)?;
                Ok(Part::Term(self.terms.read_plain(array, index)))
            }
            ("store", None) => {
                self.skip_word();
                let array = self.array(depth)?;
                let index = self.index(array, depth)?;
                let value = self.term(depth)?;
                if self.terms.width(value) != Width::W8 {
                    return self.error("a byte before this");
                }
                Ok(Part::Array(self.terms.store(array, index, value)))
            }
            ("table", Some(width)) if width <= Width::W64 => {
                self.skip_word();
                let Some(bytes) = hexadecimal_bytes(self.word()) else {
                    return self.error("bytes such as x00ff");
                };
                self.skip_word();
                Ok(Part::Array(self.terms.table(&bytes, width)))
            }
            (name, Some(width)) => {
                let Ok(op) = name.parse::<Op>() else { return self.error("an operator") };
                self.skip_word();
                let mut arguments = Vec::with_capacity(3);
                while arguments.len() < op.arity() {
                    arguments.push(self.term(depth)?);
                }
                let widths: Vec<Width> = arguments.iter().map(|&term| self.terms.width(term)).collect();
                if let Err(error) = op.check(width, &widths) {
                    self.rest = start;
                    return self.error(&format!("other widths: {error}"));
                }
                Ok(Part::Term(self.terms.apply_plain(op, width, &arguments)))
            }
            _ => self.operand(depth),
        }
    }

    fn operand(&mut self, depth: u32) -> Result<Part, ParseError> {
        if self.rest.starts_with('(') {
            if depth >= DEPTH {
                return self.error("fewer parentheses");
            }
            self.take_sign('(');
            let part = self.expression(depth + 1)?;
            return if self.take_sign(')') { Ok(part) } else { self.error("`)`") };
        }
        let word = self.word();
        let part = if let Some(&part) = self.names.get(word) {
            Some(part)
        } else if let Some(number) = word.strip_prefix('i').and_then(decimal) {
            Some(Part::Term(self.terms.input(Input(number))))
        } else {
            word.parse::<Bits>().ok().map(|bits| Part::Term(self.terms.constant(&bits)))
        };
        let Some(part) = part else {
            return self.error("an input such as i0, a constant such as 0x1f:8, a name, or parentheses");
        };
        self.skip_word();
        Ok(part)
    }

    fn term(&mut self, depth: u32) -> Result<Term, ParseError> {
        let start = self.rest;
        match self.operand(depth)? {
            Part::Term(term) => Ok(term),
            Part::Array(_) => {
                self.rest = start;
                self.error("a term")
            }
        }
    }

    fn array(&mut self, depth: u32) -> Result<Array, ParseError> {
        let start = self.rest;
        match self.operand(depth)? {
            Part::Array(array) => Ok(array),
            Part::Term(_) => {
                self.rest = start;
                self.error("an array")
            }
        }
    }

    fn index(&mut self, array: Array, depth: u32) -> Result<Term, ParseError> {
        let start = self.rest;
        let index = self.term(depth)?;
        let width = self.terms.index_width(array);
        if self.terms.width(index) != width {
            self.rest = start;
            return self.error(&format!("an index of {width} bits"));
        }
        Ok(index)
    }
}

fn hexadecimal_bytes(word: &str) -> Option<Vec<u8>> {
    let digits = word.strip_prefix('x')?.as_bytes();
    let digit = |byte: u8| char::from(byte).to_digit(16);
    digits
        .chunks(2)
        .map(|pair| match pair {
            &[high, low] => Some((digit(high)? * 16 + digit(low)?) as u8),
            _ => None,
        })
        .collect()
}

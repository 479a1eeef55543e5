//! Parser of S-expressions.

use everypath_ir::ParseError;

/// A byte offset in the text.
pub(super) type Position = usize;

/// An atom or list, by its index in [`Trees`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Tree(u32);

#[derive(Clone, Debug)]
enum Form<'a> {
    Word(&'a str),
    List(Vec<Tree>),
}

/// All atoms and lists of a text.
pub(super) struct Trees<'a> {
    text: &'a str,
    forms: Vec<(Position, Form<'a>)>,
    /// The top-level expressions.
    pub(super) commands: Vec<Tree>,
}

impl<'a> Trees<'a> {
    /// Parses a text in linear time; lists may nest to any depth.
    pub(super) fn read(text: &'a str) -> Result<Trees<'a>, ParseError> {
        let mut trees = Trees { text, forms: Vec::new(), commands: Vec::new() };
        let mut open: Vec<(Position, Vec<Tree>)> = Vec::new();
        let bytes = text.as_bytes();
        let mut next = 0;
        while next < bytes.len() {
            let start = next;
            let finished = match bytes[next] {
                b';' => {
                    next += text[next..].find('\n').unwrap_or(text.len() - next);
                    continue;
                }
                byte if byte.is_ascii_whitespace() => {
                    next += 1;
                    continue;
                }
                b'(' => {
                    next += 1;
                    open.push((start, Vec::new()));
                    continue;
                }
                b')' => {
                    next += 1;
                    let Some((start, list)) = open.pop() else {
                        return trees.error_at(start, "no `)` without `(`");
                    };
                    trees.push(start, Form::List(list))
                }
                quote @ (b'|' | b'"') => {
                    let Some(length) = text[next + 1..].find(char::from(quote)) else {
                        return trees.error_at(start, "an end of the quotation");
                    };
                    next += length + 2;
                    // A quoted symbol equals the unquoted one.
                    let word = if quote == b'|' { &text[start + 1..next - 1] } else { &text[start..next] };
                    trees.push(start, Form::Word(word))
                }
                _ => {
                    let ends = |byte: u8| byte.is_ascii_whitespace() || b"();|\"".contains(&byte);
                    let length = bytes[next..].iter().position(|&byte| ends(byte));
                    next += length.unwrap_or(text.len() - next);
                    trees.push(start, Form::Word(&text[start..next]))
                }
            };
            match open.last_mut() {
                Some((_, list)) => list.push(finished),
                None => trees.commands.push(finished),
            }
        }
        match open.last() {
            Some(&(start, _)) => trees.error_at(start, "a `)` for this"),
            None => Ok(trees),
        }
    }

    fn push(&mut self, position: Position, form: Form<'a>) -> Tree {
        self.forms.push((position, form));
        Tree(self.forms.len() as u32 - 1)
    }

    pub(super) fn error_at<T>(&self, position: Position, expected: &str) -> Result<T, ParseError> {
        let before = &self.text.as_bytes()[..position];
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |index| index + 1);
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        Err(ParseError { line, column: position - line_start + 1, expected: expected.to_owned() })
    }

    pub(super) fn error<T>(&self, tree: Tree, expected: &str) -> Result<T, ParseError> {
        self.error_at(self.forms[tree.0 as usize].0, expected)
    }

    /// The atom, if it is one.
    pub(super) fn word(&self, tree: Tree) -> Option<&'a str> {
        match self.forms[tree.0 as usize].1 {
            Form::Word(word) => Some(word),
            Form::List(_) => None,
        }
    }

    /// The list, if it is one.
    pub(super) fn list(&self, tree: Tree) -> Option<&[Tree]> {
        match &self.forms[tree.0 as usize].1 {
            Form::Word(_) => None,
            Form::List(list) => Some(list),
        }
    }

    /// Name and numbers of an indexed identifier `(_ name numbers)`.
    pub(super) fn indexed(&self, tree: Tree) -> Option<(&'a str, Vec<u32>)> {
        let (&underscore, rest) = self.list(tree)?.split_first()?;
        let (&name, numbers) = rest.split_first()?;
        if self.word(underscore) != Some("_") {
            return None;
        }
        let numbers: Option<Vec<u32>> =
            numbers.iter().map(|&number| self.word(number)?.parse().ok()).collect();
        Some((self.word(name)?, numbers?))
    }
}

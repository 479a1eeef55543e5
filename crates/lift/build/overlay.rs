//! Corrections of a SLEIGH specification: constructors and macros that replace those with the same header.
//!
//! A file of overrides is SLEIGH source. Each *item* in it is a constructor (`table: display is pattern { ... }`) or a
//! macro (`macro name(a, b) { ... }`). It replaces every item of the specification with the same header, which is
//! everything up to the opening brace without comments and white space; a macro is identified by its name and
//! arguments. An item after a line `@add` is new: it, and every `define` between items, is inserted before the first
//! occurrence of the next replacing item. After a line `@replace` come two items or definitions: the first names the
//! old one (its body is ignored), the second replaces it, whatever its header. An item that replaces nothing is an
//! error, so that no correction is lost when the specification changes. An item `@operation` defines a user operation,
//! see [`Operation`].

use super::operation::{Operation, Sizes};

/// The items of a file of overrides.
pub(crate) struct Overlay {
    items: Vec<Item>,
    /// Definitions of user operations, the line of each, and the number of calls that it replaced.
    operations: Vec<(Operation, usize, usize)>,
    sizes: Sizes,
}

struct Item {
    /// The text before the body, without comments and white space.
    header: String,
    /// The line where it begins, for messages.
    line: usize,
    text: String,
    /// New items and definitions to insert before the first occurrence of this item.
    before: String,
    replaced: usize,
}

impl Overlay {
    /// Reads a file of overrides.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let code = Code::of(text);
        let mut items = Vec::new();
        let mut operations = Vec::new();
        let mut sizes = Sizes::default();
        let mut before = String::new();
        let mut position = 0;
        while position < code.letters.len() {
            let line = 1 + text[..code.places[position]].matches('\n').count();
            let rest = &code.letters[position..];
            let at = |problem: &str| format!("line {line}: {problem}");
            if rest.starts_with(b"@size") || rest.starts_with(b"@operation") {
                let (name, end) = code.part(position).map_err(at)?;
                let header = &text[code.places[position]..code.places[name]];
                if rest.starts_with(b"@size") {
                    sizes.add(header).map_err(|error| at(&error))?;
                } else {
                    let body = &text[code.places[name] + 1..code.places[end]];
                    let operation = Operation::parse(header, body).map_err(|error| at(&error))?;
                    operations.push((operation, line, 0));
                }
                position = end + 1;
                continue;
            }
            let (added, replacing) = (rest.starts_with(b"@add"), rest.starts_with(b"@replace"));
            let mut start = position + if added { 4 } else { 0 };
            let mut header = None;
            if replacing {
                let old = position + "@replace".len();
                let (name, end) = code.part(old).map_err(at)?;
                header = Some(String::from_utf8_lossy(&code.letters[old..name]).into_owned());
                start = end + 1;
            }
            let (name, end) = code.part(start).map_err(at)?;
            let part = text[code.places[start]..=code.places[end]].to_owned() + "\n";
            if added || (!replacing && code.is_definition(start)) {
                before.push_str(&part);
            } else {
                let own = || String::from_utf8_lossy(&code.letters[start..name]).into_owned();
                let header = header.unwrap_or_else(own);
                let before = std::mem::take(&mut before);
                items.push(Item { header, line, text: part, before, replaced: 0 });
            }
            position = end + 1;
        }
        if !before.is_empty() {
            return Err("what is new must stand before an item that replaces one".to_owned());
        }
        Ok(Self { items, operations, sizes })
    }

    /// A file of the specification with the overrides applied.
    pub(crate) fn apply(&mut self, text: &str) -> Result<String, String> {
        let text = self.replace(text);
        self.expand(&text)
    }

    /// Replaces items of the specification.
    fn replace(&mut self, text: &str) -> String {
        let code = Code::of(text);
        let mut changes: Vec<(usize, usize, String)> = Vec::new();
        for item in &mut self.items {
            for start in code.find(item.header.as_bytes()) {
                let open = start + item.header.len();
                let Some(end) = code.end_of_body(open) else { continue };
                let before = if item.replaced == 0 { item.before.as_str() } else { "" };
                changes.push((code.places[start], code.places[end] + 1, format!("{before}{}", item.text)));
                item.replaced += 1;
            }
        }
        changed(text, changes)
    }

    /// Expands calls of user operations.
    fn expand(&mut self, text: &str) -> Result<String, String> {
        let code = Code::of(text);
        let mut changes = Vec::new();
        for open in (0..code.letters.len()).filter(|place| code.letters[*place] == b'(') {
            let is_word = |letter: &u8| letter.is_ascii_alphanumeric() || *letter == b'_';
            let length = code.letters[..open].iter().rev().take_while(|letter| is_word(letter)).count();
            let start = open - length;
            // Without `=` before it, the call has no result or is part of a larger expression.
            if length == 0 || start == 0 || code.letters[start - 1] != b'=' {
                continue;
            }
            let ends = |letter: &u8| matches!(letter, b';' | b'{' | b'}');
            let before = code.letters[..start].iter().rposition(ends).map_or(0, |before| before + 1);
            let target = &text[code.places[before]..code.places[start - 1]];
            let name = String::from_utf8_lossy(&code.letters[start..open]);
            let Some(length) = code.letters[open..].iter().position(|letter| *letter == b')') else {
                continue;
            };
            let close = open + length;
            let arguments = text[code.places[open] + 1..code.places[close]].split(',').map(str::trim);
            let arguments: Vec<&str> = arguments.filter(|argument| !argument.is_empty()).collect();
            let mut fitting = self.operations.iter_mut();
            let fitting = fitting.find(|(operation, ..)| operation.fits(target, &name, arguments.len()));
            let Some((operation, line, count)) = fitting else { continue };
            if code.letters.get(close + 1) != Some(&b';') {
                return Err(format!("line {line}: {name} is part of something larger"));
            }
            let statements = operation
                .expand(target, &arguments, &self.sizes, changes.len())
                .map_err(|error| format!("line {line}: {error}"))?;
            *count += 1;
            changes.push((code.places[before], code.places[close + 1] + 1, statements));
        }
        Ok(changed(text, changes))
    }

    /// Reports the first item that replaced nothing.
    pub(crate) fn finish(&self) -> Result<(), String> {
        if let Some((_, line, _)) = self.operations.iter().find(|(_, _, count)| *count == 0) {
            return Err(format!("line {line}: the specification does not call this user operation"));
        }
        match self.items.iter().find(|item| item.replaced == 0) {
            Some(item) => Err(format!(
                "line {}: the specification has nothing with this header (write `@add` before it if it is new): {}",
                item.line, item.header
            )),
            None => Ok(()),
        }
    }
}

/// Applies replacements of ranges to a text.
fn changed(text: &str, mut changes: Vec<(usize, usize, String)>) -> String {
    changes.sort();
    let mut changed = String::new();
    let mut copied = 0;
    for (start, end, replacement) in changes {
        changed.push_str(&text[copied..start]);
        changed.push_str(&replacement);
        copied = end;
    }
    changed.push_str(&text[copied..]);
    changed
}

/// Source without comments, white space and preprocessor lines, and the original position of each letter.
struct Code {
    letters: Vec<u8>,
    places: Vec<usize>,
}

impl Code {
    fn of(text: &str) -> Self {
        let mut code = Self { letters: Vec::new(), places: Vec::new() };
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let ours = ["@add", "@replace", "@operation ", "@size "];
            let directive = line.trim_start().starts_with('@')
                && !ours.iter().any(|start| line.trim_start().starts_with(start));
            let mut quoted = false;
            for (offset, letter) in line.bytes().enumerate() {
                match letter {
                    b'#' if !quoted => break,
                    b'"' => quoted = !quoted,
                    _ => {}
                }
                if !directive && !letter.is_ascii_whitespace() {
                    code.letters.push(letter);
                    code.places.push(start + offset);
                }
            }
            start += line.len();
        }
        code
    }

    /// The positions at which these letters are a whole header: after the end of another item, and before a body.
    fn find(&self, header: &[u8]) -> Vec<usize> {
        let ends = |start: usize| {
            start == 0
                || matches!(self.letters[start - 1], b'}' | b';' | b'{')
                || self.letters[..start].ends_with(b"unimpl")
        };
        (0..self.letters.len().saturating_sub(header.len()))
            .filter(|start| self.letters[*start..].starts_with(header) && ends(*start))
            .filter(|start| {
                let rest = &self.letters[start + header.len()..];
                let ends = if header.starts_with(b"define") { b";" } else { b"{" };
                rest.starts_with(ends) || rest.starts_with(b"unimpl")
            })
            .collect()
    }

    fn is_definition(&self, start: usize) -> bool {
        self.letters[start..].starts_with(b"define") || self.letters[start..].starts_with(b"@size")
    }

    /// The end of the header of the item or definition that begins here, and the position of its last letter.
    fn part(&self, start: usize) -> Result<(usize, usize), &'static str> {
        if self.is_definition(start) {
            let length = self.letters[start..].iter().position(|letter| *letter == b';');
            let end = start + length.ok_or("a definition without an end")?;
            return Ok((end, end));
        }
        let open = self.body_from(start).ok_or("an item without a body")?;
        Ok((open, self.end_of_body(open).ok_or("an item without a body")?))
    }

    /// The opening brace of the item that begins here.
    fn body_from(&self, start: usize) -> Option<usize> {
        let mut quoted = false;
        for (offset, letter) in self.letters[start..].iter().enumerate() {
            match letter {
                b'"' => quoted = !quoted,
                b'{' if !quoted => return Some(start + offset),
                _ => {}
            }
        }
        None
    }

    /// The last letter of the body that begins here.
    fn end_of_body(&self, open: usize) -> Option<usize> {
        if self.letters[open..].starts_with(b"unimpl") {
            return Some(open + 5);
        }
        if self.letters[open] == b';' {
            return Some(open);
        }
        let mut depth = 0;
        let mut quoted = false;
        for (offset, letter) in self.letters[open..].iter().enumerate() {
            match letter {
                b'"' => quoted = !quoted,
                b'{' if !quoted => depth += 1,
                b'}' if !quoted => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(open + offset);
                    }
                }
                _ => {}
            }
        }
        None
    }
}

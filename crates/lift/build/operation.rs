//! Macro expansion of user operations: `target = name(arguments);` in a specification becomes the statements of a body.
//!
//!     @size 16 XmmReg1 XmmResult;
//!     @operation vpaddb_* (result, a, b) each 8 { result[$,8] = a[$,8] + b[$,8]; }
//!
//! The first item that matches a call's name and number of parameters replaces the call; a `*` at the end of the name
//! matches any suffix. With `target =` before the name, the item matches only calls whose result is assigned to it. The
//! arguments are copied first, so that the target may be one of them. With `each`, the body is repeated for each lane
//! of so many bits: `$` is the lane's lowest bit, `%` its number. `@size` gives the size in bytes of operands of the
//! specification; the first of them is a register in which the lanes of a local variable are assembled, because SLEIGH
//! cannot assign them one by one. Without `each`, no size is needed. A result with its own size, as in `(result:8, a,
//! b)`, is a local variable that is initially zero; its lanes are those of the first argument.

use std::collections::HashMap;

/// The definition of a family of user operations.
pub(crate) struct Operation {
    /// The name, or the prefix of the names.
    name: String,
    /// The required target of the result; `None` matches any.
    target: Option<String>,
    any_end: bool,
    parameters: Vec<String>,
    /// The size of the result in bytes, if it is not a vector of the same lanes.
    result_size: Option<usize>,
    /// The width of a lane in bits.
    lane: Option<usize>,
    body: String,
}

/// The sizes in bytes of the specification's operands.
#[derive(Default)]
pub(crate) struct Sizes {
    bytes: HashMap<String, usize>,
    /// A register of each size, in which the lanes of a local variable are assembled.
    registers: HashMap<usize, String>,
}

impl Sizes {
    /// Parses a line `@size 16 XmmReg1 XmmResult`.
    pub(crate) fn add(&mut self, text: &str) -> Result<(), String> {
        let mut words = text.trim_start_matches("@size").split_whitespace();
        let size = words.next().and_then(|size| size.parse().ok()).ok_or("a size is a number of bytes")?;
        for name in words {
            self.bytes.insert(name.to_owned(), size);
            self.registers.entry(size).or_insert_with(|| name.to_owned());
        }
        Ok(())
    }

    fn of(&self, operand: &str) -> Option<usize> {
        self.bytes.get(operand).copied()
    }
}

impl Operation {
    /// Parses an item: the text before the body, and the body without its braces.
    pub(crate) fn parse(header: &str, body: &str) -> Result<Self, String> {
        let wrong = || format!("not of the form `@operation name (result, a) each 8`: {}", header.trim());
        let (name, rest) = header.trim_start_matches("@operation").split_once('(').ok_or_else(wrong)?;
        let (parameters, each) = rest.split_once(')').ok_or_else(wrong)?;
        let mut parameters: Vec<String> =
            parameters.split(',').map(|parameter| parameter.trim().to_owned()).collect();
        let mut result_size = None;
        if let Some((result, size)) = parameters[0].clone().split_once(':') {
            result_size = Some(size.trim().parse().map_err(|_| wrong())?);
            parameters[0] = result.trim().to_owned();
        }
        let lane = match each.trim() {
            "" => None,
            each => {
                Some(each.strip_prefix("each").and_then(|bits| bits.trim().parse().ok()).ok_or_else(wrong)?)
            }
        };
        let (target, name) = match name.split_once('=') {
            Some((target, name)) => (Some(target.trim().to_owned()), name),
            None => (None, name),
        };
        let (name, any_end) = match name.trim().strip_suffix('*') {
            Some(start) => (start, true),
            None => (name.trim(), false),
        };
        let (name, body) = (name.to_owned(), body.trim().to_owned());
        Ok(Self { name, target, any_end, parameters, result_size, lane, body })
    }

    /// Whether the definition matches this call.
    pub(crate) fn fits(&self, target: &str, name: &str, arguments: usize) -> bool {
        (if self.any_end { name.starts_with(&self.name) } else { name == self.name })
            && arguments + 1 == self.parameters.len()
            && self.target.as_ref().is_none_or(|wanted| wanted == target.trim())
    }

    /// The statements for one call. `number` makes the local variables of different calls distinct.
    pub(crate) fn expand(
        &self,
        target: &str,
        arguments: &[&str],
        sizes: &Sizes,
        number: usize,
    ) -> Result<String, String> {
        let (target, is_local) = match target.trim().strip_prefix("local ") {
            Some(target) => (target.trim(), true),
            None => (target.trim(), false),
        };
        let (target, stated) = match target.split_once(':') {
            Some((name, size)) => (name, size.trim().parse().ok()),
            None => (target, None),
        };
        let of_first = || arguments.iter().find_map(|argument| sizes.of(argument));
        let unknown = || format!("{}: what size has {target}?", self.name);
        let mut text = String::new();
        for (parameter, argument) in self.parameters[1..].iter().zip(arguments) {
            let size = sizes.of(argument).map(|size| format!(":{size}")).unwrap_or_default();
            text.push_str(&format!("local {parameter}_{number}{size} = {argument}; "));
        }
        let size = match self.result_size {
            Some(size) if is_local => {
                text.push_str(&format!("local {target}:{size} = 0; "));
                of_first()
            }
            Some(_) => return Err(format!("{}: its result is a local variable", self.name)),
            None => stated.or_else(|| sizes.of(target)).or_else(of_first),
        };
        let Some(lane) = self.lane else {
            if is_local && self.result_size.is_none() {
                text.push_str(&format!("local {target}:{}; ", size.ok_or_else(unknown)?));
            }
            return Ok(text + &self.with(target, number, 0, 0));
        };
        let size = size.ok_or_else(unknown)?;
        let in_register = is_local && self.result_size.is_none();
        let result = match sizes.registers.get(&size) {
            _ if !in_register => target,
            Some(register) => register,
            None => return Err(unknown()),
        };
        for (index, position) in (0..8 * size).step_by(lane).enumerate() {
            text.push_str(&self.with(result, number, position, index));
            text.push(' ');
        }
        if in_register {
            text.push_str(&format!("local {target}:{size} = {result};"));
        }
        Ok(text)
    }

    /// The body for one lane.
    fn with(&self, target: &str, number: usize, position: usize, index: usize) -> String {
        let mut text = String::new();
        let mut rest = self.body.as_str();
        while let Some(first) = rest.chars().next() {
            let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            let end = rest.find(|letter| !is_word(letter)).unwrap_or(rest.len());
            let length = if end == 0 { first.len_utf8() } else { end };
            let (word, after) = rest.split_at(length);
            rest = after;
            match (word, self.parameters.iter().position(|parameter| parameter == word)) {
                (_, Some(0)) => text.push_str(target),
                (_, Some(_)) => text.push_str(&format!("{word}_{number}")),
                ("$", _) => text.push_str(&position.to_string()),
                ("%", _) => text.push_str(&index.to_string()),
                _ => text.push_str(word),
            }
        }
        text
    }
}

//! Text for a terminal: a name or a source line of a hostile file must not send control sequences.

use std::io::{self, Write};

/// A writer that escapes control characters, except line breaks, and those that change the direction of text.
pub(crate) struct PrintableWriter<'w>(pub(crate) &'w mut dyn Write);

impl Write for PrintableWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut text = String::with_capacity(bytes.len());
        for letter in String::from_utf8_lossy(bytes).chars() {
            match letter {
                '\n' => text.push('\n'),
                '\t' => text.push(' '),
                '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => text.extend(letter.escape_unicode()),
                letter if letter.is_control() => text.extend(letter.escape_default()),
                letter => text.push(letter),
            }
        }
        self.0.write_all(text.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        let mut out = Vec::new();
        write!(PrintableWriter(&mut out), "a\u{1b}[2J\r\u{9b}\u{202e}ä\tb\n")
            .expect("memory can be written to");
        assert_eq!(String::from_utf8(out).expect("text"), "a\\u{1b}[2J\\r\\u{9b}\\u{202e}ä b\n");
    }
}

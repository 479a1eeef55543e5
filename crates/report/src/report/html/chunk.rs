//! Data in a page: JSON and text that the HTML parser takes for nothing else.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;

/// Writes a value as JSON in a script element with this name.
pub(super) fn write_chunk(
    name: &str,
    value: &(impl Serialize + ?Sized),
    out: &mut dyn Write,
) -> io::Result<()> {
    write!(out, "<script type=\"application/json\" id=\"{name}\">")?;
    serde_json::to_writer(&mut Unmarked(&mut *out), value)?;
    writeln!(out, "</script>")
}

/// Writes `<` as an escape sequence of JSON, so that no string ends the script element.
struct Unmarked<'w>(&'w mut dyn Write);

impl Write for Unmarked<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for (number, piece) in bytes.split(|byte| *byte == b'<').enumerate() {
            if number > 0 {
                self.0.write_all(b"\\u003c")?;
            }
            self.0.write_all(piece)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Text for an element or a quoted attribute.
pub(super) fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>', '"']) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_string_ends_the_element() {
        let mut bytes = Vec::new();
        write_chunk("x", &["<", "a</script><!--", "\"&"], &mut bytes).expect("memory can be written to");
        let text = String::from_utf8(bytes).expect("it is UTF-8");
        let json = r#"["\u003c","a\u003c/script>\u003c!--","\"&"]"#;
        assert_eq!(text, format!("<script type=\"application/json\" id=\"x\">{json}</script>\n"));
        assert_eq!(escaped("<a href=\"x\">&"), "&lt;a href=&quot;x&quot;&gt;&amp;");
    }
}

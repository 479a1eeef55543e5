//! An XML writer: elements, attributes and text, escaped and indented (XML 1.0).

use std::fmt::{Display, Write};

/// A document that is being written.
pub(super) struct XmlWriter {
    text: String,
    /// Number of elements that are open.
    depth: usize,
}

/// The attributes of an element: names and values.
pub(super) type Attributes<'a> = &'a [(&'a str, &'a dyn Display)];

impl XmlWriter {
    /// A document with its declaration.
    pub(super) fn new() -> XmlWriter {
        XmlWriter { text: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned(), depth: 0 }
    }

    /// The document.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.text.into_bytes()
    }

    /// Writes an element with what a function writes in it.
    pub(super) fn element(
        &mut self,
        name: &str,
        attributes: Attributes<'_>,
        content: impl FnOnce(&mut XmlWriter),
    ) {
        self.tag(name, attributes, ">\n");
        self.depth += 1;
        content(self);
        self.depth -= 1;
        self.indent();
        self.push(format_args!("</{name}>\n"));
    }

    /// Writes an element without content.
    pub(super) fn empty(&mut self, name: &str, attributes: Attributes<'_>) {
        self.tag(name, attributes, "/>\n");
    }

    /// Writes an element that has text only.
    pub(super) fn text(&mut self, name: &str, attributes: Attributes<'_>, text: &str) {
        self.tag(name, attributes, ">");
        self.escape(text);
        self.push(format_args!("</{name}>\n"));
    }

    fn tag(&mut self, name: &str, attributes: Attributes<'_>, end: &str) {
        self.indent();
        self.push(format_args!("<{name}"));
        for (name, value) in attributes {
            self.push(format_args!(" {name}=\""));
            self.escape(&value.to_string());
            self.text.push('"');
        }
        self.text.push_str(end);
    }

    fn indent(&mut self) {
        self.text.extend(std::iter::repeat_n("  ", self.depth));
    }

    fn push(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = self.text.write_fmt(text);
    }

    /// Writes text with references for markup. Line breaks become references, too, because readers normalise those in
    /// attributes. Characters that XML does not allow become U+FFFD.
    fn escape(&mut self, text: &str) {
        for letter in text.chars() {
            match letter {
                '&' => self.text.push_str("&amp;"),
                '<' => self.text.push_str("&lt;"),
                '>' => self.text.push_str("&gt;"),
                '"' => self.text.push_str("&quot;"),
                '\n' => self.text.push_str("&#10;"),
                '\r' => self.text.push_str("&#13;"),
                '\t' => self.text.push_str("&#9;"),
                '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => self.text.push('\u{fffd}'),
                _ => self.text.push(letter),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_control_characters_are_escaped() {
        let mut xml = XmlWriter::new();
        xml.element("a", &[("b", &"<\"&\n\u{1}>")], |xml| {
            xml.text("c", &[], "x < y");
            xml.empty("d", &[("n", &7)]);
        });
        let text = String::from_utf8(xml.into_bytes()).expect("UTF-8");
        let expected =
            "<a b=\"&lt;&quot;&amp;&#10;\u{fffd}&gt;\">\n  <c>x &lt; y</c>\n  <d n=\"7\"/>\n</a>\n";
        assert_eq!(text.split_once('\n').expect("a declaration").1, expected);
    }
}

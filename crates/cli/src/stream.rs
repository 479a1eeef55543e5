//! Streaming writer of a large JSON document: fields in order, and lists one row per line, so that memory is bounded by
//! one row whatever the size of the program.

use crate::failure::Failure;
use serde::Serialize;
use std::io::Write;

/// A JSON object that is being written.
pub(crate) struct Stream<'o> {
    out: &'o mut dyn Write,
}

impl<'o> Stream<'o> {
    /// Begins a document with its format and version.
    pub(crate) fn begin(out: &'o mut dyn Write, format: &str, version: u32) -> Result<Self, Failure> {
        write!(out, "{{\"format\":\"{format}\",\n\"version\":{version}")?;
        Ok(Self { out })
    }

    /// Writes a field on one line.
    pub(crate) fn field(&mut self, name: &str, content: &impl Serialize) -> Result<(), Failure> {
        self.name(name)?;
        serde_json::to_writer(&mut *self.out, content)?;
        Ok(())
    }

    /// Writes a list, each row on a line of its own.
    pub(crate) fn rows<R: Serialize>(
        &mut self,
        name: &str,
        rows: impl IntoIterator<Item = R>,
    ) -> Result<(), Failure> {
        self.name(name)?;
        self.out.write_all(b"[")?;
        for (number, row) in rows.into_iter().enumerate() {
            self.out.write_all(if number == 0 { b"\n" } else { b",\n" })?;
            serde_json::to_writer(&mut *self.out, &row)?;
        }
        self.out.write_all(b"]")?;
        Ok(())
    }

    /// Ends the document.
    pub(crate) fn end(self) -> Result<(), Failure> {
        self.out.write_all(b"}\n")?;
        Ok(())
    }

    fn name(&mut self, name: &str) -> Result<(), Failure> {
        write!(self.out, ",\n\"{name}\":")?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Stream;

    #[test]
    fn a_stream_is_one_document_with_a_row_on_each_line() {
        let mut out = Vec::new();
        let mut stream = Stream::begin(&mut out, "everypath.example", 3).expect("written");
        stream.field("title", &"a \"quoted\" one").expect("written");
        stream.rows("pairs", [(1, 2), (3, 4)]).expect("written");
        stream.rows("none", [0_u8; 0]).expect("written");
        stream.end().expect("written");
        let text = String::from_utf8(out).expect("text");
        let document: serde_json::Value = serde_json::from_str(&text).expect("one document");
        assert_eq!(document["version"], 3);
        assert_eq!(document["pairs"][1][0], 3);
        assert_eq!(document["none"], serde_json::json!([]));
        assert!(text.lines().any(|line| line == "[1,2],"), "{text}");
    }
}

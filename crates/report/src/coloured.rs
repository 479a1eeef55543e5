//! Colours for a terminal: the verdict, finding or judgement with which a line begins.
//!
//! Text is coloured when it is complete and free of control characters, so that no name of a hostile file becomes a control
//! sequence.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

const BAD: Style = AnsiColor::Red.on_default().bold();
const GOOD: Style = AnsiColor::Green.on_default();
const EXCLUDED: Style = AnsiColor::Cyan.on_default();
const UNDECIDED: Style = AnsiColor::Yellow.on_default();

/// The prefixes of lines, after their indentation, that are coloured, with their styles; the first match counts.
const BEGINNINGS: &[(&str, Style)] = &[
    ("covered: ", GOOD),
    ("infeasible: ", EXCLUDED),
    ("open: ", UNDECIDED),
    ("unsupported: ", UNDECIDED),
    ("unresolved: ", UNDECIDED),
    ("newly covered: ", GOOD),
    ("newly infeasible: ", EXCLUDED),
    ("newly open: ", UNDECIDED),
    ("newly unsupported: ", UNDECIDED),
    ("no longer covered: ", BAD),
    ("no longer infeasible: ", BAD),
    ("fault of everypath: ", BAD),
    ("worse: ", BAD),
    ("not worse", GOOD),
    ("exploration complete: ", GOOD),
    ("complete: ", GOOD),
    ("criterion reached", GOOD),
    ("exploration not complete", UNDECIDED),
    ("not complete", UNDECIDED),
];

/// A writer that colours verdicts, findings and judgements.
pub struct ColouredWriter<'w> {
    out: &'w mut dyn Write,
    /// The line that is not complete yet.
    line: Vec<u8>,
}

impl<'w> ColouredWriter<'w> {
    /// Colours what is written to `out`.
    pub fn new(out: &'w mut dyn Write) -> ColouredWriter<'w> {
        ColouredWriter { out, line: Vec::new() }
    }
}

impl Write for ColouredWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.line.extend_from_slice(bytes);
        while let Some(end) = self.line.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.line.drain(..=end).collect();
            self.out.write_all(coloured(&String::from_utf8_lossy(&line)).as_bytes())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let rest = std::mem::take(&mut self.line);
        self.out.write_all(&rest)?;
        self.out.flush()
    }
}

/// A line with colours.
fn coloured(line: &str) -> String {
    let text = line.trim_start_matches(' ');
    let indent = &line[..line.len() - text.len()];
    if let Some((beginning, style)) = BEGINNINGS.iter().find(|(beginning, _)| text.starts_with(beginning)) {
        let word = beginning.trim_end_matches([':', ' ']);
        return format!("{indent}{style}{word}{style:#}{}", &text[word.len()..]);
    }
    if is_findings(text) {
        let words = text.trim_end_matches('\n');
        return format!("{indent}{BAD}{words}{BAD:#}{}", &text[words.len()..]);
    }
    match text.split_once(": ") {
        Some((total, tally)) if total.contains(" branch direction") => {
            let counts: Vec<String> = tally.split(", ").map(coloured_count).collect();
            format!("{indent}{total}: {}", counts.join(", "))
        }
        _ => line.to_owned(),
    }
}

/// Whether a line is a heading of findings: `2 findings`, `appeared: 1 finding`, `finding 1: division by zero`.
fn is_findings(text: &str) -> bool {
    let text = text.strip_prefix("appeared: ").unwrap_or(text).trim_end();
    let is_number =
        |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b',');
    match text.split_once(' ') {
        Some(("finding", rest)) => rest.split_once(':').is_some_and(|(number, _)| is_number(number)),
        Some((number, "finding" | "findings")) => is_number(number),
        _ => false,
    }
}

/// A count of a tally: `25 covered`. None of something has no colour.
fn coloured_count(count: &str) -> String {
    let style = match count.trim_end().split_once(' ') {
        Some(("0", _)) | None => return count.to_owned(),
        Some((_, "covered")) => GOOD,
        Some((_, "infeasible")) => EXCLUDED,
        Some((_, "open")) => UNDECIDED,
        Some(_) => return count.to_owned(),
    };
    let words = count.trim_end();
    format!("{style}{words}{style:#}{}", &count[words.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_and_findings_are_coloured_and_nothing_else() {
        let cases = [
            (
                "open: 2 directions: the time limit\n",
                "\u{1b}[33mopen\u{1b}[0m: 2 directions: the time limit\n",
            ),
            ("  infeasible: no input\n", "  \u{1b}[36minfeasible\u{1b}[0m: no input\n"),
            ("1 finding\n", "\u{1b}[1m\u{1b}[31m1 finding\u{1b}[0m\n"),
            (
                "3 branch directions: 2 covered, 1 infeasible, 0 open\n",
                "3 branch directions: \u{1b}[32m2 covered\u{1b}[0m, \u{1b}[36m1 infeasible\u{1b}[0m, 0 open\n",
            ),
            ("an open: question\n", "an open: question\n"),
            ("findings are good\n", "findings are good\n"),
        ];
        for (text, expected) in cases {
            let mut out = Vec::new();
            let mut writer = ColouredWriter::new(&mut out);
            // Lines come in pieces.
            for piece in text.as_bytes().chunks(3) {
                writer.write_all(piece).expect("written");
            }
            writer.flush().expect("written");
            assert_eq!(String::from_utf8(out).expect("text"), expected);
        }
    }
}

//! Warnings: unreadable parts of a file and their positions.

use std::fmt;

/// A part of the file that could not be read or looks wrong; the rest was read nevertheless.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Warning {
    /// The position in the file.
    pub place: FilePosition,
    /// The problem, and how it was handled.
    pub text: String,
}

/// A position in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FilePosition {
    /// The file as a whole.
    File,
    /// A line of a text file, counted from 1.
    Line(usize),
    /// A byte of the file, counted from 0.
    Offset(u64),
}

impl fmt::Display for Warning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            FilePosition::File => write!(formatter, "{}", self.text),
            FilePosition::Line(line) => write!(formatter, "line {line}: {}", self.text),
            FilePosition::Offset(offset) => write!(formatter, "offset {offset:#x}: {}", self.text),
        }
    }
}

/// The maximum number of warnings: nobody reads more, and a hostile file would only fill memory.
const MOST: usize = 200;

/// Collects warnings, up to a bound.
#[derive(Debug, Default)]
pub(crate) struct Warnings {
    list: Vec<Warning>,
    dropped: usize,
}

impl Warnings {
    pub(crate) fn add(&mut self, place: FilePosition, text: impl Into<String>) {
        if self.list.len() < MOST {
            self.list.push(Warning { place, text: text.into() });
        } else {
            self.dropped += 1;
        }
    }

    pub(crate) fn file(&mut self, text: impl Into<String>) {
        self.add(FilePosition::File, text);
    }

    pub(crate) fn finish(mut self) -> Vec<Warning> {
        if self.dropped > 0 {
            let text = format!("{} more warnings are not listed", self.dropped);
            self.list.push(Warning { place: FilePosition::File, text });
        }
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_warnings_is_bounded_and_the_rest_is_counted() {
        let mut warnings = Warnings::default();
        for line in 1..=MOST + 3 {
            warnings.add(FilePosition::Line(line), "bad");
        }
        let list = warnings.finish();
        assert_eq!(list.len(), MOST + 1);
        assert_eq!(list[0].to_string(), "line 1: bad");
        assert_eq!(list[MOST].to_string(), "3 more warnings are not listed");
    }
}

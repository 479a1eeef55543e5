//! The line table: the source line of each instruction.

use crate::Warning;

/// The source line of each instruction of an image.
#[derive(Debug, Clone, Default)]
pub struct LineTable {
    files: Vec<String>,
    ranges: Vec<LineRange>,
}

/// Addresses that come from one source line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LineRange {
    /// The first address.
    pub start: u64,
    /// The address after the last.
    pub end: u64,
    /// The index of the file in [`LineTable::files`].
    pub file: u32,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 if it is not known.
    pub column: u32,
}

/// A source position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SourceLine<'table> {
    /// The file, with its directory as the compiler saw it.
    pub file: &'table str,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, if it is known.
    pub column: Option<u32>,
}

/// The outcome of reading debug information.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    pub(crate) table: Option<LineTable>,
    pub(crate) warnings: Vec<Warning>,
}

impl LineTable {
    /// Sorts the ranges, and truncates each where the next begins.
    pub(crate) fn new(files: Vec<String>, mut ranges: Vec<LineRange>) -> Self {
        ranges.sort_by_key(|range| range.start);
        for index in 1..ranges.len() {
            let next = ranges[index].start;
            let range = &mut ranges[index - 1];
            range.end = range.end.min(next);
        }
        ranges.retain(|range| range.start < range.end);
        ranges.dedup_by(|later, kept| {
            let same = (later.file, later.line, later.column) == (kept.file, kept.line, kept.column);
            let joined = same && kept.end == later.start;
            if joined {
                kept.end = later.end;
            }
            joined
        });
        Self { files, ranges }
    }

    /// The source files that instructions come from.
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// All ranges, by address; they do not overlap.
    pub fn ranges(&self) -> &[LineRange] {
        &self.ranges
    }

    /// The source line that the instruction at an address comes from.
    pub fn at(&self, address: u64) -> Option<SourceLine<'_>> {
        let after = self.ranges.partition_point(|range| range.start <= address);
        let range = &self.ranges[after.checked_sub(1)?];
        let file = self.files.get(range.file as usize)?;
        let column = (range.column > 0).then_some(range.column);
        (address < range.end).then_some(SourceLine { file, line: range.line, column })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_ordered_cut_and_joined() {
        let range = |start, end, line| LineRange { start, end, file: 0, line, column: 0 };
        let ranges = vec![range(8, 12, 2), range(0, 10, 1), range(12, 14, 2), range(20, 20, 3)];
        let table = LineTable::new(vec!["main.c".into()], ranges);
        assert_eq!(table.ranges(), [range(0, 8, 1), range(8, 14, 2)]);
        assert_eq!(table.at(13), Some(SourceLine { file: "main.c", line: 2, column: None }));
        assert_eq!(table.at(14), None);
    }
}

//! Source lines from DWARF debug information.
//!
//! The line programs are read one after the other in section order, not through the compilation units: a hostile file
//! can have all its units refer to one large program, which would then run for each of them.

mod paths;
mod sections;
mod units;

use std::collections::HashMap;

use gimli::{DebugLine, DebugLineOffset, EndianSlice, LineRow, Reader, RunTimeEndian};

use crate::lines::{LineRange, LineTable, Lines};
use crate::names::Names;
use crate::warning::Warnings;
use crate::{FileKind, Image};
use paths::Paths;
use sections::DebugSections;
use units::Unit;

pub(crate) type Slice<'data> = EndianSlice<'data, RunTimeEndian>;

/// Reads the line tables of an image; without any, the outcome is empty.
pub(crate) fn read_lines(image: &Image) -> Lines {
    let mut warnings = Warnings::default();
    let table = read_table(image, &mut warnings);
    Lines { table, warnings: warnings.finish() }
}

fn read_table(image: &Image, warnings: &mut Warnings) -> Option<LineTable> {
    let machine = image.machine()?;
    let sections = DebugSections::load(image, machine, warnings);
    let line_section = sections.slice("line").filter(|slice| !slice.is_empty())?;
    if machine.kind == FileKind::Relocatable {
        warnings.file("the file is not linked, so its source lines are not known");
        return None;
    }
    let units = units::by_line_program(&sections, warnings);
    let default = Unit { directory: None, address_size: machine.class.bytes() };
    let mut builder = Builder {
        image,
        paths: Paths::new(&sections, Names::new(line_section.len().saturating_mul(2))),
        ranges: Vec::new(),
        at_zero: Vec::new(),
    };
    let programs = DebugLine::from(line_section);
    let mut rest = line_section;
    while !rest.is_empty() {
        let offset = line_section.len() - rest.len();
        let length = rest.read_initial_length().and_then(|(length, _)| rest.split(length));
        match length {
            // Linkers fill gaps with zeros.
            Ok(body) if body.is_empty() => continue,
            Ok(_) => {}
            Err(error) => {
                warnings.file(format!("the line table at {offset:#x} of its section is cut off: {error}"));
                break;
            }
        }
        let unit = units.get(&offset).copied().unwrap_or(default);
        let program = programs.program(DebugLineOffset(offset), unit.address_size, unit.directory, None);
        if let Err(error) = program.and_then(|program| builder.run(program)) {
            warnings.file(format!("the line table at {offset:#x} of its section is damaged: {error}"));
        }
    }
    builder.finish(warnings)
}

/// Collects the rows of all line programs.
struct Builder<'data> {
    image: &'data Image,
    paths: Paths<'data>,
    ranges: Vec<LineRange>,
    /// Sequences at address 0, where linkers also put the code that they removed.
    at_zero: Vec<Vec<LineRange>>,
}

impl<'data> Builder<'data> {
    fn run(&mut self, program: gimli::IncompleteLineProgram<Slice<'data>>) -> gimli::Result<()> {
        let mut rows = program.rows();
        let mut files = HashMap::new();
        let mut sequence: Vec<LineRange> = Vec::new();
        let mut open: Option<LineRange> = None;
        while let Some((header, row)) = rows.next_row()? {
            if let Some(range) = open.take()
                && row.address() > range.start
            {
                sequence.push(LineRange { end: row.address(), ..range });
            }
            if row.end_sequence() {
                self.take_sequence(std::mem::take(&mut sequence));
            } else if let Some(line) = row.line().and_then(|line| u32::try_from(line.get()).ok()) {
                let index = row.file_index();
                let file = *files.entry(index).or_insert_with(|| self.paths.index(header, index));
                open = file.map(|file| LineRange {
                    start: row.address(),
                    end: 0,
                    file,
                    line,
                    column: column(row),
                });
            }
        }
        Ok(())
    }

    /// Keeps a sequence if its code was loaded.
    fn take_sequence(&mut self, mut sequence: Vec<LineRange>) {
        let bias = self.image.load_bias();
        for range in &mut sequence {
            (range.start, range.end) = (range.start.wrapping_add(bias), range.end.wrapping_add(bias));
        }
        let Some(first) = sequence.first() else { return };
        let segment = self.image.segment_at(first.start);
        if !segment.is_some_and(|segment| segment.permissions().execute) {
            return;
        }
        if first.start == bias {
            self.at_zero.push(sequence);
        } else {
            self.ranges.extend(sequence);
        }
    }

    fn finish(mut self, warnings: &mut Warnings) -> Option<LineTable> {
        match self.at_zero.len() {
            0 => {}
            1 => self.ranges.extend(self.at_zero.into_iter().flatten()),
            count => warnings
                .file(format!("{count} functions are all said to be at address 0; they have no lines")),
        }
        (!self.ranges.is_empty()).then(|| LineTable::new(self.paths.into_files(), self.ranges))
    }
}

fn column(row: &LineRow) -> u32 {
    match row.column() {
        gimli::ColumnType::LeftEdge => 0,
        gimli::ColumnType::Column(column) => u32::try_from(column.get()).unwrap_or(0),
    }
}

//! Intel HEX: lines of a colon, a count, an address, a type, bytes and a checksum.

use ihex::Record;

use super::{ImageFormat, Input};
use crate::contents::Contents;
use crate::records::{RecordMemory, any_early_line, lines};
use crate::warning::Warnings;
use crate::{FilePosition, ReadError};

pub(super) static FORMAT: ImageFormat =
    ImageFormat { name: "ihex", title: "Intel HEX", only_forced: false, detect, read };

fn detect(file: &[u8]) -> bool {
    any_early_line(file, |line| {
        let digits = line.strip_prefix(':').unwrap_or_default();
        digits.len() >= 10 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// The base of the 16-bit offset of a data record.
#[derive(Clone, Copy)]
enum Base {
    /// Offsets wrap around at 64 KiB within the segment.
    Segment(u64),
    /// Offsets continue past 64 KiB, and addresses wrap around at 4 GiB.
    Linear(u64),
}

fn read(input: &Input<'_>) -> Result<Contents, ReadError> {
    let mut warnings = Warnings::default();
    let mut memory = RecordMemory::default();
    let mut base = Base::Linear(0);
    let mut start = None;
    let mut ended = false;
    let mut told_of_more = false;
    for (line, bytes) in lines(&input.file) {
        let record = match parse(bytes) {
            Ok(record) => record,
            Err(text) => {
                warnings.add(FilePosition::Line(line), format!("{text}; the line is skipped"));
                continue;
            }
        };
        // Files of two programs are often concatenated, so reading continues.
        if ended && !told_of_more {
            warnings.add(
                FilePosition::Line(line),
                "there are records after the end-of-file record; they are read too",
            );
            told_of_more = true;
        }
        match record {
            Record::Data { offset, value } => write(&mut memory, line, base, offset, &value, &mut warnings),
            Record::EndOfFile => {
                ended = true;
                base = Base::Linear(0);
            }
            Record::ExtendedSegmentAddress(paragraph) => base = Base::Segment(u64::from(paragraph) << 4),
            Record::ExtendedLinearAddress(upper) => base = Base::Linear(u64::from(upper) << 16),
            Record::StartSegmentAddress { cs, ip } => {
                start = Some((line, (u64::from(cs) << 4) + u64::from(ip)));
            }
            Record::StartLinearAddress(address) => start = Some((line, u64::from(address))),
        }
    }
    if !ended {
        warnings.file("there is no end-of-file record; the file may be cut off");
    }
    memory.finish(input, start, warnings)
}

fn parse(bytes: &[u8]) -> Result<Record, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "not a record: the line is not text")?;
    // The crate's own message for the checksum has the two numbers in a misleading order.
    Record::from_record_string(text).map_err(|error| match error {
        ihex::ReaderError::ChecksumMismatch(computed, stated) => {
            format!("the checksum is {stated:#04x} and should be {computed:#04x}")
        }
        other => format!("not a record: {other}"),
    })
}

fn write(
    memory: &mut RecordMemory,
    line: usize,
    base: Base,
    offset: u16,
    value: &[u8],
    warnings: &mut Warnings,
) {
    let (base, first, turn) = match base {
        Base::Segment(base) => (base, u64::from(offset), 0x1_0000),
        Base::Linear(base) => (0, base + u64::from(offset), 0x1_0000_0000),
    };
    let before_turn = value.len().min((turn - first) as usize);
    let (before, after) = value.split_at(before_turn);
    memory.write(line, base + first, before, warnings);
    if !after.is_empty() {
        warnings.add(
            FilePosition::Line(line),
            format!("the data passes the last address and goes on at {base:#x}"),
        );
        memory.write(line, base, after, warnings);
    }
}

//! Motorola S-records: lines of `S`, a type, a count, an address, bytes and a checksum.

use srec::Record;

use super::{ImageFormat, Input};
use crate::contents::Contents;
use crate::records::{RecordMemory, any_early_line, lines};
use crate::warning::Warnings;
use crate::{FilePosition, ReadError};

pub(super) static FORMAT: ImageFormat =
    ImageFormat { name: "srec", title: "Motorola S-record", only_forced: false, detect, read };

fn detect(file: &[u8]) -> bool {
    any_early_line(file, |line| {
        let digits = line.strip_prefix('S').unwrap_or_default();
        digits.len() >= 9 && digits.as_bytes()[0].is_ascii_digit() && is_hexadecimal(digits)
    })
}

fn is_hexadecimal(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A parsed record.
enum Content {
    Header(Vec<u8>),
    Data(u64, Vec<u8>),
    Count(u32),
    Start(u64),
}

fn read(input: &Input<'_>) -> Result<Contents, ReadError> {
    let mut warnings = Warnings::default();
    let mut memory = RecordMemory::default();
    let mut name = None;
    let mut start = None;
    let mut data_records = 0_u32;
    for (line, bytes) in lines(&input.file) {
        match parse(bytes) {
            Err(text) => warnings.add(FilePosition::Line(line), format!("{text}; the line is skipped")),
            Ok(Content::Header(text)) => {
                let text = String::from_utf8_lossy(&text);
                let text =
                    text.trim_matches(|character: char| character == '\0' || character.is_whitespace());
                if !text.is_empty() {
                    name = Some(text.to_owned());
                }
            }
            Ok(Content::Data(address, bytes)) => {
                data_records += 1;
                let room = (1_u64 << 32) - address;
                let kept = bytes.len().min(usize::try_from(room).unwrap_or(usize::MAX));
                if kept < bytes.len() {
                    warnings.add(
                        FilePosition::Line(line),
                        "the data passes the last address; the rest of it is left out",
                    );
                }
                memory.write(line, address, &bytes[..kept], &mut warnings);
            }
            Ok(Content::Count(count)) if count != data_records => {
                let text = format!("the file counts {count} data records, and {data_records} were read");
                warnings.add(FilePosition::Line(line), text);
            }
            Ok(Content::Count(_)) => {}
            Ok(Content::Start(address)) => start = Some((line, address)),
        }
    }
    if start.is_none() {
        warnings.file("there is no termination record; the file may be cut off");
    }
    // Every file must end with a termination record, so address 0 most often only means that there is no
    // start.
    let has_start = |address: u64| address != 0 || memory.has(0);
    let start = start.filter(|&(_, address)| has_start(address));
    let mut contents = memory.finish(input, start, warnings)?;
    contents.name = name;
    Ok(contents)
}

fn parse(bytes: &[u8]) -> Result<Content, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "not a record: the line is not text")?;
    let digits = text.strip_prefix('S').ok_or("not a record: it does not begin with S")?;
    // The crate panics on characters outside of ASCII, takes signs for digits, and ignores what follows the
    // record.
    if !is_hexadecimal(digits) {
        return Err("not a record: it has characters other than hexadecimal digits".into());
    }
    if let Some(kind) = digits.chars().next().filter(|kind| !"012356789".contains(*kind)) {
        return Err(format!("not a record: type S{kind} is unknown"));
    }
    let count = digits.get(1..3).and_then(|count| usize::from_str_radix(count, 16).ok());
    if count.is_some_and(|count| digits.len() != 3 + 2 * count) {
        return Err("not a record: its length is not what it counts".into());
    }
    // A header is laid out as a data record is; the crate panics on a header that is not UTF-8, or too short.
    let header = digits.starts_with('0');
    let parsed = if header { format!("S1{}", &digits[1..]).parse() } else { text.parse() };
    let record = parsed.map_err(|error| match error {
        srec::ReaderError::ChecksumMismatch => "the checksum is wrong".to_owned(),
        other => format!("not a record: {other}"),
    })?;
    Ok(match record {
        Record::S1(data) if header => Content::Header(data.data),
        Record::S0(text) => Content::Header(text.into_bytes()),
        Record::S1(data) => Content::Data(data.address.0.into(), data.data),
        Record::S2(data) => Content::Data(data.address.0.into(), data.data),
        Record::S3(data) => Content::Data(data.address.0.into(), data.data),
        Record::S5(count) => Content::Count(count.into()),
        Record::S6(count) => Content::Count(count.into()),
        Record::S7(address) => Content::Start(address.0.into()),
        Record::S8(address) => Content::Start(address.0.into()),
        Record::S9(address) => Content::Start(address.0.into()),
    })
}

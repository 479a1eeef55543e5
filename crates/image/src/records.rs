//! Code shared by the text formats: lines with records, and the memory that the records fill.

use std::ops::Range;

use crate::contents::Contents;
use crate::format::Input;
use crate::layout::{Layout, Span};
use crate::warning::Warnings;
use crate::{Entry, EntryReason, FilePosition, ReadError, Segment, SegmentPermissions};

/// The number of bytes that are searched to recognise the format.
const LOOKED_AT: usize = 4096;

/// Whether one of the first lines satisfies the predicate; comments may precede the first record.
pub(crate) fn any_early_line(file: &[u8], is_record: impl Fn(&str) -> bool) -> bool {
    lines(&file[..file.len().min(LOOKED_AT)])
        .take(8)
        .any(|(_, line)| std::str::from_utf8(line).is_ok_and(&is_record))
}

/// The lines that are not blank, with their numbers from 1. Line ends of all systems, and the end-of-file
/// byte of old ones, are understood.
pub(crate) fn lines(file: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let file = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file);
    let lone_returns = !file.contains(&b'\n');
    file.split(move |&byte| byte == b'\n' || lone_returns && byte == b'\r')
        .enumerate()
        .map(|(index, line)| {
            let line = line.trim_ascii();
            (index + 1, line.strip_suffix(b"\x1a").unwrap_or(line).trim_ascii())
        })
        .filter(|(_, line)| !line.is_empty())
}

/// Memory that is filled record by record.
#[derive(Default)]
pub(crate) struct RecordMemory {
    layout: Layout,
    bytes: Vec<u8>,
}

impl RecordMemory {
    /// Writes bytes to an address; replaces those of an earlier record with a warning.
    pub(crate) fn write(&mut self, line: usize, address: u64, bytes: &[u8], warnings: &mut Warnings) {
        let range = self.bytes.len()..self.bytes.len() + bytes.len();
        let Some(span) = Span::new(address, bytes.len() as u64, range, 0) else { return };
        self.bytes.extend_from_slice(bytes);
        if let Some(hidden) = self.layout.place(span) {
            let (first, last) = hidden.into_inner();
            let text =
                format!("addresses {first:#x} to {last:#x} were filled before; the later record is used");
            warnings.add(FilePosition::Line(line), text);
        }
    }

    /// Whether some record filled the address.
    pub(crate) fn has(&self, address: u64) -> bool {
        self.layout.has(address)
    }

    /// The memory as segments, one for each contiguous range.
    fn into_segments(self) -> Vec<Segment> {
        let mut ordered = Vec::with_capacity(self.bytes.len());
        let mut ranges: Vec<(u64, Range<usize>)> = Vec::new();
        for span in self.layout.into_spans() {
            let start = ordered.len();
            ordered.extend_from_slice(&self.bytes[span.range.clone()]);
            match ranges.last_mut() {
                Some((first, range)) if *first + range.len() as u64 == span.first => {
                    range.end = ordered.len();
                }
                _ => ranges.push((span.first, start..ordered.len())),
            }
        }
        let backing: std::sync::Arc<[u8]> = ordered.into();
        let segment = |(address, range): (u64, Range<usize>)| Segment {
            address,
            size: range.len() as u64,
            permissions: SegmentPermissions::ALL,
            space: None,
            name: "data".into(),
            copy_of: None,
            backing: backing.clone(),
            range,
        };
        ranges.into_iter().map(segment).collect()
    }

    /// Turns the memory and the start address into the contents of an image.
    pub(crate) fn finish(
        self,
        input: &Input<'_>,
        start: Option<(usize, u64)>,
        mut warnings: Warnings,
    ) -> Result<Contents, ReadError> {
        let segments = self.into_segments();
        if segments.is_empty() {
            let first = warnings.finish().into_iter().next();
            let seen = first.map_or_else(|| "no data records".into(), |warning| warning.to_string());
            return Err(input.nothing(seen));
        }
        if input.options.base.is_some() {
            warnings.file("the base address is not used: the records state their addresses");
        }
        let mut contents = Contents { segments, warnings, ..Contents::default() };
        if let Some((line, address)) = start {
            contents.entries.push(Entry {
                address,
                alternate: false,
                reason: EntryReason::Start,
                name: None,
            });
            if !contents.maps(address) {
                let text = format!("the start address {address:#x} is outside of the data");
                contents.warnings.add(FilePosition::Line(line), text);
            }
        }
        Ok(contents)
    }
}

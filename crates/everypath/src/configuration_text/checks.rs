//! Values that their registers cannot hold, and ranges that overlap.

use std::ops::Range;

use everypath_environment::{Configuration, Guest};

use super::ConfigurationMistake;
use super::entries::{Entries, Entry, place};

/// Initial values of registers that have more bits than the register.
pub(super) fn wide_registers(
    configuration: &Configuration,
    guest: &Guest,
    entries: &Entries<'_>,
) -> Vec<ConfigurationMistake> {
    let too_wide = |(name, value): (&String, &u64)| {
        let (_, width) = guest.architecture().register(name)?;
        let bits = width.bits();
        let fits = bits >= u64::BITS || value >> bits == 0;
        (!fits).then(|| ConfigurationMistake {
            label: Some(format!("has more than {bits} bits")),
            help: Some(format!("the largest value is {:#x}", (1_u64 << bits) - 1)),
            ..ConfigurationMistake::new(
                format!("the value {value:#x} does not fit in register `{name}`, which has {bits} bits"),
                entries.value("registers", name),
            )
        })
    };
    configuration.registers.iter().filter_map(too_wide).collect()
}

/// A range of a list of the configuration.
struct NamedRange<'c> {
    name: &'c str,
    space: Option<&'c str>,
    start: u64,
    size: u64,
}

impl NamedRange<'_> {
    fn overlaps(&self, other: &NamedRange<'_>) -> bool {
        let last = |range: &NamedRange<'_>| range.start.saturating_add(range.size - 1);
        self.space == other.space && self.start <= last(other) && other.start <= last(self)
    }
}

/// Volatile cells, and ranges of memory, that overlap: which of them holds is not obvious.
pub(super) fn overlaps(configuration: &Configuration, entries: &Entries<'_>) -> Vec<ConfigurationMistake> {
    let cells = configuration.volatiles.iter().map(|cell| {
        let (start, size) = (cell.address?, cell.size.filter(|size| *size > 0)?);
        Some(NamedRange { name: &cell.name, space: cell.space.as_deref(), start, size })
    });
    let cells: Vec<Option<NamedRange<'_>>> = cells.collect();
    let ranges = configuration.memory.iter().map(|range| {
        let (start, size) = (range.start, range.size);
        (size > 0).then(|| NamedRange { name: &range.name, space: range.space.as_deref(), start, size })
    });
    let ranges: Vec<Option<NamedRange<'_>>> = ranges.collect();
    let mut mistakes = overlaps_of("volatile cells", &cells, &entries.list("volatile"), "address");
    mistakes.extend(overlaps_of("memory ranges", &ranges, &entries.list("memory"), "start"));
    mistakes
}

/// The overlaps of a list, whose entries are the tables of the text in order.
fn overlaps_of(
    what: &str,
    ranges: &[Option<NamedRange<'_>>],
    tables: &[Entry<'_, '_>],
    field: &str,
) -> Vec<ConfigurationMistake> {
    let span = |index: usize| -> Option<Range<usize>> { place(tables.get(index)?, field) };
    let mut mistakes = Vec::new();
    for (index, range) in ranges.iter().enumerate() {
        let Some(range) = range else { continue };
        let earlier = ranges[..index].iter().enumerate();
        let mut overlapping = earlier.filter_map(|(index, other)| Some((index, other.as_ref()?)));
        let Some((before, other)) = overlapping.find(|(_, other)| range.overlaps(other)) else { continue };
        mistakes.push(ConfigurationMistake {
            label: Some(format!("`{}` begins here, with {:#x} bytes", range.name, range.size)),
            other: span(before)
                .map(|span| (span, format!("`{}` begins here, with {:#x} bytes", other.name, other.size))),
            help: Some("declare each address once: change an address or a size".to_owned()),
            ..ConfigurationMistake::new(
                format!("the {what} `{}` and `{}` overlap", other.name, range.name),
                span(index),
            )
        });
    }
    mistakes
}

//! An interval map of memory in which later ranges overwrite earlier ones.

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};

/// A range of memory, the bytes that fill its start, and their origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) first: u64,
    /// Inclusive, so that a range can reach the end of the address space.
    pub(crate) last: u64,
    /// The bytes in the file, or in what was decoded from it; never more than the range has room for.
    pub(crate) range: Range<usize>,
    /// The index of the part of the file, in the numbering of the format.
    pub(crate) origin: usize,
}

impl Span {
    /// A range of `size` bytes; `None` if it is empty or exceeds the last address.
    pub(crate) fn new(first: u64, size: u64, range: Range<usize>, origin: usize) -> Option<Self> {
        let last = first.checked_add(size.checked_sub(1)?)?;
        let mut span = Self { first, last, range, origin };
        span.limit();
        Some(span)
    }

    /// The size in memory.
    pub(crate) fn size(&self) -> u64 {
        (self.last - self.first).saturating_add(1)
    }

    fn limit(&mut self) {
        let room = usize::try_from(self.size()).unwrap_or(usize::MAX);
        self.range.end = self.range.end.min(self.range.start.saturating_add(room));
    }

    fn ending_before(&self, end: u64) -> Self {
        let mut span = Self { last: end - 1, ..self.clone() };
        span.limit();
        span
    }

    fn starting_after(&self, end: u64) -> Self {
        let first = end + 1;
        let skipped = usize::try_from(first - self.first).unwrap_or(usize::MAX);
        let start = self.range.start.saturating_add(skipped).min(self.range.end);
        Self { first, last: self.last, range: start..self.range.end, origin: self.origin }
    }
}

/// Spans that do not overlap.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    spans: BTreeMap<u64, Span>,
}

impl Layout {
    /// Places a span over existing ones; returns the hull of the hidden addresses.
    pub(crate) fn place(&mut self, span: Span) -> Option<RangeInclusive<u64>> {
        let mut hidden: Option<(u64, u64)> = None;
        while let Some((&key, old)) = self.spans.range(..=span.last).next_back() {
            if old.last < span.first {
                break;
            }
            let old = self.spans.remove(&key)?;
            let last = hidden.map_or(old.last.min(span.last), |(_, last)| last);
            hidden = Some((old.first.max(span.first), last));
            if old.last > span.last {
                self.spans.insert(span.last + 1, old.starting_after(span.last));
            }
            if old.first < span.first {
                self.spans.insert(old.first, old.ending_before(span.first));
            }
        }
        self.spans.insert(span.first, span);
        hidden.map(|(first, last)| first..=last)
    }

    /// Whether a span contains the address.
    pub(crate) fn has(&self, address: u64) -> bool {
        self.spans.range(..=address).next_back().is_some_and(|(_, span)| span.last >= address)
    }

    /// The spans, by address.
    pub(crate) fn into_spans(self) -> impl Iterator<Item = Span> {
        self.spans.into_values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(first: u64, size: u64, bytes: Range<usize>, origin: usize) -> Span {
        Span::new(first, size, bytes, origin).unwrap()
    }

    #[test]
    fn a_later_span_splits_an_earlier_one() {
        let mut layout = Layout::default();
        assert_eq!(layout.place(span(100, 50, 0..20, 0)), None);
        assert_eq!(layout.place(span(110, 5, 60..65, 1)), Some(110..=114));
        let spans: Vec<Span> = layout.into_spans().collect();
        assert_eq!(
            spans,
            [span(100, 10, 0..10, 0), span(110, 5, 60..65, 1), span(115, 35, 15..20, 0)],
            "the bytes stay at their addresses"
        );
    }

    #[test]
    fn a_later_span_hides_several_earlier_ones() {
        let mut layout = Layout::default();
        for index in 0..4 {
            layout.place(span(index * 10, 5, 0..5, 0));
        }
        assert_eq!(layout.place(span(12, 20, 0..0, 1)), Some(12..=31));
        let ranges: Vec<_> = layout.into_spans().map(|span| (span.first, span.last, span.range)).collect();
        assert_eq!(ranges, [(0, 4, 0..5), (10, 11, 0..2), (12, 31, 0..0), (32, 34, 2..5)]);
    }

    #[test]
    fn the_whole_address_space_can_be_covered() {
        let mut layout = Layout::default();
        layout.place(span(0, u64::MAX, 0..8, 0));
        layout.place(span(u64::MAX, 1, 8..9, 1));
        layout.place(span(5, u64::MAX - 4, 9..9, 2));
        let ranges: Vec<_> = layout.into_spans().map(|span| (span.first, span.last, span.range)).collect();
        assert_eq!(ranges, [(0, 4, 0..5), (5, u64::MAX, 9..9)]);
    }

    #[test]
    fn a_span_past_the_last_address_is_none() {
        assert_eq!(Span::new(u64::MAX, 2, 0..0, 0), None);
        assert_eq!(Span::new(5, 0, 0..0, 0), None);
    }

    /// Compares with memory that is written byte by byte.
    #[test]
    fn any_order_of_spans_reads_as_written_last() {
        let mut seed = 1_u64;
        let mut random = |bound: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % bound
        };
        for _ in 0..500 {
            let mut layout = Layout::default();
            let mut memory: [Option<(usize, Option<usize>)>; 80] = [None; 80];
            for origin in 0..8 {
                let (first, size, filled) = (random(60), random(20) + 1, random(20) as usize);
                let start = random(1000) as usize;
                let filled = filled.min(size as usize);
                for offset in 0..size as usize {
                    let byte = (offset < filled).then_some(start + offset);
                    memory[first as usize + offset] = Some((origin, byte));
                }
                layout.place(span(first, size, start..start + filled, origin));
            }
            let mut seen: [Option<(usize, Option<usize>)>; 80] = [None; 80];
            for span in layout.into_spans() {
                for address in span.first..=span.last {
                    let position = span.range.start + (address - span.first) as usize;
                    let byte = (position < span.range.end).then_some(position);
                    assert_eq!(seen[address as usize].replace((span.origin, byte)), None);
                }
            }
            assert_eq!(seen, memory);
        }
    }
}

//! Byte-addressed map from offsets to values: partial overwrites split a value, reads across values concatenate them.

use super::symbol::Value;
use everypath_ir::{Endian, Op, Width};
use std::sync::Arc;

/// Values keyed by their first byte; no two overlap. Copy-on-write: clones share memory, since most blocks change few
/// cells.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Cells {
    list: Arc<Vec<(u64, Value)>>,
}

fn bytes(value: &Value) -> u64 {
    value.width().bytes() as u64
}

fn extract(value: &Value, from: u64, count: u64, endian: Endian) -> Option<Value> {
    let width = Width::of_bytes(count as usize)?;
    let low = match endian {
        Endian::Little => 8 * from,
        Endian::Big => 8 * (bytes(value) - from - count),
    };
    if from == 0 && count == bytes(value) {
        return Some(value.clone());
    }
    Some(Value::apply(Op::Extract(low as u16), width, &[value]))
}

impl Cells {
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, &Value)> + '_ {
        self.list.iter().map(|(offset, value)| (*offset, value))
    }

    /// Returns true if both share one allocation, and so are equal.
    pub(super) fn is_shared(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.list, &other.list)
    }

    fn find(&self, offset: u64) -> Result<usize, usize> {
        self.list.binary_search_by_key(&offset, |(offset, _)| *offset)
    }

    /// The value that starts at an offset.
    pub(super) fn starting_at(&self, offset: u64) -> Option<&Value> {
        self.find(offset).ok().map(|at| &self.list[at].1)
    }

    /// Keeps, havocs or removes each value.
    pub(super) fn change(&mut self, changed: impl Fn(u64, &Value) -> Change) {
        let is_kept = |(offset, value): &(u64, Value)| matches!(changed(*offset, value), Change::Keep);
        if self.list.iter().all(is_kept) {
            return;
        }
        Arc::make_mut(&mut self.list).retain_mut(|(offset, value)| match changed(*offset, value) {
            Change::Keep => true,
            Change::Havoc => {
                *value = Value::unknown(value.width());
                true
            }
            Change::Remove => false,
        });
    }

    /// The index of the cell that covers a byte.
    fn covering(&self, offset: u64) -> Option<usize> {
        let at = match self.find(offset) {
            Ok(at) => at,
            Err(after) => after.checked_sub(1)?,
        };
        let (start, value) = &self.list[at];
        (offset - start < bytes(value)).then_some(at)
    }

    /// Reads a value; `absent` supplies bytes that no cell covers.
    pub(super) fn read(
        &self,
        offset: u64,
        width: Width,
        endian: Endian,
        mut absent: impl FnMut(u64, Width) -> Value,
    ) -> Value {
        let size = width.bytes() as u64;
        let first = self.covering(offset).map(|at| &self.list[at]);
        if let Some((at, value)) = first
            && offset - at + size <= bytes(value)
        {
            return extract(value, offset - at, size, endian).unwrap_or_else(|| Value::unknown(width));
        }
        let end = offset.saturating_add(size);
        let mut at = offset;
        let mut whole: Option<Value> = None;
        while at < end {
            let part = match self.covering(at).map(|at| &self.list[at]) {
                Some((start, value)) => {
                    let count = (bytes(value) - (at - start)).min(end - at);
                    extract(value, at - start, count, endian)
                }
                None => {
                    let after = self.list.partition_point(|(offset, _)| *offset < at);
                    let next = self.list.get(after).map_or(end, |(next, _)| end.min(*next));
                    Width::of_bytes((next - at) as usize).map(|width| absent(at, width))
                }
            };
            let Some(part) = part else { return Value::unknown(width) };
            at += bytes(&part);
            whole = match whole {
                None => Some(part),
                Some(whole) => {
                    let Some(sum) = Width::new(whole.width().bits() + part.width().bits()) else {
                        return Value::unknown(width);
                    };
                    let pair = match endian {
                        Endian::Little => [&part, &whole],
                        Endian::Big => [&whole, &part],
                    };
                    Some(Value::apply(Op::Concat, sum, &pair))
                }
            };
        }
        whole.filter(|whole| whole.width() == width).unwrap_or_else(|| Value::unknown(width))
    }

    /// Writes a value.
    pub(super) fn write(&mut self, offset: u64, value: Value, endian: Endian) {
        match self.find(offset) {
            Ok(at) if bytes(&self.list[at].1) == bytes(&value) => {
                if self.list[at].1 != value {
                    Arc::make_mut(&mut self.list)[at].1 = value;
                }
            }
            _ => self.replace(offset, bytes(&value), Some(value), endian),
        }
    }

    /// Removes a byte range; cells that straddle its ends keep the bytes outside it.
    pub(super) fn cut(&mut self, offset: u64, size: u64, endian: Endian) {
        self.replace(offset, size, None, endian);
    }

    fn replace(&mut self, offset: u64, size: u64, value: Option<Value>, endian: Endian) {
        let end = offset.saturating_add(size);
        let after = |start: u64, value: &Value| start.saturating_add(bytes(value));
        let first = self.list.partition_point(|(start, value)| after(*start, value) <= offset);
        let last = first + self.list[first..].partition_point(|(start, _)| *start < end);
        if first == last && value.is_none() {
            return;
        }
        let touched = &self.list[first..last];
        let front = touched.first().filter(|(start, _)| *start < offset).and_then(|(start, value)| {
            extract(value, 0, offset - start, endian).map(|front| (*start, front))
        });
        let back = touched.last().and_then(|(start, value)| {
            let whole = after(*start, value);
            let rest = whole.checked_sub(end).filter(|rest| *rest > 0)?;
            extract(value, end - start, rest, endian).map(|back| (end, back))
        });
        let new = front.into_iter().chain(value.map(|value| (offset, value))).chain(back);
        Arc::make_mut(&mut self.list).splice(first..last, new);
    }
}

impl FromIterator<(u64, Value)> for Cells {
    /// Expects values sorted by first byte.
    fn from_iter<I: IntoIterator<Item = (u64, Value)>>(values: I) -> Self {
        let mut list: Vec<(u64, Value)> = values.into_iter().collect();
        list.shrink_to_fit();
        Self { list: Arc::new(list) }
    }
}

/// Change to one cell.
pub(super) enum Change {
    Keep,
    /// The value becomes unknown.
    Havoc,
    Remove,
}

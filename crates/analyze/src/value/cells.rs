//! A map from bytes to values: what lies across the edges of an access is cut, what lies in pieces is put together.

use super::symbol::Value;
use everypath_ir::{Endian, Op, Width};
use std::collections::BTreeMap;

/// Values by their first byte; no two overlap.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Cells {
    by_offset: BTreeMap<u64, Value>,
}

/// No value has more bytes.
const WIDEST: u64 = 64;

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
        self.by_offset.iter().map(|(offset, value)| (*offset, value))
    }

    /// Whether a value begins at a byte.
    pub(super) fn starts(&self, offset: u64) -> bool {
        self.by_offset.contains_key(&offset)
    }

    pub(super) fn retain(&mut self, mut keep: impl FnMut(u64, &mut Value) -> bool) {
        self.by_offset.retain(|offset, value| keep(*offset, value));
    }

    /// The cell that has a byte.
    fn covering(&self, offset: u64) -> Option<(u64, &Value)> {
        let start = offset.saturating_sub(WIDEST);
        let (at, value) = self.by_offset.range(start..=offset).next_back()?;
        (offset - at < bytes(value)).then_some((*at, value))
    }

    /// The value of some bytes; `absent` gives that of bytes that have none.
    pub(super) fn read(
        &self,
        offset: u64,
        width: Width,
        endian: Endian,
        mut absent: impl FnMut(u64, Width) -> Value,
    ) -> Value {
        let size = width.bytes() as u64;
        if let Some((at, value)) = self.covering(offset)
            && offset - at + size <= bytes(value)
        {
            return extract(value, offset - at, size, endian).unwrap_or_else(|| Value::unknown(width));
        }
        let end = offset.saturating_add(size);
        let mut at = offset;
        let mut whole: Option<Value> = None;
        while at < end {
            let part = match self.covering(at) {
                Some((start, value)) => {
                    let count = (bytes(value) - (at - start)).min(end - at);
                    extract(value, at - start, count, endian)
                }
                None => {
                    let next = self.by_offset.range(at..end).next().map_or(end, |(next, _)| *next);
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

    /// Gives some bytes a value.
    pub(super) fn write(&mut self, offset: u64, value: Value, endian: Endian) {
        let size = bytes(&value);
        self.cut(offset, size, endian);
        self.by_offset.insert(offset, value);
    }

    /// Makes some bytes have no value.
    pub(super) fn cut(&mut self, offset: u64, size: u64, endian: Endian) {
        let end = offset.saturating_add(size);
        if let Some((at, value)) = self.covering(offset) {
            let value = value.clone();
            self.by_offset.remove(&at);
            if at < offset
                && let Some(front) = extract(&value, 0, offset - at, endian)
            {
                self.by_offset.insert(at, front);
            }
            let whole = at + bytes(&value);
            if whole > end
                && let Some(back) = extract(&value, end - at, whole - end, endian)
            {
                self.by_offset.insert(end, back);
            }
        }
        while let Some((at, value)) =
            self.by_offset.range(offset..end).next().map(|(at, value)| (*at, value.clone()))
        {
            self.by_offset.remove(&at);
            let whole = at + bytes(&value);
            if whole > end
                && let Some(back) = extract(&value, end - at, whole - end, endian)
            {
                self.by_offset.insert(end, back);
            }
        }
    }
}

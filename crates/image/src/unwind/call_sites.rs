//! Call-site tables of exception handling (the language-specific data area of the Itanium C++ ABI,
//! `.gcc_except_table`): they map ranges of instructions to landing pads.

use crate::{FileMachine, Image};

/// A range of instructions and the landing pad of their exceptions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CallSite {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) landing_pad: u64,
}

/// The encoding byte of an absent field.
const OMITTED: u8 = 0xff;
/// The masks of an encoding byte: the number format, and the base it is relative to.
const FORMAT: u8 = 0x0f;
const RELATION: u8 = 0x70;
const RELATIVE_TO_ITSELF: u8 = 0x10;
const INDIRECT: u8 = 0x80;

/// Adds the call sites of one function's table, up to the first damaged entry.
pub(super) fn read(
    image: &Image,
    machine: &FileMachine,
    table: u64,
    start: u64,
    end: u64,
    sites: &mut Vec<CallSite>,
) {
    let mut reader = Reader { image, machine, at: table };
    let _ = reader.table(start, end, sites);
}

struct Reader<'i> {
    image: &'i Image,
    machine: &'i FileMachine,
    at: u64,
}

impl Reader<'_> {
    fn table(&mut self, start: u64, end: u64, sites: &mut Vec<CallSite>) -> Option<()> {
        let format = self.byte()?;
        let base = if format == OMITTED { start } else { self.encoded(format)? };
        if self.byte()? != OMITTED {
            self.leb128()?;
        }
        let format = self.byte()?;
        let last = self.leb128()?;
        let last = self.at.checked_add(last)?;
        while self.at < last {
            let (from, length) = (self.encoded(format)?, self.encoded(format)?);
            let (pad, _action) = (self.encoded(format)?, self.leb128()?);
            let from = start.checked_add(from)?;
            let until = from.checked_add(length)?;
            // Sites are ordered within their function, so there are at most as many as bytes in the file.
            if until > end
                || length == 0
                || sites.last().is_some_and(|site| (start..end).contains(&site.start) && from < site.end)
            {
                return None;
            }
            if pad != 0 {
                let landing_pad = base.checked_add(pad)?;
                self.image.segment_at(landing_pad)?;
                sites.push(CallSite { start: from, end: until, landing_pad });
            }
        }
        Some(())
    }

    fn bytes<const COUNT: usize>(&mut self) -> Option<[u8; COUNT]> {
        let mut bytes = [0; COUNT];
        (self.image.read_at(self.at, &mut bytes) == COUNT).then_some(())?;
        self.at = self.at.checked_add(COUNT as u64)?;
        Some(bytes)
    }

    fn byte(&mut self) -> Option<u8> {
        self.bytes::<1>().map(|[byte]| byte)
    }

    fn number<const COUNT: usize>(&mut self) -> Option<u64> {
        self.bytes::<COUNT>().map(|bytes| self.machine.endian.number(&bytes))
    }

    fn leb128(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// A number in the encoding that a byte selects.
    fn encoded(&mut self, format: u8) -> Option<u64> {
        let here = self.at;
        let number = match format & FORMAT {
            0x00 if self.machine.class.bytes() == 8 => self.number::<8>()?,
            0x00 => self.number::<4>()?,
            0x01 => self.leb128()?,
            0x02 => self.number::<2>()?,
            0x03 => self.number::<4>()?,
            0x04 | 0x0c => self.number::<8>()?,
            0x0a => self.number::<2>()? as u16 as i16 as u64,
            0x0b => self.number::<4>()? as u32 as i32 as u64,
            _ => return None,
        };
        let sum = match format & RELATION {
            0 => number,
            RELATIVE_TO_ITSELF => number.wrapping_add(here),
            _ => return None,
        };
        (format & INDIRECT == 0).then_some(sum)
    }
}

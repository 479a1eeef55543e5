//! Splitting of a memory access between plain memory and MMIO registers.
//!
//! An access may straddle both, begin before a register, or span several. Each register that it touches is accessed
//! once, however many of its bytes the access covers. Every byte is checked before any is read or written, so that a
//! faulting access has no effect.

use everypath_ir::{Endian, Location, Width};

use crate::access::{AccessFault, Denied};
use crate::outside::Outside;
use crate::state::State;
use crate::step::Fixed;

/// The maximum size of one MMIO access; a wider access to one register is several.
const WIDEST: usize = 8;

/// Contiguous bytes of an access in plain memory or in one register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The location of the first byte.
    pub(crate) location: Location,
    /// Its distance from the first byte of the access.
    pub(crate) first: usize,
    /// The size in bytes.
    pub(crate) size: usize,
    /// True if it belongs to an MMIO register.
    pub(crate) outside: bool,
}

impl Piece {
    /// The number of bytes of the value that are less significant than the piece.
    pub(crate) fn low_byte(&self, access: &Fixed) -> usize {
        match access.endian {
            Endian::Little => self.first,
            Endian::Big => access.width.bytes() - self.first - self.size,
        }
    }

    /// Its width.
    pub(crate) fn width(&self) -> Width {
        Width::of_bytes(self.size).unwrap_or(Width::W8)
    }
}

/// Splits an access, from the lowest address.
///
/// # Errors
/// The first byte that is not mapped, has no device, or is not readable or writable.
pub(crate) fn pieces(
    state: &mut State,
    outside: &impl Outside,
    location: Location,
    size: usize,
    writes: bool,
) -> Result<Vec<Piece>, Denied> {
    let space = location.space;
    let nothing = Denied { address: location.offset, fault: AccessFault::Unmapped };
    let memory = state.memory(space).ok_or(nothing)?;
    let mut pieces: Vec<Piece> = Vec::new();
    let mut last_register = None;
    for distance in 0..size {
        let offset = memory.wrap(location.offset, distance);
        let location = Location { space, offset };
        let checked = if writes { memory.check_write(offset) } else { memory.check_read(offset) };
        let register = match checked {
            Ok(()) => None,
            Err(denied) if denied.fault == AccessFault::Outside => {
                Some(outside.device_at(location).ok_or(denied)?)
            }
            Err(denied) => return Err(denied),
        };
        let goes_on = |piece: &Piece| {
            let follows = piece.location.offset.wrapping_add(piece.size as u64) == offset;
            follows && register == last_register && (register.is_none() || piece.size < WIDEST)
        };
        match pieces.last_mut().filter(|piece| goes_on(piece)) {
            Some(piece) => piece.size += 1,
            None => pieces.push(Piece { location, first: distance, size: 1, outside: register.is_some() }),
        }
        last_register = register;
    }
    Ok(pieces)
}

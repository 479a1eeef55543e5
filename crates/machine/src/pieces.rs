//! An access to memory divided by who answers for each byte: plain memory, or a memory-mapped register.
//!
//! An access may straddle both, begin before a register, or span several. Each register that it touches takes part in it
//! once: a read is one read of it, however many of its bytes are wanted. Nothing is read or written before every byte
//! was found to be accessible, so that an access which faults leaves no trace.

use everypath_ir::{Endian, Location, Width};

use crate::access::{AccessFault, Denied};
use crate::outside::Outside;
use crate::state::State;
use crate::step::Fixed;

/// The most bytes that a register gives or takes at once; a wider access to one register is several.
const WIDEST: usize = 8;

/// Bytes of an access, at addresses that follow each other, for which one thing answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The place of the first byte.
    pub(crate) location: Location,
    /// How far it is from the first byte of the access.
    pub(crate) first: usize,
    /// How many bytes there are.
    pub(crate) size: usize,
    /// Whether it belongs to a memory-mapped register.
    pub(crate) outside: bool,
}

impl Piece {
    /// How many bytes of the accessed value are lower than those of the piece.
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

/// Divides an access, from the lowest address on.
///
/// # Errors
/// The first byte that nothing answers for, or that may not be read or written.
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

//! The concrete domain: values are bit vectors.

use crate::access::{AccessFault, Denied, Fetched};
use crate::domain::{Domain, MachineDomain};
use crate::end::Fault;
use crate::outside::Outside;
use crate::pieces::{Piece, pieces};
use crate::state::State;
use crate::step::{Access, Computation, Fixed, Slot, UserCall};
use everypath_ir::{Bits, Location, SpaceId, Width};

/// A concrete value: up to 64 bits inline, wider ones boxed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Concrete {
    /// At most 64 bits.
    Narrow(u64),
    /// More than 64 bits.
    Wide(Box<Bits>),
}

impl Concrete {
    /// The value as bits of a width.
    pub fn to_bits(&self, width: Width) -> Bits {
        match self {
            Self::Narrow(value) => Bits::from_u64(*value, width),
            Self::Wide(bits) => (**bits).clone(),
        }
    }

    /// The value of some bits.
    pub fn from_bits(bits: Bits) -> Self {
        if bits.width() <= Width::W64 { Self::Narrow(bits.to_word()) } else { Self::Wide(Box::new(bits)) }
    }

    /// The low 64 bits.
    #[inline]
    pub fn narrow(&self) -> u64 {
        match self {
            Self::Narrow(value) => *value,
            Self::Wide(bits) => bits.to_word(),
        }
    }
}

/// Concrete execution on a state.
pub struct ConcreteDomain<'s, O> {
    /// The state.
    pub state: &'s mut State,
    /// The environment.
    pub outside: O,
}

impl<O: Outside> ConcreteDomain<'_, O> {
    /// Reads from plain memory or registers.
    #[inline]
    pub(crate) fn read_inside(&mut self, location: Location, place: &Fixed) -> Result<Concrete, Denied> {
        if place.width <= Width::W64 {
            self.state.read(location.space, location.offset, place.width.bytes()).map(Concrete::Narrow)
        } else {
            self.state.get(location, place.width, place.endian).map(|bits| Concrete::Wide(Box::new(bits)))
        }
    }

    pub(crate) fn read(&mut self, location: Location, place: &Fixed) -> Result<Concrete, Fault> {
        match self.read_inside(location, place) {
            Ok(value) => Ok(value),
            Err(denied) if denied.fault == AccessFault::Outside => self.read_pieces(location, place),
            Err(denied) => Err(Fault::Access { space: location.space, denied }),
        }
    }

    /// Reads a value that is not entirely in plain memory.
    #[cold]
    fn read_pieces(&mut self, location: Location, place: &Fixed) -> Result<Concrete, Fault> {
        let size = place.width.bytes();
        // From the lowest byte of the value.
        let mut bytes = vec![0; size];
        for piece in self.pieces(location, size, false)? {
            let part = if piece.outside {
                self.outside.read(piece.location, piece.width())?
            } else {
                let part = self.state.get(piece.location, piece.width(), place.endian);
                part.map_err(|denied| Fault::Access { space: location.space, denied })?
            };
            bytes[piece.low_byte(place)..][..piece.size].copy_from_slice(&part.to_bytes_le()[..piece.size]);
        }
        Ok(Concrete::from_bits(Bits::from_bytes_le(&bytes, place.width)))
    }

    /// Splits an access at the boundaries of MMIO registers.
    pub(crate) fn pieces(
        &mut self,
        location: Location,
        size: usize,
        writes: bool,
    ) -> Result<Vec<Piece>, Fault> {
        let divided = pieces(self.state, &self.outside, location, size, writes);
        divided.map_err(|denied| Fault::Access { space: location.space, denied })
    }

    /// Writes to plain memory or registers.
    #[inline]
    pub(crate) fn write_inside(
        &mut self,
        location: Location,
        place: &Fixed,
        value: &Concrete,
    ) -> Result<(), Denied> {
        match value {
            Concrete::Narrow(value) => {
                self.state.write(location.space, location.offset, place.width.bytes(), *value)
            }
            Concrete::Wide(bits) => self.state.put(location, bits, place.endian),
        }
    }

    pub(crate) fn write(&mut self, location: Location, place: &Fixed, value: &Concrete) -> Result<(), Fault> {
        match self.write_inside(location, place, value) {
            Ok(()) => Ok(()),
            Err(denied) if denied.fault == AccessFault::Outside => {
                self.write_pieces(location, place, &value.to_bits(place.width))
            }
            Err(denied) => Err(Fault::Access { space: location.space, denied }),
        }
    }

    /// Writes a value that is not entirely in plain memory.
    #[cold]
    fn write_pieces(&mut self, location: Location, place: &Fixed, value: &Bits) -> Result<(), Fault> {
        for piece in self.pieces(location, place.width.bytes(), true)? {
            self.write_piece(&piece, place, value)?;
        }
        Ok(())
    }

    /// Writes a piece of a value.
    pub(crate) fn write_piece(&mut self, piece: &Piece, place: &Fixed, value: &Bits) -> Result<(), Fault> {
        let part = value.to_bytes_le()[piece.low_byte(place)..][..piece.size].to_vec();
        let part = Bits::from_bytes_le(&part, piece.width());
        if piece.outside {
            return self.outside.write(piece.location, &part);
        }
        let written = self.state.put(piece.location, &part, place.endian);
        written.map_err(|denied| Fault::Access { space: piece.location.space, denied })
    }
}

fn is_off(guard: Option<u32>, values: &[Concrete]) -> bool {
    guard.is_some_and(|guard| values[guard as usize].narrow() == 0)
}

impl Access {
    /// Checks the alignment of an address.
    ///
    /// # Errors
    /// If the access must be aligned and is not.
    #[inline]
    pub(crate) fn check_alignment(&self, address: u64) -> Result<(), Fault> {
        if address & self.misaligned == 0 {
            return Ok(());
        }
        let denied = Denied { address, fault: AccessFault::Misaligned };
        Err(Fault::Access { space: self.space, denied })
    }

    /// The same access at a concrete address.
    pub(crate) fn at(&self, address: u64) -> (Location, Fixed) {
        let location = Location { space: self.space, offset: address };
        (location, Fixed { location, slot: self.slot, width: self.width, endian: self.endian })
    }
}

impl<O: Outside> Domain for ConcreteDomain<'_, O> {
    type Value = Concrete;

    #[inline]
    fn compute(&mut self, computation: &Computation, values: &mut [Concrete]) {
        let Computation { op, result, arguments, result_width, argument_widths, narrow } = *computation;
        // Not by `map`, which is not inlined here: this is the interpreter's inner loop.
        let [a, b, c] = arguments;
        let (a, b, c) = (a as usize, b as usize, c as usize);
        if narrow {
            let (a, b, c) = (values[a].narrow(), values[b].narrow(), values[c].narrow());
            values[result as usize] =
                Concrete::Narrow(op.apply_word(result_width, argument_widths[0], a, b, c));
            return;
        }
        values[result as usize] =
            compute_wide(computation, |slot, width| values[slot as usize].to_bits(width));
    }

    #[inline]
    fn get(&mut self, place: &Fixed, values: &mut [Concrete]) -> Result<(), Fault> {
        values[place.slot as usize] = self.read(place.location, place)?;
        Ok(())
    }

    #[inline]
    fn put(&mut self, place: &Fixed, values: &mut [Concrete]) -> Result<(), Fault> {
        self.write(place.location, place, &values[place.slot as usize])
    }

    #[inline]
    fn load(&mut self, access: &Access, values: &mut [Concrete]) -> Result<(), Fault> {
        values[access.slot as usize] = if is_off(access.guard, values) {
            Concrete::from_bits(Bits::zero(access.width))
        } else {
            let address = values[access.address as usize].narrow();
            access.check_alignment(address)?;
            let (location, place) = access.at(address);
            self.read(location, &place)?
        };
        Ok(())
    }

    #[inline]
    fn store(&mut self, access: &Access, values: &mut [Concrete]) -> Result<(), Fault> {
        if is_off(access.guard, values) {
            return Ok(());
        }
        let address = values[access.address as usize].narrow();
        access.check_alignment(address)?;
        let (location, place) = access.at(address);
        self.write(location, &place, &values[access.slot as usize])
    }

    fn user(&mut self, call: &UserCall, values: &mut [Concrete]) -> Result<(), Fault> {
        let result = if is_off(call.guard, values) {
            None
        } else {
            let arguments: Vec<Bits> =
                call.arguments.iter().map(|(slot, width)| values[*slot as usize].to_bits(*width)).collect();
            self.outside.user(self.state, call.operation, &arguments)?
        };
        if let Some((slot, width)) = call.result {
            values[slot as usize] = Concrete::from_bits(match result {
                Some(result) if result.width() == width => result,
                Some(result) => Bits::from_bytes_le(&result.to_bytes_le(), width),
                // The result is zero if the model gives none or the guard is zero.
                None => Bits::zero(width),
            });
        }
        Ok(())
    }
}

impl<O: Outside> MachineDomain for ConcreteDomain<'_, O> {
    fn constant(&self, bits: &Bits) -> Concrete {
        Concrete::from_bits(bits.clone())
    }

    fn nothing(&self) -> Concrete {
        Concrete::Narrow(0)
    }

    #[inline]
    fn decide(&mut self, condition: &Concrete) -> bool {
        condition.narrow() != 0
    }

    #[inline]
    fn address(&mut self, value: &Concrete, _: Width) -> u64 {
        value.narrow()
    }

    fn fetch(&mut self, space: SpaceId, address: u64, buffer: &mut [u8]) -> Result<Fetched, Denied> {
        let unmapped = Denied { address, fault: AccessFault::Unmapped };
        self.state.memory(space).ok_or(unmapped)?.fetch(address, buffer)
    }

    fn is_plain(&self, location: Location, width: Width) -> bool {
        self.state.is_plain(location, width)
    }

    fn register(&mut self, location: Location, width: Width) -> u64 {
        // Register accesses never fail.
        self.state.read(location.space, location.offset, width.bytes().min(8)).unwrap_or(0)
    }
}

/// A computation with a value wider than 64 bits; `operand` gives the bits of a slot.
#[cold]
pub(crate) fn compute_wide(computation: &Computation, operand: impl Fn(Slot, Width) -> Bits) -> Concrete {
    let Computation { op, arguments, result_width, argument_widths, .. } = *computation;
    let slots = arguments.iter().zip(argument_widths).take(op.arity());
    let operands: Vec<Bits> = slots.map(|(slot, width)| operand(*slot, width)).collect();
    Concrete::from_bits(op.apply(result_width, &operands))
}

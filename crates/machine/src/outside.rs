//! The environment of the machine: MMIO peripherals, volatile cells, and user operations of the processor (CALLOTHER in
//! SLEIGH).

use crate::access::{AccessFault, Denied};
use crate::end::Fault;
use crate::state::State;
use everypath_ir::{Bits, Location, Width};

/// The environment of a concrete run.
pub trait Outside {
    /// Performs a user operation on the state and returns its result, if it has one, which is truncated or
    /// zero-extended to the result width.
    ///
    /// # Errors
    /// If it has no model, or stops the run.
    fn user(&mut self, state: &mut State, operation: u32, arguments: &[Bits]) -> Result<Option<Bits>, Fault>;

    /// The number of the MMIO register that contains a byte, if there is one. An access is split by these numbers: see
    /// [`Outside::read`].
    fn device_at(&self, location: Location) -> Option<u32>;

    /// One read of an MMIO register, of which the access covers these bytes: at most 64 bits, from an offset in it. The
    /// result is their value in the byte order of the space.
    ///
    /// # Errors
    /// If no device answers.
    fn read(&mut self, location: Location, width: Width) -> Result<Bits, Fault>;

    /// The bits of a value written to an MMIO register on which later behaviour depends, and which a path must fix.
    fn kept_bits(&self, _: Location, _: u64) -> u64 {
        0
    }

    /// One write to an MMIO register, from an offset in it: at most 64 bits.
    ///
    /// # Errors
    /// If no device accepts it.
    fn write(&mut self, location: Location, value: &Bits) -> Result<(), Fault>;
}

impl<O: Outside + ?Sized> Outside for &mut O {
    fn user(&mut self, state: &mut State, operation: u32, arguments: &[Bits]) -> Result<Option<Bits>, Fault> {
        (**self).user(state, operation, arguments)
    }

    fn device_at(&self, location: Location) -> Option<u32> {
        (**self).device_at(location)
    }

    fn read(&mut self, location: Location, width: Width) -> Result<Bits, Fault> {
        (**self).read(location, width)
    }

    fn kept_bits(&self, location: Location, size: u64) -> u64 {
        (**self).kept_bits(location, size)
    }

    fn write(&mut self, location: Location, value: &Bits) -> Result<(), Fault> {
        (**self).write(location, value)
    }
}

/// The empty environment: no user operation has a model, and no device answers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Isolated;

fn silence(location: Location) -> Fault {
    let denied = Denied { address: location.offset, fault: AccessFault::Outside };
    Fault::Access { space: location.space, denied }
}

impl Outside for Isolated {
    fn user(&mut self, _: &mut State, operation: u32, _: &[Bits]) -> Result<Option<Bits>, Fault> {
        Err(Fault::Unmodelled { operation })
    }

    fn device_at(&self, _: Location) -> Option<u32> {
        None
    }

    fn read(&mut self, location: Location, _: Width) -> Result<Bits, Fault> {
        Err(silence(location))
    }

    fn write(&mut self, location: Location, _: &Bits) -> Result<(), Fault> {
        Err(silence(location))
    }
}

//! What lies outside the machine: peripherals, volatile cells, and operations of the processor that have no meaning here.

use crate::access::{AccessFault, Denied};
use crate::end::Fault;
use crate::state::State;
use everypath_ir::{Bits, Location, Width};

/// The outside world of a concrete run.
pub trait Outside {
    /// Does a user operation on the state, and gives its result, if it has one; the result is cut or filled up with zeros
    /// to the width that is wanted.
    ///
    /// # Errors
    /// If it has no model, or ends the run.
    fn user(&mut self, state: &mut State, operation: u32, arguments: &[Bits]) -> Result<Option<Bits>, Fault>;

    /// The number of the memory-mapped register that has a byte, if there is one. An access is divided by these numbers:
    /// see [`Outside::read`].
    fn device_at(&self, location: Location) -> Option<u32>;

    /// One read of a memory-mapped register, of which the access wants these bytes: at most 64 bits, from a place in it
    /// on. The result is the number that they are, in the byte order of the space.
    ///
    /// # Errors
    /// If there is nothing.
    fn read(&mut self, location: Location, width: Width) -> Result<Bits, Fault>;

    /// Takes what is written to a memory-mapped register, from a place in it on: at most 64 bits.
    ///
    /// # Errors
    /// If nothing takes it.
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

    fn write(&mut self, location: Location, value: &Bits) -> Result<(), Fault> {
        (**self).write(location, value)
    }
}

/// Nothing lies outside: no user operation has a model, and nothing answers.
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

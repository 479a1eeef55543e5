//! The value domain: the parameter of the block interpreter.

use crate::access::{Denied, Fetched};
use crate::end::Fault;
use crate::step::{Access, Computation, Fixed, UserCall};
use everypath_ir::{Bits, Location, SpaceId, Width};

/// A value domain: a kind of value, the state that holds such values, and the operations on them.
///
/// [`run_steps`](crate::run_steps) determines the order of operations; a domain defines each of them. Slots are indices
/// into `values`, which holds the constants and temporaries of the current block. Static analyses need no more: they
/// read the guards and targets of the exits from the slots afterwards.
pub trait Domain {
    /// A value.
    type Value: Clone;

    /// Applies an operator and stores the result in its slot.
    fn compute(&mut self, computation: &Computation, values: &mut [Self::Value]);

    /// Reads a fixed location.
    fn get(&mut self, place: &Fixed, values: &mut [Self::Value]) -> Result<(), Fault>;

    /// Writes a fixed location.
    fn put(&mut self, place: &Fixed, values: &mut [Self::Value]) -> Result<(), Fault>;

    /// Reads memory. The domain evaluates the guard, if there is one.
    fn load(&mut self, access: &Access, values: &mut [Self::Value]) -> Result<(), Fault>;

    /// Writes memory. The domain evaluates the guard, if there is one.
    fn store(&mut self, access: &Access, values: &mut [Self::Value]) -> Result<(), Fault>;

    /// Performs a user operation. The domain evaluates the guard, if there is one.
    fn user(&mut self, call: &UserCall, values: &mut [Self::Value]) -> Result<(), Fault>;
}

/// A domain in which a machine runs a program: in addition it decides branches, computes targets and fetches code.
pub trait MachineDomain: Domain {
    /// The value of a constant.
    fn constant(&self, bits: &Bits) -> Self::Value;

    /// The value of an undefined temporary; never read.
    fn nothing(&self) -> Self::Value;

    /// Concretises a branch condition: true if the one-bit value is one.
    fn decide(&mut self, condition: &Self::Value) -> bool;

    /// Concretises the target address of an indirect jump.
    fn address(&mut self, value: &Self::Value, width: Width) -> u64;

    /// Fetches contiguous executable bytes; reports their number, and whether one of them is writable and the code may
    /// therefore change.
    fn fetch(&mut self, space: SpaceId, address: u64, buffer: &mut [u8]) -> Result<Fetched, Denied>;

    /// Called before writable code runs: these bytes determine the instruction. If they do not decode, these are all
    /// bytes that the decoder may have read.
    fn executes(&mut self, space: SpaceId, address: u64, size: usize) {
        let _ = (space, address, size);
    }

    /// Returns true if only the program accesses these bytes: they are mapped, readable, writable and not MMIO. Blocks
    /// then promote them to registers.
    fn is_plain(&self, location: Location, width: Width) -> bool {
        let _ = (location, width);
        false
    }

    /// The value of a register of at most 64 bits.
    fn register(&mut self, location: Location, width: Width) -> u64;
}

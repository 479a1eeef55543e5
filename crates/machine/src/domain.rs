//! What a value is: the one parameter of running a block.

use crate::access::{Denied, Fetched};
use crate::end::Fault;
use crate::step::{Access, Computation, Fixed, UserCall};
use everypath_ir::{Bits, Location, SpaceId, Width};

/// A kind of value, with the state that holds such values and what can be done with them.
///
/// [`run_block`](crate::run_block) decides what happens in which order; a domain only says what each thing does. Slots
/// are indices into `values`, which hold the constants and the temporaries of the block at hand.
pub trait Domain {
    /// A value.
    type Value: Clone;

    /// The value of a constant.
    fn constant(&self, bits: &Bits) -> Self::Value;

    /// The value of a temporary before it is defined; never looked at.
    fn nothing(&self) -> Self::Value;

    /// Computes, and puts the result into its slot.
    fn compute(&mut self, computation: &Computation, values: &mut [Self::Value]);

    /// Reads a fixed place.
    fn get(&mut self, place: &Fixed, values: &mut [Self::Value]) -> Result<(), Fault>;

    /// Writes a fixed place.
    fn put(&mut self, place: &Fixed, values: &mut [Self::Value]) -> Result<(), Fault>;

    /// Reads memory. The guard, if there is one, is for the domain to look at.
    fn load(&mut self, access: &Access, values: &mut [Self::Value]) -> Result<(), Fault>;

    /// Writes memory. The guard, if there is one, is for the domain to look at.
    fn store(&mut self, access: &Access, values: &mut [Self::Value]) -> Result<(), Fault>;

    /// Does a user operation; its guard has been looked at already.
    fn user(&mut self, call: &UserCall, values: &mut [Self::Value]) -> Result<(), Fault>;

    /// Whether a one-bit value is one: which way execution goes.
    fn decide(&mut self, condition: &Self::Value) -> bool;

    /// The address that a value stands for: where execution goes.
    fn address(&mut self, value: &Self::Value, width: Width) -> u64;

    /// Copies instruction bytes, as many as lie there without a gap and may be executed; says how many, and whether one of
    /// them may be written, so that what they are may change.
    fn fetch(&mut self, space: SpaceId, address: u64, buffer: &mut [u8]) -> Result<Fetched, Denied>;

    /// Told before code runs that may be written: these of its bytes decide what it does. If they are no instruction, these
    /// are all that were looked at.
    fn executes(&mut self, space: SpaceId, address: u64, size: usize) {
        let _ = (space, address, size);
    }

    /// Whether nothing but the program reaches these bytes of memory: they are there, may be read and written, and do not
    /// lie outside. Blocks then treat them as registers.
    fn is_plain(&self, location: Location, width: Width) -> bool {
        let _ = (location, width);
        false
    }

    /// The bits of a register of at most 64 bits.
    fn register(&mut self, location: Location, width: Width) -> u64;
}

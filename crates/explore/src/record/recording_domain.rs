//! A concrete domain that records the stores of a run, and can fill uninitialised memory with a pattern when it is read: a value
//! that differs between two patterns depends on that memory.

use everypath_environment::World;
use everypath_ir::{Bits, Endian, Location, SpaceId, Width};
use everypath_machine::{
    Access, Computation, Concrete, ConcreteDomain, Denied, Domain, Fault, Fetched, Fixed, MachineDomain,
    State, UserCall,
};

/// A store of a run.
pub(crate) struct MemoryStore {
    pub(crate) location: Location,
    /// The bytes, from the lowest address on.
    pub(crate) bytes: Vec<u8>,
}

/// A concrete domain that records stores to memory.
pub(crate) struct RecordingDomain<'s> {
    inner: ConcreteDomain<'s, &'s mut World>,
    /// The pattern for uninitialised bytes.
    fill: Option<u8>,
    /// The stores, in order.
    pub(crate) stores: Vec<MemoryStore>,
    /// The first and the last byte of each access to memory.
    pub(crate) accessed: Vec<Location>,
}

impl<'s> RecordingDomain<'s> {
    pub(crate) fn new(state: &'s mut State, world: &'s mut World, fill: Option<u8>) -> RecordingDomain<'s> {
        RecordingDomain {
            inner: ConcreteDomain { state, outside: world },
            fill,
            stores: Vec::new(),
            accessed: Vec::new(),
        }
    }

    /// Notes a read, and gives uninitialised bytes that are about to be read their pattern.
    fn before_read(&mut self, location: Location, width: Width) {
        self.access(location, width.bytes());
        let Some(fill) = self.fill else { return };
        for offset in (location.offset..).take(width.bytes()) {
            let byte = Location { offset, ..location };
            if self.inner.state.is_blank(byte)
                && let Some(memory) = self.inner.state.memory(location.space)
            {
                memory.poke(offset, fill);
            }
        }
    }

    fn access(&mut self, location: Location, size: usize) {
        if self.inner.state.memory(location.space).is_some() {
            let last = location.offset.wrapping_add(size.max(1) as u64 - 1);
            self.accessed.extend([location, Location { offset: last, ..location }]);
        }
    }

    fn note(&mut self, location: Location, endian: Endian, value: &Bits) {
        if self.inner.state.memory(location.space).is_some() {
            let mut bytes = value.to_bytes_le();
            if endian == Endian::Big {
                bytes.reverse();
            }
            self.access(location, bytes.len());
            self.stores.push(MemoryStore { location, bytes });
        }
    }

    /// The location of an access, unless its guard is zero.
    fn location(access: &Access, values: &[Concrete]) -> Option<Location> {
        let is_off = access.guard.is_some_and(|guard| values[guard as usize].narrow() == 0);
        let offset = values[access.address as usize].narrow();
        (!is_off).then_some(Location { space: access.space, offset })
    }
}

impl Domain for RecordingDomain<'_> {
    type Value = Concrete;

    fn compute(&mut self, computation: &Computation, values: &mut [Concrete]) {
        self.inner.compute(computation, values);
    }

    fn get(&mut self, place: &Fixed, values: &mut [Concrete]) -> Result<(), Fault> {
        self.before_read(place.location, place.width);
        self.inner.get(place, values)
    }

    fn put(&mut self, place: &Fixed, values: &mut [Concrete]) -> Result<(), Fault> {
        self.inner.put(place, values)?;
        self.note(place.location, place.endian, &values[place.slot as usize].to_bits(place.width));
        Ok(())
    }

    fn load(&mut self, access: &Access, values: &mut [Concrete]) -> Result<(), Fault> {
        if let Some(location) = Self::location(access, values) {
            self.before_read(location, access.width);
        }
        self.inner.load(access, values)
    }

    fn store(&mut self, access: &Access, values: &mut [Concrete]) -> Result<(), Fault> {
        self.inner.store(access, values)?;
        if let Some(location) = Self::location(access, values) {
            self.note(location, access.endian, &values[access.slot as usize].to_bits(access.width));
        }
        Ok(())
    }

    fn user(&mut self, call: &UserCall, values: &mut [Concrete]) -> Result<(), Fault> {
        self.inner.user(call, values)
    }
}

impl MachineDomain for RecordingDomain<'_> {
    fn constant(&self, bits: &Bits) -> Concrete {
        self.inner.constant(bits)
    }

    fn nothing(&self) -> Concrete {
        self.inner.nothing()
    }

    fn decide(&mut self, condition: &Concrete) -> bool {
        self.inner.decide(condition)
    }

    fn address(&mut self, value: &Concrete, width: Width) -> u64 {
        self.inner.address(value, width)
    }

    fn fetch(&mut self, space: SpaceId, address: u64, buffer: &mut [u8]) -> Result<Fetched, Denied> {
        self.inner.fetch(space, address, buffer)
    }

    fn is_plain(&self, location: Location, width: Width) -> bool {
        self.inner.is_plain(location, width)
    }

    fn register(&mut self, location: Location, width: Width) -> u64 {
        self.inner.register(location, width)
    }
}

//! The concrete domain with a log of memory accesses.

use super::layout::Layout;
use everypath_environment::World;
use everypath_ir::{Bits, Location, SpaceId, Width};
use everypath_machine::{
    Access, Computation, Concrete, ConcreteDomain, Denied, Domain, Fault, Fetched, Fixed, MachineDomain,
    UserCall,
};

/// Concrete execution that records memory accesses.
pub(super) struct Watched<'s> {
    pub(super) inner: ConcreteDomain<'s, World>,
    /// The layout, whose spaces are watched.
    pub(super) layout: &'s Layout,
    /// Flat addresses and sizes.
    pub(super) accesses: Vec<(u64, usize)>,
}

impl Watched<'_> {
    fn note(&mut self, access: &Access, values: &[Concrete]) {
        let is_off = access
            .guard
            .is_some_and(|guard| values[guard as usize].to_bits(Width::W64) == Bits::zero(Width::W64));
        if !is_off {
            let address = values[access.address as usize].to_bits(Width::W64).to_word();
            let flat = self.layout.flat(access.space, address);
            self.accesses.extend(flat.map(|flat| (flat, access.width.bytes())));
        }
    }

    fn note_fixed(&mut self, place: &Fixed) {
        let flat = self.layout.flat(place.location.space, place.location.offset);
        self.accesses.extend(flat.map(|flat| (flat, place.width.bytes())));
    }
}

impl Domain for Watched<'_> {
    type Value = Concrete;

    fn compute(&mut self, computation: &Computation, values: &mut [Concrete]) {
        self.inner.compute(computation, values);
    }

    fn get(&mut self, place: &Fixed, values: &mut [Concrete]) -> Result<(), Fault> {
        self.note_fixed(place);
        self.inner.get(place, values)
    }

    fn put(&mut self, place: &Fixed, values: &mut [Concrete]) -> Result<(), Fault> {
        self.note_fixed(place);
        self.inner.put(place, values)
    }

    fn load(&mut self, access: &Access, values: &mut [Concrete]) -> Result<(), Fault> {
        self.note(access, values);
        self.inner.load(access, values)
    }

    fn store(&mut self, access: &Access, values: &mut [Concrete]) -> Result<(), Fault> {
        self.note(access, values);
        self.inner.store(access, values)
    }

    fn user(&mut self, call: &UserCall, values: &mut [Concrete]) -> Result<(), Fault> {
        self.inner.user(call, values)
    }
}

impl MachineDomain for Watched<'_> {
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

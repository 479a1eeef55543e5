//! Accesses that straddle plain memory and MMIO registers: each register is accessed once.

use everypath_ir::{Bits, Endian, Listing, Location, SpaceId, Width};
use everypath_machine::{
    AccessFault, Concolic, ConcolicDomain, Concrete, ConcreteDomain, Domain, Event, Fault, Fixed, Isolated,
    Outside, PathRanges, Permissions, Region, Sensed, State,
};
use everypath_term::{Evaluation, Input, Model, Term, Terms};

const RAM: SpaceId = SpaceId(0);
const SMALL: u64 = 0x10;
const LARGE: (u64, u64) = (0x11, 0x12);

/// Two registers: one byte and, adjacent, two bytes. They read as 0xa0 and 0xb1b2.
#[derive(Default)]
struct Registers {
    read: Vec<(u64, usize)>,
    got: Vec<(u64, u64)>,
}

fn number_at(address: u64) -> Option<u32> {
    match address {
        SMALL => Some(0),
        address if (LARGE.0..=LARGE.1).contains(&address) => Some(1),
        _ => None,
    }
}

impl Outside for Registers {
    fn user(&mut self, state: &mut State, operation: u32, arguments: &[Bits]) -> Result<Option<Bits>, Fault> {
        Isolated.user(state, operation, arguments)
    }

    fn device_at(&self, location: Location) -> Option<u32> {
        number_at(location.offset)
    }

    fn read(&mut self, location: Location, width: Width) -> Result<Bits, Fault> {
        self.read.push((location.offset, width.bytes()));
        Ok(Bits::from_u64(if location.offset == SMALL { 0xa0 } else { 0xb1b2 }, width))
    }

    fn write(&mut self, location: Location, value: &Bits) -> Result<(), Fault> {
        self.got.extend(value.to_u64().map(|value| (location.offset, value)));
        Ok(())
    }
}

impl Sensed for Registers {
    fn sense(
        &mut self,
        terms: &mut Terms,
        location: Location,
        width: Width,
    ) -> Result<(Bits, Option<Term>), Fault> {
        let bits = self.read(location, width)?;
        let mut joined = None;
        for byte in 0..width.bytes() {
            let term = terms.input(Input((location.offset - SMALL) as u32 * 8 + byte as u32));
            joined = Some(joined.map_or(term, |low| terms.concat(term, low)));
        }
        Ok((bits, joined))
    }

    fn unwritten(&mut self, terms: &mut Terms, _: Location, _: bool) -> (Term, u8) {
        (terms.input(Input(999)), 0)
    }

    fn assumed_result(&mut self, _: &mut Terms, _: u32, _: usize) -> Vec<(Term, bool)> {
        Vec::new()
    }

    fn changed(&mut self, terms: &mut Terms, _: Location, _: (Location, usize)) -> Option<(Term, bool)> {
        Some((terms.input(Input(998)), true))
    }
}

/// Memory up to 0xff that holds its own addresses, with the registers in it.
fn state(endian: &str) -> (State, Endian) {
    let listing = format!("space ram memory {endian} 16\nspace register register little 16\n");
    let layout = listing.parse::<Listing>().expect("a listing").layout;
    let mut state = State::new(&layout);
    let memory = state.memory(RAM).expect("memory");
    memory.map(Region::memory(0, 0xff, Permissions::DATA));
    memory.map(Region::outside(SMALL, SMALL));
    memory.map(Region::outside(LARGE.0, LARGE.1));
    (0..0x100).for_each(|address| memory.poke(address, address as u8));
    (state, layout.spaces[0].endian)
}

fn place(offset: u64, width: Width, endian: Endian) -> Fixed {
    Fixed { location: Location { space: RAM, offset }, slot: 0, width, endian }
}

/// Expected values by byte order, and the register reads.
#[allow(clippy::type_complexity, reason = "a table of cases")]
const READS: &[(u64, Width, u64, u64, &[(u64, usize)])] = &[
    (0x0f, Width::W32, 0xb1b2_a00f, 0x0fa0_b1b2, &[(0x10, 1), (0x11, 2)]),
    (0x0e, Width::W32, 0xb2a0_0f0e, 0x0e0f_a0b2, &[(0x10, 1), (0x11, 1)]),
    (0x10, Width::W8, 0xa0, 0xa0, &[(0x10, 1)]),
    (0x11, Width::W16, 0xb1b2, 0xb1b2, &[(0x11, 2)]),
    (0x12, Width::W16, 0x13b2, 0xb213, &[(0x12, 1)]),
    (0x0c, Width::W64, 0x13b1_b2a0_0f0e_0d0c, 0x0c0d_0e0f_a0b1_b213, &[(0x10, 1), (0x11, 2)]),
    (0x14, Width::W32, 0x1716_1514, 0x1415_1617, &[]),
];

#[test]
fn a_read_joins_what_each_byte_belongs_to() {
    for (address, width, little, big, reads) in READS {
        for (name, expected) in [("little", little), ("big", big)] {
            let what = format!("{width:?} at {address:#x}, {name}");
            let (mut state, endian) = state(name);
            let mut domain = ConcreteDomain { state: &mut state, outside: Registers::default() };
            let mut values = [Concrete::Narrow(0)];
            domain.get(&place(*address, *width, endian), &mut values).expect("a read");
            assert_eq!(values[0].narrow(), *expected, "{what}");
            assert_eq!(domain.outside.read, *reads, "{what}");
        }
    }
}

#[test]
fn a_read_on_input_is_the_same_and_its_term_says_so() {
    for (address, width, little, big, reads) in READS {
        for (name, expected) in [("little", little), ("big", big)] {
            let what = format!("{width:?} at {address:#x}, {name}");
            let (mut state, endian) = state(name);
            let (mut terms, mut events, ranges) = (Terms::new(), Vec::<Event>::new(), PathRanges::default());
            let outside = Registers::default();
            let mut domain = ConcolicDomain {
                state: &mut state,
                outside,
                terms: &mut terms,
                events: &mut events,
                ranges: &ranges,
            };
            let mut values = [Concolic { bits: Concrete::Narrow(0), term: None }];
            domain.get(&place(*address, *width, endian), &mut values).expect("a read");
            assert_eq!(values[0].bits.narrow(), *expected, "{what}");
            assert_eq!(domain.outside.read, *reads, "{what}");
            assert_eq!(values[0].term.is_some(), !reads.is_empty(), "{what}");
            let Some(term) = values[0].term else { continue };
            // The low bytes of each register, as in the concrete run.
            let mut model = Model::new();
            for (offset, size) in *reads {
                let value: u64 = if *offset == SMALL { 0xa0 } else { 0xb1b2 };
                for byte in 0..*size {
                    model.set(Input((offset - SMALL) as u32 * 8 + byte as u32), (value >> (8 * byte)) as u8);
                }
            }
            assert_eq!(Evaluation::new(model).word(&terms, term), Some(*expected), "{what}");
        }
    }
}

#[test]
fn a_write_goes_to_what_each_byte_belongs_to() {
    for (name, got, around) in [
        ("little", [(0x10, 0x33), (0x11, 0x1122)], (0x44, 0x13)),
        ("big", [(0x10, 0x22), (0x11, 0x3344)], (0x11, 0x13)),
    ] {
        let (mut state, endian) = state(name);
        let mut domain = ConcreteDomain { state: &mut state, outside: Registers::default() };
        let mut values = [Concrete::Narrow(0x1122_3344)];
        domain.put(&place(0x0f, Width::W32, endian), &mut values).expect("a write");
        assert_eq!(domain.outside.got, got, "{name}");
        let memory = state.memory(RAM).expect("memory");
        assert_eq!((memory.peek(0x0f), memory.peek(0x13)), around, "{name}");
        // A write to a register does not change memory.
        assert_eq!(memory.peek(0x10), 0x10, "{name}");
    }
}

#[test]
fn an_access_that_faults_reads_and_writes_nothing() {
    let (mut state, endian) = state("little");
    let memory = state.memory(RAM).expect("memory");
    memory.unmap(0x13, 0x13);
    let mut domain = ConcreteDomain { state: &mut state, outside: Registers::default() };
    let mut values = [Concrete::Narrow(0)];
    for result in [
        domain.get(&place(0x10, Width::W32, endian), &mut values),
        domain.put(&place(0x10, Width::W32, endian), &mut values),
        domain.put(&place(0x0f, Width::of_bytes(5).expect("a width"), endian), &mut values),
    ] {
        let Err(Fault::Access { denied, .. }) = result else { panic!("{result:?}") };
        assert_eq!((denied.address, denied.fault), (0x13, AccessFault::Unmapped));
    }
    assert_eq!((domain.outside.read, domain.outside.got), (Vec::new(), Vec::new()));
    assert_eq!(state.memory(RAM).map(|memory| memory.peek(0x0f)), Some(0x0f));
}

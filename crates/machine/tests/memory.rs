//! Memory against a reference model: forks, permissions, wrapping, and initialised bytes.

use everypath_ir::Endian;
use everypath_machine::{AccessFault, Denied, Memory, PAGE_SIZE, Permissions, Region};
use std::collections::HashMap;

/// A linear congruential generator: the tests need many numbers, not good ones.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

fn all(last: u64) -> Region {
    Region::memory(0, last, Permissions::ALL)
}

/// The bytes of a number in memory.
fn bytes(value: u64, size: usize, endian: Endian) -> Vec<u8> {
    match endian {
        Endian::Little => value.to_le_bytes()[..size].to_vec(),
        Endian::Big => value.to_be_bytes()[8 - size..].to_vec(),
    }
}

#[test]
fn forks_do_not_see_each_other() {
    for endian in Endian::ALL {
        let last = 0xf_ffff;
        let mut numbers = Numbers(7);
        let mut first = Memory::new(endian, last);
        first.map(all(last));
        let mut forks: Vec<(Memory, HashMap<u64, u8>)> = vec![(first, HashMap::new())];
        for round in 0..60_000 {
            let chosen = numbers.below(forks.len() as u64) as usize;
            if round % 400 == 0 && forks.len() < 40 {
                let (memory, model) = &mut forks[chosen];
                let fork = (memory.fork(), model.clone());
                forks.push(fork);
                continue;
            }
            if round % 1000 == 500 && forks.len() > 5 {
                forks.swap_remove(chosen);
                continue;
            }
            let (memory, model) = &mut forks[chosen];
            // Some addresses repeat, some are at the ends of pages.
            let address = match numbers.below(3) {
                0 => numbers.below(last),
                1 => numbers.below(200) * PAGE_SIZE as u64 + PAGE_SIZE as u64 - 1 - numbers.below(8),
                _ => numbers.below(64),
            };
            let size = 1 + numbers.below(8) as usize;
            let at = |distance: usize| (address + distance as u64) % (last + 1);
            if numbers.below(2) == 0 {
                let value = numbers.next();
                memory.write(address, size, value).expect("everything may be written");
                for (distance, byte) in bytes(value, size, endian).into_iter().enumerate() {
                    model.insert(at(distance), byte);
                }
            } else {
                let value = memory.read(address, size).expect("everything may be read");
                let expected: Vec<u8> =
                    (0..size).map(|distance| model.get(&at(distance)).copied().unwrap_or(0)).collect();
                assert_eq!(
                    bytes(value, size, endian),
                    expected,
                    "round {round}, {size} bytes at {address:#x}"
                );
            }
        }
    }
}

#[test]
fn what_may_not_be_accessed_says_where_and_why() {
    let mut memory = Memory::new(Endian::Little, u64::from(u32::MAX));
    memory.map(Region::memory(0x1000, 0x1fff, Permissions::CODE));
    memory.map(Region::memory(0x2000, 0x200f, Permissions::DATA));
    assert_eq!(memory.read(0x1ffe, 4), Ok(0));
    assert_eq!(memory.read(0x200e, 4), Err(Denied { address: 0x2010, fault: AccessFault::Unmapped }));
    assert_eq!(memory.write(0x1ffe, 4, 1), Err(Denied { address: 0x1ffe, fault: AccessFault::NotWritable }));
    assert_eq!(memory.write(0x200e, 4, 1), Err(Denied { address: 0x2010, fault: AccessFault::Unmapped }));
    // A partly denied write writes nothing.
    assert_eq!(memory.read(0x200e, 2), Ok(0));
    assert_eq!(memory.write(0x200e, 2, 0xabcd), Ok(()));
    assert_eq!(memory.read(0x200e, 2), Ok(0xabcd));
    assert_eq!(
        memory.fetch(0x2000, &mut [0]),
        Err(Denied { address: 0x2000, fault: AccessFault::NotExecutable })
    );
    let fetched = memory.fetch(0x1ffe, &mut [0; 8]).expect("code");
    assert_eq!((fetched.count, fetched.writable), (2, false));
    memory.unmap(0x2004, 0x2007);
    assert_eq!(memory.read(0x2000, 4), Ok(0));
    assert_eq!(memory.read(0x2003, 2), Err(Denied { address: 0x2004, fault: AccessFault::Unmapped }));
    assert_eq!(memory.read(0x2008, 8), Ok(0xabcd << 48));
}

#[test]
fn a_small_space_wraps() {
    let mut memory = Memory::new(Endian::Little, 0xff);
    memory.map(all(u64::MAX));
    memory.write(0xff, 2, 0x1234).expect("it wraps");
    assert_eq!((memory.peek(0xff), memory.peek(0)), (0x34, 0x12));
    assert_eq!(memory.read(0xff, 2), Ok(0x1234));
}

#[test]
fn the_highest_address_is_an_address() {
    let mut memory = Memory::new(Endian::Big, u64::MAX);
    memory.map(all(u64::MAX));
    memory.write(u64::MAX - 3, 8, 0x0102_0304_0506_0708).expect("it wraps");
    assert_eq!(memory.read(0, 4), Ok(0x0506_0708));
    assert_eq!(memory.read(u64::MAX, 1), Ok(4));
}

#[test]
fn bytes_that_were_never_written_are_known_where_asked_for() {
    let mut memory = Memory::new(Endian::Little, 0xffff);
    memory.note_written();
    memory.map(all(0xffff));
    memory.write(0x10, 2, 0).expect("it may be written");
    let mut fork = memory.fork();
    fork.write(0x20, 1, 0).expect("it may be written");
    let written = |memory: &Memory| [0x0f, 0x10, 0x11, 0x12, 0x20].map(|address| memory.is_written(address));
    assert_eq!(written(&memory), [false, true, true, false, false]);
    assert_eq!(written(&fork), [false, true, true, false, true]);
    // A query touches no page; a segment without bytes in the file counts as initialised.
    memory.map(Region::memory(0x3000, 0x300f, Permissions::DATA).with_contents());
    let asked = [0x2fff, 0x3000, 0x300f, 0x3010].map(|address| memory.is_written(address));
    assert_eq!((asked, memory.touched_pages()), ([false, true, true, false], vec![0]));
    // A read does not initialise.
    assert_eq!((memory.read(0x5000, 1), memory.is_written(0x5000)), (Ok(0), false));
}

#[test]
fn only_so_many_pages_are_touched() {
    let page = |number: u64| number * PAGE_SIZE as u64;
    let exhausted = |number| Err(Denied { address: page(number), fault: AccessFault::Exhausted });
    let mut memory = Memory::new(Endian::Little, u64::MAX);
    memory.map(all(u64::MAX));
    memory.map(Region::outside(page(90), page(91) - 1));
    // Loaded pages do not count.
    (0..5).for_each(|number| memory.poke(page(number), 1));
    memory.limit_pages(2);
    assert_eq!(memory.write(page(10), 8, 1), Ok(()));
    let mut fork = memory.fork();
    for memory in [&mut memory, &mut fork] {
        assert_eq!(memory.read(page(20), 8), Ok(0));
        assert_eq!(memory.write(page(20), 8, 7), Ok(()));
        // The second page of the access exceeds the limit, so the access has no effect.
        assert_eq!(memory.write(page(21) - 1, 2, 0x3333), exhausted(21).map(|_: u64| ()));
        assert_eq!(memory.read(page(30), 8), exhausted(30));
        assert_eq!(memory.fetch(page(30), &mut [0]).map(|_| 0), exhausted(30));
        assert_eq!((memory.peek(page(21) - 1), memory.peek(page(30))), (0, 0));
        assert_eq!([0, 10, 20].map(|number| memory.read(page(number), 8)), [Ok(1), Ok(1), Ok(7)]);
        let outside = Err(Denied { address: page(90), fault: AccessFault::Outside });
        assert_eq!(memory.read(page(90), 1), outside);
    }
}

#[test]
fn pages_that_are_only_read_take_no_room() {
    let mut memory = Memory::new(Endian::Little, u64::MAX);
    memory.map(all(u64::MAX));
    for number in 0..1000 {
        assert_eq!(memory.read(number << 20, 8), Ok(0));
    }
    assert_eq!(memory.own_pages(), 0);
}

#[test]
fn regions_take_the_place_of_those_they_overlap() {
    let mut numbers = Numbers(11);
    let mut memory = Memory::new(Endian::Little, u64::MAX);
    // The permissions of each of these addresses, the last ones of the space.
    let base = u64::MAX - 255;
    let mut model: Vec<Option<bool>> = vec![None; 256];
    for round in 0..2000 {
        let (a, b) = (numbers.below(256), numbers.below(256));
        let (start, last) = (a.min(b), a.max(b));
        let writable = match numbers.below(3) {
            0 => {
                memory.unmap(base + start, base + last);
                None
            }
            kind => {
                let permissions = if kind == 1 { Permissions::DATA } else { Permissions::CODE };
                memory.map(Region::memory(base + start, base + last, permissions));
                Some(kind == 1)
            }
        };
        model[start as usize..=last as usize].fill(writable);
        for (distance, expected) in model.iter().enumerate() {
            let found = memory.regions().at(base + distance as u64).map(|region| region.permissions.write);
            assert_eq!(found, *expected, "round {round}, {distance}");
        }
        let sizes = memory.regions().iter().map(|region| region.last - region.start + 1);
        assert_eq!(sizes.sum::<u64>() as usize, model.iter().flatten().count());
    }
}

#[test]
fn touched_pages_are_listed_across_forks() {
    let mut memory = Memory::new(Endian::Little, 0xfff_ffff);
    memory.map(all(0xfff_ffff));
    let pages: Vec<u64> = (0..200).map(|page| page * 3 * PAGE_SIZE as u64).collect();
    for (number, page) in pages.iter().enumerate() {
        memory.write(page + 7, 1, 1).expect("it may be written");
        if number % 70 == 69 {
            drop(memory.fork());
        }
    }
    assert_eq!(memory.touched_pages(), pages);
    assert_eq!(memory.fork().touched_pages(), pages);
}

#[test]
fn a_fork_holds_only_what_it_has_written() {
    let mut memory = Memory::new(Endian::Little, u64::from(u32::MAX));
    memory.map(all(u64::from(u32::MAX)));
    for page in 0..1000 {
        memory.write(page * PAGE_SIZE as u64, 8, page + 1).expect("it may be written");
    }
    let mut forks: Vec<Memory> = (0..100).map(|_| memory.fork()).collect();
    for (number, fork) in forks.iter_mut().enumerate() {
        assert_eq!(fork.own_pages(), 0);
        for page in 0..10 {
            let address = (number as u64 * 10 + page) * PAGE_SIZE as u64;
            assert_eq!(fork.read(address, 8), Ok(number as u64 * 10 + page + 1));
            fork.write(address, 8, 0).expect("it may be written");
        }
        assert_eq!(fork.own_pages(), 10);
    }
}

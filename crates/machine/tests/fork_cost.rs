//! The cost of a fork: independent of the pages touched before, and little more memory than the pages that it writes.
#![cfg(target_os = "linux")]

use everypath_ir::{Endian, Layout, Space, SpaceId, SpaceKind, Width};
use everypath_machine::{PAGE_SIZE, Permissions, Region, State};
use std::time::Instant;

const RAM: SpaceId = SpaceId(0);
const REGISTERS: SpaceId = SpaceId(1);
const PAGES: u64 = (64 << 20) / PAGE_SIZE as u64;

/// A state with 64 MiB touched and three hundred registers.
fn touched() -> State {
    let space = |name: &str, kind, address| Space {
        name: name.into(),
        kind,
        endian: Endian::Little,
        address,
        unit: 1,
    };
    let spaces =
        vec![space("ram", SpaceKind::Memory, Width::W64), space("register", SpaceKind::Register, Width::W32)];
    let mut state = State::new(&Layout { spaces, user_operations: Vec::new(), watched: Vec::new() });
    state.memory(RAM).expect("memory").map(Region::memory(0, u64::MAX, Permissions::ALL));
    for page in 0..PAGES {
        state.write(RAM, page * PAGE_SIZE as u64, 8, page + 1).expect("it may be written");
    }
    for register in 0..300 {
        state.write(REGISTERS, register * 8, 8, register).expect("registers are never denied");
    }
    state
}

/// Addresses that visit all pages in pseudo-random order.
fn address(number: u64) -> u64 {
    number * 7919 % PAGES * PAGE_SIZE as u64
}

/// Resident memory in bytes.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").expect("the system tells");
    let pages: u64 = text.split(' ').nth(1).and_then(|field| field.parse().ok()).expect("a number");
    pages * 4096
}

#[test]
fn a_fork_holds_the_pages_it_wrote_and_five_percent() {
    let mut state = touched();
    drop(state.fork());
    let before = resident();
    let forks: Vec<State> = (0..10_000)
        .map(|number| {
            let mut fork = state.fork();
            for page in 0..10 {
                fork.write(RAM, address(number * 10 + page), 1, number).expect("it may be written");
            }
            fork
        })
        .collect();
    let held = resident() - before;
    let pages = forks.len() as u64 * 10 * PAGE_SIZE as u64;
    println!(
        "{} forks hold {:.1} % more than their pages",
        forks.len(),
        100.0 * (held as f64 / pages as f64 - 1.0)
    );
    assert!(held * 100 <= pages * 105, "{held} bytes for {pages} bytes of pages");
}

#[test]
fn a_fork_takes_microseconds() {
    const FORKS: u64 = 200_000;
    let mut state = touched();
    let start = Instant::now();
    for number in 0..FORKS {
        let mut fork = state.fork();
        fork.write(RAM, address(number), 1, number).expect("it may be written");
    }
    let each = start.elapsed().as_nanos() as u64 / FORKS;
    println!("a fork that writes one byte and is dropped takes {each} ns");
    // The target is 5 µs; the limit leaves room for a loaded machine, but not for a cost that grows with the touched
    // pages.
    assert!(each < 20_000, "{each} ns");
}

//! Regions of blocks, and the cache of blocks.

use everypath_ir::{ExitKind, Place, Target};
use everypath_lift::{BlockCache, CodeBytes, Library, LiftedRegion, Lifter};
use std::sync::Arc;

const START: u64 = 0x1000;

/// inc eax; dec ecx; jnz 0x1002; ret: the loop jumps into the middle of the first block.
const LOOP: &[u8] = &[0xff, 0xc0, 0xff, 0xc9, 0x75, 0xfc, 0xc3];

fn lifter() -> Lifter {
    Lifter::new(Library::built_in().load("x86-64").unwrap_or_else(|error| panic!("{error}")))
}

fn place(lifter: &Lifter, address: u64) -> Place {
    Place::new(address, lifter.architecture().default_context())
}

fn addresses(region: &LiftedRegion) -> Vec<(u64, u64)> {
    region.blocks.values().map(|block| (block.place.address, block.end)).collect()
}

#[test]
fn a_block_that_is_jumped_into_is_split() {
    let lifter = lifter();
    let code = CodeBytes { address: START, bytes: LOOP };
    let region = LiftedRegion::build(&mut lifter.session(), &code, [place(&lifter, START)], 100);
    assert_eq!(addresses(&region), [(START, START + 2), (START + 2, START + 6), (START + 6, START + 7)]);
    let front = &region.blocks[&place(&lifter, START)];
    assert_eq!(front.exits.len(), 1);
    assert_eq!(front.exits[0].kind, ExitKind::Fall);
    assert_eq!(front.exits[0].target, Target::Place(place(&lifter, START + 2)));
    assert!(region.holes.is_empty() && !region.limit_reached);
}

#[test]
fn every_instruction_is_in_one_block() {
    let lifter = lifter();
    let code = CodeBytes { address: START, bytes: LOOP };
    // Entries in the middle of blocks, in any order, give the same blocks.
    for entries in [vec![START, START + 2], vec![START + 2, START], vec![START + 4, START], vec![START]] {
        let places: Vec<Place> = entries.iter().map(|address| place(&lifter, *address)).collect();
        let region = LiftedRegion::build(&mut lifter.session(), &code, places, 100);
        let blocks = region.blocks.values();
        let mut instructions: Vec<u64> =
            blocks.flat_map(|block| block.instructions().map(|(address, _)| address)).collect();
        instructions.sort_unstable();
        assert_eq!(instructions, [START, START + 2, START + 4, START + 6], "entries {entries:x?}");
    }
}

#[test]
fn calls_are_followed_on_both_sides_and_holes_are_named() {
    let lifter = lifter();
    // call 0x1010; jmp 0x2000; at 0x1010 ret
    let mut bytes = vec![0xe8, 0x0b, 0, 0, 0, 0xe9, 0xf6, 0x0f, 0, 0];
    bytes.resize(16, 0xcc);
    bytes.push(0xc3);
    let code = CodeBytes { address: START, bytes: &bytes };
    let region = LiftedRegion::build(&mut lifter.session(), &code, [place(&lifter, START)], 100);
    assert_eq!(addresses(&region), [(START, START + 5), (START + 5, START + 10), (START + 16, START + 17)]);
    assert_eq!(region.holes.keys().map(|hole| hole.address).collect::<Vec<_>>(), [0x2000]);
}

#[test]
fn a_limit_is_reported() {
    let lifter = lifter();
    let code = CodeBytes { address: START, bytes: LOOP };
    let region = LiftedRegion::build(&mut lifter.session(), &code, [place(&lifter, START)], 1);
    assert!(region.limit_reached);
    assert_eq!(region.blocks.len(), 1);
}

#[test]
fn the_cache_gives_the_same_block_until_it_is_forgotten() {
    let lifter = lifter();
    let mut session = lifter.session();
    let cache = BlockCache::default();
    assert!(cache.is_empty());
    let start = place(&lifter, START);
    let code = CodeBytes { address: START, bytes: LOOP };
    let first = cache.block(&mut session, &code, start).unwrap_or_else(|why| panic!("{why}"));
    // A cached block does not depend on later contents of the code.
    let changed = CodeBytes { address: START, bytes: &[0xc3] };
    let second = cache.block(&mut session, &changed, start).unwrap_or_else(|why| panic!("{why}"));
    assert!(Arc::ptr_eq(&first, &second));
    assert_eq!(cache.len(), 1);

    cache.forget(0..START);
    cache.forget(first.end..u64::MAX);
    assert_eq!(cache.len(), 1, "the block has no byte there");
    cache.forget(first.end - 1..first.end);
    assert!(cache.is_empty());
    let third = cache.block(&mut session, &changed, start).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(third.end, START + 1);
}

#[test]
fn the_cache_remembers_what_is_no_instruction_until_it_changes() {
    let lifter = lifter();
    let mut session = lifter.session();
    let cache = BlockCache::default();
    let start = place(&lifter, START);
    let nothing = CodeBytes { address: START, bytes: &[] };
    let code = CodeBytes { address: START, bytes: LOOP };
    assert!(cache.block(&mut session, &nothing, start).is_err());
    assert!(cache.block(&mut session, &code, start).is_err());
    cache.forget(START..START + 1);
    assert!(cache.block(&mut session, &code, start).is_ok());

    // The failure may be due to the second byte.
    let cache = BlockCache::default();
    let half = CodeBytes { address: START, bytes: &LOOP[..1] };
    assert!(cache.block(&mut session, &half, start).is_err());
    cache.forget(START + 1..START + 2);
    assert!(cache.block(&mut session, &code, start).is_ok());
}

#[test]
fn a_block_that_goes_on_at_the_start_of_its_space_is_forgotten_on_both_sides() {
    let architecture = Library::built_in().load("8051").unwrap_or_else(|error| panic!("{error}"));
    let lifter = Lifter::new(architecture.clone());
    let code = CodeBytes { address: 0xffff, bytes: &[0x02, 0x12, 0x34] }; // ljmp 0x1234
    let start = Place::new(0xffff, architecture.default_context());
    for (range, kept) in [(0xffff..0x10000, false), (0..1, false), (1..2, false), (2..0xffff, true)] {
        let cache = BlockCache::default();
        let block = cache.block(&mut lifter.session(), &code, start).unwrap_or_else(|why| panic!("{why}"));
        assert_eq!(block.end, 2);
        cache.forget(range.clone());
        assert_eq!(cache.len(), usize::from(kept), "{range:x?}");
    }
}

//! Register promotion: plain memory is optimised like registers, and nothing else changes.

use everypath_ir::{
    Bits, Block, BlockBuilder, Context, ExitKind, Layout, Listing, Location, Op, Operand, Place, Printer,
    SpaceId, SpaceKind, Statement, Target, Width, promote_registers, verify,
};

use crate::evaluate::{Event, Outcome, run};
use crate::random_block::{layout, random_block};
use everypath_testkit::random::Random;

/// The first bytes of each memory are plain.
fn is_plain(location: Location, width: Width) -> bool {
    location.offset + width.bytes() as u64 <= 16
}

/// Removes what is not observable: accesses to plain memory, and registers before the end of the block.
fn seen(mut outcome: Outcome, goes_on: bool, layout: &Layout) -> Outcome {
    let kind = |space| layout.space(space).map(|space| space.kind);
    outcome.events.retain(|(event, _)| match event {
        Event::Read(space, offset, width) => !is_plain(Location { space: *space, offset: *offset }, *width),
        Event::Write(space, offset, value) => {
            !is_plain(Location { space: *space, offset: *offset }, value.width())
        }
        Event::User(..) => true,
    });
    for (event, places) in &mut outcome.events {
        if !matches!(event, Event::User(..)) {
            places.clear();
        }
    }
    outcome.written.retain(|(space, _), _| goes_on || kind(*space) != Some(SpaceKind::Temporary));
    outcome
}

/// A block typical of flag code: few memory-mapped registers, banks of them, and nested masks.
fn flags(random: &mut Random, statements: usize) -> Block {
    let place = Place::new(0, Context::default());
    let mut builder = BlockBuilder::plain(place, SpaceId(0));
    let memory = SpaceId(0);
    let mut values: Vec<Operand> = vec![builder.get(Location { space: memory, offset: 0 }, Width::W8)];
    for _ in 0..statements {
        let location = Location { space: memory, offset: random.below(4) as u64 };
        let number = random.pick(&[0x01, 0x80, 0x7f, 0xfe, 0x18, 0x3b, 0x04, 0xff, 0x0f]);
        let number = builder.constant(Bits::from_u64(number, Width::W8));
        let recent = &values[values.len().saturating_sub(5)..];
        let (x, y) = (random.pick(recent), random.pick(&values));
        let amount = builder.constant(Bits::from_u64(random.below(9) as u64, Width::W32));
        let value = match random.below(16) {
            0..3 => builder.get(location, Width::W8),
            3..5 => {
                builder.put(location, x);
                continue;
            }
            5..8 => builder.compute(Op::And, Width::W8, &[x, number]),
            8 => builder.compute(random.pick(&[Op::Or, Op::Xor, Op::Add]), Width::W8, &[x, number]),
            9 | 10 => builder.compute(random.pick(&[Op::Or, Op::Xor, Op::Or, Op::Sub]), Width::W8, &[x, y]),
            11 => builder.compute(random.pick(&[Op::Shl, Op::Lshr]), Width::W8, &[x, amount]),
            12 => {
                let truth = builder.compute(random.pick(&[Op::Eq, Op::Ne, Op::Ult]), Width::W1, &[x, number]);
                builder.compute(Op::Zext, Width::W8, &[truth])
            }
            13 => {
                let wide = builder.compute(Op::Concat, Width::W16, &[x, y]);
                builder.compute(Op::Extract(random.below(9) as u16), Width::W8, &[wide])
            }
            14 => builder.compute(Op::Popcount, Width::W8, &[x]),
            _ => {
                let mask = builder.constant(Bits::from_u64(0x08, Width::W8));
                let bank = builder.compute(Op::And, Width::W8, &[values[0], mask]);
                let number = builder.constant(Bits::from_u64(random.below(7) as u64, Width::W8));
                let address = builder.compute(Op::Or, Width::W8, &[bank, number]);
                if random.chance(2) {
                    builder.store(memory, address, x, None);
                    continue;
                }
                builder.load(memory, address, Width::W8, None)
            }
        };
        values.push(value);
    }
    builder.exit(None, ExitKind::Fall, Target::Place(place));
    builder.finish(1)
}

#[test]
fn blocks_do_the_same() {
    let mut random = Random::new(11);
    let layout = layout();
    let (mut before, mut after) = (0, 0);
    for round in 0..16_000 {
        let length = random.below(60) + 5;
        let mut block =
            if round % 2 == 0 { random_block(&mut random, length) } else { flags(&mut random, length) };
        block.statements.retain(|statement| !matches!(statement, Statement::Instruction { .. }));
        let changed = promote_registers(block.clone(), &layout, &is_plain);
        let printer = Printer::new(&layout);
        let both = || format!("{}\n{}", printer.block(&block), printer.block(&changed));
        assert_eq!(verify(&layout, &changed), Ok(()), "{}", both());
        assert_eq!(block.exits.len(), changed.exits.len(), "{}", both());
        let goes_on = block.exits.iter().any(|exit| match exit.target {
            Target::Place(place) => place.part != 0,
            Target::Computed { .. } => false,
        });
        for _ in 0..4 {
            let seed = random.number();
            let first = seen(run(&layout, &block, seed), goes_on, &layout);
            let second = seen(run(&layout, &changed, seed), goes_on, &layout);
            assert_eq!(first, second, "{}", both());
        }
        before += block.statements.len();
        after += changed.statements.len();
    }
    assert!(after * 10 < before * 8, "{before} statements became {after}");
}

/// Statements, and those that remain; `=` means all of them.
const CASES: &[(&str, &str)] = &[
    // A location that was written or read is not read again, and not written twice.
    (
        "put m[0x0] 0x1:8; t0:8 = get m[0x0]; put r[0x0] t0; put m[0x0] 0x2:8",
        "put r[0x0] 0x1:8; put m[0x0] 0x2:8",
    ),
    (
        "t0:8 = get m[0x0]; t1:8 = get m[0x0]; put r[0x0] t0; put r[0x1] t1",
        "t0:8 = get m[0x0]; put r[0x0] t0; put r[0x1] t0",
    ),
    ("put m[0x0] 0x1234:16; t0:8 = get m[0x1]; put r[0x0] t0", "put m[0x0] 0x1234:16; put r[0x0] 0x12:8"),
    ("t0:8 = get m[0x0]", ""),
    // An address that folds to a constant becomes a fixed location.
    ("put m[0x0] 0x5:8; t0:8 = get m[0x0]; store m t0 0x9:8", "put m[0x0] 0x5:8; put m[0x5] 0x9:8"),
    // Outside plain memory every access is observable.
    ("put m[0x90] 0x1:8; t0:8 = get m[0x90]; put r[0x0] t0; put m[0x90] 0x2:8", "="),
    ("t0:8 = get m[0x90]", "="),
    ("put m[0xf] 0x1:16; put m[0xf] 0x2:16", "="),
    ("put m[0xf] 0x1:8; put m[0xe] 0x2:24; t0:8 = get m[0xf]; put r[0x0] t0", "="),
    // A computed address may alias plain memory.
    ("put m[0x0] 0x1:8; t0:8 = get r[0x0]; t1:8 = load m t0; put r[0x1] t1; put m[0x0] 0x2:8", "="),
    ("put m[0x0] 0x1:8; t0:8 = get r[0x0]; store m t0 0x9:8; t1:8 = get m[0x0]; put r[0x1] t1", "="),
    (
        "put m[0x0] 0x1:8; t0:8 = get r[0x0]; store m t0 0x9:8; put m[0x0] 0x2:8",
        "t0:8 = get r[0x0]; store m t0 0x9:8; put m[0x0] 0x2:8",
    ),
    // A load at a bounded computed address is forwarded, too, and survives writes beside it.
    (
        "put m[0x90] 0x1:8; t0:8 = get r[0x0]; t1:8 = and t0 0x8:8; t2:8 = or t1 0x3:8; t3:8 = or t1 0x4:8; store m t2 0x1:8; \
         store m t3 0x2:8; t4:8 = load m t2; put r[0x1] t4",
        "put m[0x90] 0x1:8; t0:8 = get r[0x0]; t1:8 = and t0 0x8:8; t2:8 = or t1 0x3:8; t3:8 = or t1 0x4:8; store m t2 0x1:8; \
         store m t3 0x2:8; put r[0x1] 0x1:8",
    ),
    (
        "t0:8 = get r[0x0]; t1:8 = and t0 0x8:8; t2:8 = get r[0x2]; t3:8 = and t2 0x8:8; store m t1 0x1:8; \
         store m t3 0x2:8; t4:8 = load m t1; put r[0x1] t4",
        "=",
    ),
    (
        "t0:8 = get r[0x0]; t1:8 = and t0 0x8:8; store m t1 0x1:8; put m[0x8] 0x2:8; t2:8 = load m t1; \
         put r[0x1] t2",
        "=",
    ),
    (
        "put m[0x0] 0x7:8; t0:8 = get r[0x0]; t1:8 = and t0 0x8:8; store m t1 0x1:8; t2:8 = get m[0x0]; \
         put r[0x1] t2",
        "=",
    ),
    ("t0:8 = get r[0x0]; t1:8 = and t0 0x18:8; store m t1 0x1:8; t2:8 = load m t1; put r[0x1] t2", "="),
    // A user operation may do anything.
    ("put m[0x0] 0x1:8; user u(); t0:8 = get m[0x0]; put r[0x0] t0; put m[0x0] 0x2:8", "="),
    // Every write of a watched register is kept.
    ("put m[0x2] 0x1:8; put m[0x2] 0x2:8", "="),
    // Of several flags in one register, only the last value of each is computed.
    (
        "t0:8 = get m[0x0]; t1:8 = get r[0x0]; t2:8 = and t0 0xfe:8; t3:8 = and t1 0x1:8; t4:8 = or t2 t3; \
         put m[0x0] t4; t5:8 = get m[0x0]; t6:8 = and t5 0xfe:8; put m[0x0] t6",
        "t0:8 = get m[0x0]; t1:8 = and t0 0xfe:8; put m[0x0] t1",
    ),
    (
        "t0:8 = get m[0x0]; t1:8 = get r[0x0]; t2:8 = and t0 0x7f:8; t3:8 = and t1 0x1:8; t4:8 = shl t3 0x7:8; \
         t5:8 = or t2 t4; put m[0x0] t5; t6:8 = get m[0x0]; t7:8 = lshr t6 0x7:8; put r[0x1] t7",
        "t0:8 = get m[0x0]; t1:8 = get r[0x0]; t2:8 = and t0 0x7f:8; t3:8 = and t1 0x1:8; t4:8 = shl t3 0x7:8; \
         t5:8 = or t2 t4; put m[0x0] t5; put r[0x1] t3",
    ),
];

#[test]
fn plain_memory_is_kept_as_registers_are() {
    for (given, expected) in CASES {
        let text = format!(
            "space m memory little 8 space r register little 8 user u watch m[0x2]\n\
             block m 0x0 end 0x0 {{ {given} exit fall 0x0 }}"
        );
        let listing: Listing = text.replace(';', "\n").parse().expect("a listing");
        let [block] = &listing.blocks[..] else { panic!("one block") };
        assert_eq!(verify(&listing.layout, block), Ok(()));
        let changed = promote_registers(block.clone(), &listing.layout, &is_plain);
        let printer = Printer::new(&listing.layout);
        let lines: Vec<String> = changed
            .statements
            .iter()
            .map(|statement| printer.statement(&changed, statement).to_string().trim().to_owned())
            .collect();
        let expected = if *expected == "=" { given } else { expected };
        assert_eq!(&lines.join("; "), expected, "{given}");
    }
}

#[test]
fn exits_that_became_constant_stay() {
    let text = "space m memory little 8 space r register little 8 \
                block m 0x0 end 0x0 { put m[0x0] 0x1:8 t0:8 = get m[0x0] t1:1 = eq t0 0x2:8 \
                exit if t1 jump 0x9 exit fall 0x1 }";
    let listing: Listing = text.parse().expect("a listing");
    let changed = promote_registers(listing.blocks[0].clone(), &listing.layout, &is_plain);
    assert_eq!(changed.exits.len(), 2);
    assert_eq!(changed.statements.len(), 1);
    assert_eq!(verify(&listing.layout, &changed), Ok(()));
}

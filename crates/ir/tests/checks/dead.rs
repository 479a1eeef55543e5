//! Dead-code elimination preserves observable behaviour, and removes what is not observable.

use everypath_ir::{
    Block, Exit, Layout, Listing, Observers, Place, Printer, SpaceKind, Statement, Target, eliminate_dead,
    verify,
};

use crate::evaluate::{Event, Outcome, run};
use crate::random_block::{layout, random_block, simplified};
use everypath_testkit::random::Random;

/// Removes the parts of an outcome that are not observable.
fn seen(mut outcome: Outcome, block: &Block, layout: &Layout, observers: Observers) -> Outcome {
    for (event, registers) in &mut outcome.events {
        if observers == Observers::Overwritten && !matches!(event, Event::User(..)) {
            registers.clear();
        }
    }
    let goes_on = |exit: &Exit| matches!(exit.target, Target::Place(Place { part: 1.., .. }));
    let temporaries = block.exits.iter().any(goes_on);
    let kind = |space| layout.space(space).map(|space| space.kind);
    outcome.written.retain(|(space, _), _| temporaries || kind(*space) != Some(SpaceKind::Temporary));
    outcome
}

#[test]
fn what_is_seen_stays() {
    let mut random = Random::new(10);
    let layout = layout();
    let mut counts = [0; 3];
    for round in 0..6000 {
        let length = random.below(60) + 5;
        let mut block = random_block(&mut random, length);
        // Temporaries are undefined after their instruction, which the evaluator does not model.
        block.statements.retain(|statement| !matches!(statement, Statement::Instruction { .. }));
        if round % 2 == 0 {
            block = simplified(&block);
        }
        counts[0] += block.statements.len();
        for (index, observers) in [Observers::Precise, Observers::Overwritten].into_iter().enumerate() {
            let mut smaller = block.clone();
            eliminate_dead(&mut smaller, &layout, observers);
            counts[index + 1] += smaller.statements.len();
            let printer = Printer::new(&layout);
            let both = || format!("{}\n{}", printer.block(&block), printer.block(&smaller));
            assert_eq!(verify(&layout, &smaller), Ok(()), "{}", both());
            let seed = random.number();
            let before = seen(run(&layout, &block, seed), &block, &layout, observers);
            let after = seen(run(&layout, &smaller, seed), &smaller, &layout, observers);
            assert_eq!(before, after, "{observers:?}\n{}", both());
            let mut again = smaller.clone();
            eliminate_dead(&mut again, &layout, observers);
            assert_eq!(again, smaller, "{}", both());
        }
    }
    assert!(counts[1] * 10 < counts[0] * 9 && counts[2] < counts[1], "{counts:?}");
}

/// Statements, and those that remain for `Precise` and for `Overwritten`; `=` means all of them.
const CASES: &[(&str, &str, &str)] = &[
    // An unused computation or register read is dead; a memory read may have a side effect.
    ("t0:8 = get r[0x0]; t1:8 = not t0", "", ""),
    ("t0:8 = load r 0x0:8", "", ""),
    ("t0:8 = get m[0x0]", "=", "="),
    ("t0:8 = load m 0x0:8", "=", "="),
    ("t0:8 = user u()", "=", "="),
    // Writes that are overwritten whole, in part or in pieces; every memory write is observable.
    ("put r[0x0] 0x1:8; put r[0x0] 0x2:8", "put r[0x0] 0x2:8", "put r[0x0] 0x2:8"),
    ("put m[0x0] 0x1:8; put m[0x0] 0x2:8", "=", "="),
    ("put r[0x0] 0x1:16; put r[0x0] 0x2:8", "=", "="),
    ("put r[0x0] 0x1:16; put r[0x1] 0x2:8", "=", "="),
    (
        "put r[0x0] 0x1:16; put r[0x1] 0x3:8; put r[0x0] 0x2:8",
        "put r[0x1] 0x3:8; put r[0x0] 0x2:8",
        "put r[0x1] 0x3:8; put r[0x0] 0x2:8",
    ),
    ("put r[0xff] 0x1:8; put r[0xff] 0x2:8", "put r[0xff] 0x2:8", "put r[0xff] 0x2:8"),
    // Observation points between a write and its overwriting.
    ("put r[0x0] 0x1:8; store m 0x0:8 0x9:8; put r[0x0] 0x2:8", "=", "store m 0x0:8 0x9:8; put r[0x0] 0x2:8"),
    ("put r[0x0] 0x1:8; put m[0x0] 0x9:8; put r[0x0] 0x2:8", "=", "put m[0x0] 0x9:8; put r[0x0] 0x2:8"),
    ("put r[0x0] 0x1:8; user u(); put r[0x0] 0x2:8", "=", "="),
    ("put r[0x0] 0x1:8; t0:8 = get r[0x0]; put r[0x0] 0x2:8", "put r[0x0] 0x2:8", "put r[0x0] 0x2:8"),
    ("put r[0x0] 0x1:8; t0:8 = get r[0x0]; put r[0x0] 0x2:8; put r[0x1] t0", "=", "="),
    ("put r[0x0] 0x1:8; t0:8 = load r 0x0:8; put r[0x0] t0", "=", "="),
    // Temporaries live within their instruction only.
    ("put v[0x0] 0x1:8", "", ""),
    ("put v[0x0] 0x1:8; store m 0x0:8 0x9:8", "store m 0x0:8 0x9:8", "store m 0x0:8 0x9:8"),
    (
        "put v[0x0] 0x1:8; @0x1+1; t0:8 = get v[0x0]; put r[0x0] t0",
        "@0x1+1; t0:8 = get v[0x0]; put r[0x0] t0",
        "@0x1+1; t0:8 = get v[0x0]; put r[0x0] t0",
    ),
    ("@0x1+1; put v[0x0] 0x1:8; t0:8 = get v[0x0]; put r[0x0] t0", "=", "="),
];

#[test]
fn what_is_not_seen_goes() {
    for (given, precise, overwritten) in CASES {
        for (observers, expected) in [(Observers::Precise, precise), (Observers::Overwritten, overwritten)] {
            let text = format!(
                "space m memory little 8 space r register little 8 space v temporary little 8 user u\n\
                 block m 0x0 end 0x0 {{ {given} exit fall 0x0 }}"
            );
            let mut listing: Listing = text.replace(';', "\n").parse().expect("a listing");
            assert_eq!(verify(&listing.layout, &listing.blocks[0]), Ok(()));
            eliminate_dead(&mut listing.blocks[0], &listing.layout, observers);
            let (printer, block) = (Printer::new(&listing.layout), &listing.blocks[0]);
            let lines: Vec<String> = block
                .statements
                .iter()
                .map(|statement| printer.statement(block, statement).to_string().trim().to_owned())
                .collect();
            let expected = if *expected == "=" { given } else { expected };
            assert_eq!(&lines.join("; "), expected, "{given} with {observers:?}");
        }
    }
}

#[test]
fn temporaries_go_on_to_another_part_of_the_instruction() {
    let text = "space m memory little 8 space v temporary little 8 \
                block m 0x0 end 0x0 { put v[0x0] 0x1:8 exit if 0x1:1 fall 0x9 exit jump 0x0.2 }";
    let mut listing: Listing = text.parse().expect("a listing");
    eliminate_dead(&mut listing.blocks[0], &listing.layout, Observers::Overwritten);
    assert_eq!(listing.blocks[0].statements.len(), 1);
}

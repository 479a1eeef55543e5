//! One instruction or a row of them at an address, and how it is run.

use everypath_ir::{Block, Context, ExitKind, Layout, Place, Printer};
use everypath_lift::{Architecture, Bytes, NotLifted, Session};
use everypath_sleigh as sleigh;
use everypath_testkit::machine::{Flow, Leaving, Next, State, run_block};
use std::fmt::Write;

use crate::round_trip::RoundTrip;
use everypath_testkit::random::Random;

/// How many operations, or parts, of an instruction are run.
pub(crate) const BUDGET: usize = 20_000;

/// What is needed to repeat a comparison.
#[derive(Clone, Copy)]
pub(crate) struct Case<'b> {
    pub(crate) bytes: &'b [u8],
    pub(crate) place: Place,
    /// The seed of the state.
    pub(crate) seed: u64,
}

impl<'b> Case<'b> {
    pub(crate) fn code(&self) -> Bytes<'b> {
        Bytes { address: self.place.address, bytes: self.bytes }
    }

    /// A message that says how to repeat the comparison.
    pub(crate) fn describe(&self, architecture: &Architecture, problem: &str, blocks: &[Block]) -> String {
        let mut session = architecture.specification().decoder();
        let Place { address, context, .. } = self.place;
        let mut text =
            format!("{} at {address:#x} in {context:?}, seed {:#x}: ", architecture.name(), self.seed);
        text.push_str(problem);
        text.push_str("\nbytes ");
        for byte in self.bytes.iter().take(32) {
            let _ = write!(text, "{byte:02x} ");
        }
        if let Ok(instruction) = session.decode(self.bytes, address, sleigh::Context(context.0)) {
            let _ = writeln!(text, "\n{}", instruction.text());
            for (position, operation) in instruction.operations().enumerate() {
                let _ = writeln!(text, "  {position:3} {}", operation.display(architecture.specification()));
            }
        }
        let printer = Printer::new(architecture.layout());
        for block in blocks.iter().take(8) {
            let _ = write!(text, "{}", printer.block(block));
        }
        text
    }
}

/// Runs the block at a place, and those of the further parts of its instruction. The first block comes with it.
pub(crate) fn run_lifted(
    session: &mut Session<'_>,
    case: &Case<'_>,
    place: Place,
    state: &mut State,
    round_trip: &mut RoundTrip,
    blocks: &mut Vec<Block>,
) -> Result<Result<Leaving, NotLifted>, String> {
    let architecture = session.lifter().architecture();
    let layout: &Layout = architecture.layout();
    let mut at = place;
    for _ in 0..BUDGET {
        let block = match session.block(&case.code(), at) {
            Ok(block) => block,
            Err(why) => return Ok(Err(why)),
        };
        // The parts of a loop come again and again.
        if !blocks.contains(&block) {
            blocks.push(block.clone());
            round_trip.add(&block)?;
        }
        let leaving = run_block(layout, &block, state);
        if leaving.place.part == 0 {
            state.lose_temporaries(layout);
            return Ok(Ok(leaving));
        }
        at = leaving.place;
    }
    Err("the lifted instruction does not end".to_owned())
}

/// An exit as p-code says it: a jump to the next instruction is none.
pub(crate) fn next_of(leaving: &Leaving, end: u64) -> Next {
    let address = leaving.place.address;
    let flow = match leaving.kind {
        ExitKind::Fall => Flow::Fall,
        ExitKind::Jump if address == end => Flow::Fall,
        ExitKind::Jump => Flow::Jump,
        ExitKind::Call => Flow::Call,
        ExitKind::Return => Flow::Return,
    };
    Next { flow, address }
}

/// The context in which code starts, with another value of one of its fields.
pub(crate) fn starting_context(architecture: &Architecture, field: Option<(&str, u128)>) -> Context {
    let mut context = sleigh::Context(architecture.default_context().0);
    if let Some((field, value)) = field {
        let set = architecture.specification().set_context_field(&mut context, field, value);
        set.unwrap_or_else(|error| panic!("{error}"));
    }
    Context(context.0)
}

/// An address brought back into the space of code.
pub(crate) fn wrap(architecture: &Architecture, address: u64) -> u64 {
    let specification = architecture.specification();
    specification.space(specification.default_space()).wrap(address)
}

/// An address at which an instruction can stand, at times at the end of the space.
pub(crate) fn random_address(architecture: &Architecture, random: &mut Random) -> u64 {
    let specification = architecture.specification();
    let space = specification.space(specification.default_space());
    let address = match random.number_below(8) {
        0 => space.highest - random.number_below(16),
        1 => random.number_below(256),
        _ => space.wrap(random.number()),
    };
    address - address % u64::from(specification.alignment().max(1))
}

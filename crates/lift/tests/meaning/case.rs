//! A test case of one or more instructions at an address, and its execution.

use everypath_ir::{Block, Context, ExitKind, Layout, Place, Printer};
use everypath_lift::{Architecture, CodeBytes, LiftSession, NotLifted};
use everypath_sleigh as sleigh;
use everypath_testkit::machine::{Leaving, PcodeFlow, PcodeNext, PcodeState, run_block};
use std::fmt::Write;

use crate::round_trip::RoundTrip;
use everypath_testkit::random::Random;

/// The maximum number of operations, or parts, that are run of an instruction.
pub(crate) const BUDGET: usize = 20_000;

/// Everything needed to reproduce a comparison.
#[derive(Clone, Copy)]
pub(crate) struct Case<'b> {
    pub(crate) bytes: &'b [u8],
    pub(crate) place: Place,
    /// The seed of the state.
    pub(crate) seed: u64,
}

impl<'b> Case<'b> {
    pub(crate) fn code(&self) -> CodeBytes<'b> {
        CodeBytes { address: self.place.address, bytes: self.bytes }
    }

    /// A message with which the comparison can be reproduced.
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
        if let Ok(instruction) = session.decode(self.bytes, address, sleigh::DecodingContext(context.0)) {
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

/// Runs the block at a place and those of the further parts of its instruction; also returns the first block.
pub(crate) fn run_lifted(
    session: &mut LiftSession<'_>,
    case: &Case<'_>,
    place: Place,
    state: &mut PcodeState,
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
        // The parts of a loop repeat.
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

/// An exit in terms of p-code, where a jump to the next instruction is a fall-through.
pub(crate) fn next_of(leaving: &Leaving, end: u64) -> PcodeNext {
    let address = leaving.place.address;
    let flow = match leaving.kind {
        ExitKind::Fall => PcodeFlow::Fall,
        ExitKind::Jump if address == end => PcodeFlow::Fall,
        ExitKind::Jump => PcodeFlow::Jump,
        ExitKind::Call => PcodeFlow::Call,
        ExitKind::Return => PcodeFlow::Return,
    };
    PcodeNext { flow, address }
}

/// The default context, with another value of one of its fields.
pub(crate) fn starting_context(architecture: &Architecture, field: Option<(&str, u128)>) -> Context {
    let mut context = sleigh::DecodingContext(architecture.default_context().0);
    if let Some((field, value)) = field {
        let set = architecture.specification().set_context_field(&mut context, field, value);
        set.unwrap_or_else(|error| panic!("{error}"));
    }
    Context(context.0)
}

/// An address reduced to the code space.
pub(crate) fn wrap(architecture: &Architecture, address: u64) -> u64 {
    let specification = architecture.specification();
    specification.space(specification.default_space()).wrap(address)
}

/// A random instruction address, sometimes at the end of the space.
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

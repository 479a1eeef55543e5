//! Differential testing of instruction sequences: lifted together, and interpreted one by one as p-code.

use crate::case::{BUDGET, Case, next_of, run_lifted, starting_context};
use crate::differential::OBSERVERS;
use crate::round_trip::RoundTrip;
use everypath_ir::{Block, Context, Place};
use everypath_lift::{Architecture, CodeBytes, LiftSession, Lifter, NotLifted, Options};
use everypath_sleigh::{Instruction, Opcode};
use everypath_testkit::machine::{PcodeError, PcodeNext, PcodeState, run_pcode};
use everypath_testkit::random::Random;
use std::sync::Arc;

/// The maximum number of instructions in a sequence.
const LENGTH: u64 = 10;
/// Bytes for a sequence, and for the decoder's lookahead.
const CODE: usize = 16 * LENGTH as usize + 64;

/// A sequence of instructions, of which only the last may transfer control.
struct Row {
    bytes: [u8; CODE],
    /// The start of each instruction, and the end of the sequence.
    places: Vec<Place>,
}

/// Compares `count` random sequences of instructions.
pub(crate) fn random_rows(architecture: &Arc<Architecture>, field: Option<(&str, u128)>, count: usize) {
    let context = starting_context(architecture, field);
    let lifter = Lifter::new(architecture.clone());
    let mut session = lifter.session();
    let mut round_trip = RoundTrip::new(architecture.layout());
    let mut random = Random::new(2);
    let (mut same, mut refused, mut instructions, mut blocks) = (0, 0, 0, Vec::new());
    let mut block_count = 0;
    while same < count {
        let row = Row::random(&mut session, context, &mut random);
        let case = Case { bytes: &row.bytes, place: row.places[0], seed: random.number() };
        match row.compare(&mut session, &case, &mut round_trip, &mut blocks) {
            Ok(true) => {
                same += 1;
                instructions += row.places.len() - 1;
                block_count += blocks.len();
            }
            Ok(false) => refused += 1,
            Err(problem) => panic!("{}", case.describe(architecture, &problem, &blocks)),
        }
        assert!(refused < count, "too many rows have an instruction that is not supported");
    }
    round_trip.finish();
    let name = architecture.name();
    println!(
        "{name}: {instructions} instructions in {same} rows, {block_count} blocks, {refused} rows left out"
    );
    assert!(block_count < instructions, "instructions are lifted together");
}

/// Compares sequences given in hexadecimal, each from several states.
pub(crate) fn given_rows(
    architecture: &Arc<Architecture>,
    field: Option<(&str, u128)>,
    rows: &[(usize, &str)],
    states: u64,
) {
    let context = starting_context(architecture, field);
    let lifter = Lifter::new(architecture.clone());
    let mut session = lifter.session();
    let mut round_trip = RoundTrip::new(architecture.layout());
    let mut blocks = Vec::new();
    for (length, hexadecimal) in rows {
        let row = Row::given(&mut session, context, hexadecimal);
        assert_eq!(row.places.len() - 1, *length, "the instructions of {hexadecimal}");
        for seed in 0..states {
            let case = Case { bytes: &row.bytes, place: row.places[0], seed };
            match row.compare(&mut session, &case, &mut round_trip, &mut blocks) {
                Ok(compared) => assert!(compared, "{hexadecimal} is not supported"),
                Err(problem) => panic!("{}", case.describe(architecture, &problem, &blocks)),
            }
        }
    }
    round_trip.finish();
}

/// Whether the instruction at `end` is the only possible successor.
fn goes_on(instruction: &Instruction<'_>, end: u64) -> bool {
    instruction.operations().all(|operation| match operation.opcode {
        Opcode::Branch | Opcode::ConditionalBranch => {
            operation.inputs[0].is_constant() || operation.inputs[0].offset == end
        }
        opcode => {
            !matches!(opcode, Opcode::BranchIndirect | Opcode::Call | Opcode::CallIndirect | Opcode::Return)
        }
    })
}

impl Row {
    fn random(session: &mut LiftSession<'_>, context: Context, random: &mut Random) -> Self {
        let architecture = session.lifter().architecture();
        let start = Place::new(0x1000 + 8 * random.number_below(0x100), context);
        let mut row = Self { bytes: [0; CODE], places: vec![start] };
        random.fill(&mut row.bytes);
        let length = 2 + random.number_below(LENGTH - 1);
        let mut attempts = 0;
        while row.places.len() <= length as usize {
            let place = row.places[row.places.len() - 1];
            let offset = (place.address - start.address) as usize;
            random.fill(&mut row.bytes[offset..]);
            attempts += 1;
            assert!(attempts < 1_000_000, "nothing decodes at {place:?}");
            let code = CodeBytes { address: start.address, bytes: &row.bytes };
            let Ok(instruction) = session.decode(&code, place.address, place.context) else { continue };
            let end = place.address + u64::from(instruction.full_length());
            if row.places.len() < length as usize && !goes_on(&instruction, end) {
                continue;
            }
            let context = architecture.successor_context(place.context, instruction.commits(), end);
            row.places.push(Place::new(end, context));
        }
        row
    }

    fn given(session: &mut LiftSession<'_>, context: Context, hexadecimal: &str) -> Self {
        let architecture = session.lifter().architecture();
        let start = Place::new(0x1000, context);
        let mut row = Self { bytes: [0; CODE], places: vec![start] };
        let given: Vec<u8> = hexadecimal
            .split_whitespace()
            .map(|pair| u8::from_str_radix(pair, 16).unwrap_or_else(|error| panic!("{pair}: {error}")))
            .collect();
        row.bytes[..given.len()].copy_from_slice(&given);
        let mut place = start;
        while place.address < start.address + given.len() as u64 {
            let code = CodeBytes { address: start.address, bytes: &row.bytes };
            let instruction = session.decode(&code, place.address, place.context);
            let instruction = instruction.unwrap_or_else(|bad| panic!("{hexadecimal} at {place:?}: {bad}"));
            let end = place.address + u64::from(instruction.full_length());
            place =
                Place::new(end, architecture.successor_context(place.context, instruction.commits(), end));
            row.places.push(place);
        }
        row
    }

    /// Runs the sequence lifted and as p-code; returns false if an instruction is not supported.
    fn compare(
        &self,
        session: &mut LiftSession<'_>,
        case: &Case<'_>,
        round_trip: &mut RoundTrip,
        blocks: &mut Vec<Block>,
    ) -> Result<bool, String> {
        let lifter = session.lifter();
        let architecture = lifter.architecture();
        let (last, starts) = self.places.split_last().ok_or("a row has an end")?;
        let mut expected = PcodeState::seeded(case.seed);
        let mut next = None;
        for place in starts {
            let instruction = session
                .decode(&case.code(), place.address, place.context)
                .map_err(|bad| format!("at {:#x}: {bad}", place.address))?;
            match run_pcode(architecture, &instruction, &mut expected, BUDGET) {
                Ok(reached) => next = Some(reached),
                Err(PcodeError::Endless | PcodeError::Meaningless { .. }) => return Ok(false),
            }
        }
        let next = next.ok_or("a row has instructions")?;
        for observers in OBSERVERS {
            blocks.clear();
            let mut state = PcodeState::seeded(case.seed);
            let options = |instructions| lifter.clone().with_options(Options { instructions, observers });
            let Some(found) = self.run(options, case, &mut state, round_trip, blocks)? else {
                return Ok(false);
            };
            if found != next {
                return Err(format!("{observers:?}: leads to {found:x?}, p-code to {next:x?}"));
            }
            if let Some(difference) = state.difference(&expected, architecture.layout()) {
                return Err(format!("{observers:?}: row up to {last:?}, lifted and as p-code, {difference}"));
            }
        }
        Ok(true)
    }

    /// Runs blocks up to the end of the sequence; `None` if one is not supported.
    fn run(
        &self,
        lifter_of: impl Fn(usize) -> Lifter,
        case: &Case<'_>,
        state: &mut PcodeState,
        round_trip: &mut RoundTrip,
        blocks: &mut Vec<Block>,
    ) -> Result<Option<PcodeNext>, String> {
        let (end, starts) = self.places.split_last().ok_or("a row has an end")?;
        let mut place = case.place;
        // Each block has at least one instruction of the sequence, and only the last can jump back.
        for _ in starts {
            let Some(number) = starts.iter().position(|start| *start == place) else {
                return Err(format!("falls to {place:?}, which is not of the row"));
            };
            // The block must not extend beyond the sequence.
            let lifter = lifter_of(starts.len() - number);
            let mut part_blocks = Vec::new();
            let left = run_lifted(&mut lifter.session(), case, place, state, round_trip, &mut part_blocks)?;
            let block_end = part_blocks.first().map(|block| block.end);
            blocks.append(&mut part_blocks);
            match left {
                Err(NotLifted::Unsupported(_)) => return Ok(None),
                Err(why) => return Err(why.to_string()),
                Ok(leaving) if block_end == Some(end.address) => {
                    return Ok(Some(next_of(&leaving, end.address)));
                }
                Ok(leaving) => place = leaving.place,
            }
        }
        Err("the end of the row is not reached".to_owned())
    }
}

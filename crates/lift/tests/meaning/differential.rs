//! Differential testing of one instruction: its p-code and its lifted blocks run from the same state.

use crate::case::{BUDGET, Case, next_of, random_address, run_lifted, starting_context, wrap};
use crate::round_trip::RoundTrip;
use everypath_ir::{Block, Context, Observers, Place};
use everypath_lift::{Architecture, CodeBytes, LiftSession, Lifter, NotLifted, Options};
use everypath_testkit::machine::{PcodeError, PcodeState, run_pcode};
use everypath_testkit::random::Random;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The number of bytes available to the decoder.
const CODE: usize = 64;

/// Without dead-code elimination, and with it for each kind of observers.
pub(crate) const OBSERVERS: [Option<Observers>; 3] =
    [None, Some(Observers::Precise), Some(Observers::Overwritten)];

/// The outcome of a comparison that found no difference.
enum Outcome {
    NoInstruction,
    Same,
    Endless,
    /// The reason, and the instruction.
    Unsupported(String, String),
}

/// Compares the interpretation of p-code and of lifted blocks for one architecture.
pub(crate) struct Differential {
    architecture: Arc<Architecture>,
    context: Context,
    lifters: Vec<Lifter>,
    round_trip: RoundTrip,
    same: usize,
    endless: usize,
    /// For each reason, the number of instructions that it affects, and one of them.
    unsupported: BTreeMap<String, (usize, String)>,
}

impl Differential {
    pub(crate) fn new(architecture: Arc<Architecture>, field: Option<(&str, u128)>) -> Self {
        let context = starting_context(&architecture, field);
        let lifter = Lifter::new(architecture.clone());
        let options = |observers| Options { instructions: 1, observers };
        let lifters = OBSERVERS.map(|observers| lifter.clone().with_options(options(observers))).to_vec();
        let round_trip = RoundTrip::new(architecture.layout());
        let unsupported = BTreeMap::new();
        Self { architecture, context, lifters, round_trip, same: 0, endless: 0, unsupported }
    }

    /// Compares `count` random instructions.
    pub(crate) fn random_instructions(&mut self, count: usize) {
        let lifters = self.lifters.clone();
        let mut sessions: Vec<_> = lifters.iter().map(Lifter::session).collect();
        let mut random = Random::new(1);
        let mut bytes = [0; CODE];
        let mut attempts = 0;
        while self.decoded() < count {
            attempts += 1;
            assert!(attempts < 1000 * count, "only {} of {attempts} words are instructions", self.decoded());
            random.fill(&mut bytes);
            let place = Place::new(random_address(&self.architecture, &mut random), self.context);
            self.compare(&mut sessions, &Case { bytes: &bytes, place, seed: random.number() });
        }
        self.finish();
    }

    /// Compares an instruction from several states. It is given by its text and its bytes in hexadecimal.
    pub(crate) fn encoding(&mut self, text: &str, hexadecimal: &str, states: u64) {
        let lifters = self.lifters.clone();
        let mut sessions: Vec<_> = lifters.iter().map(Lifter::session).collect();
        let pairs = hexadecimal.split_whitespace().map(|pair| u8::from_str_radix(pair, 16));
        let mut bytes: Vec<u8> =
            pairs.collect::<Result<_, _>>().unwrap_or_else(|error| panic!("{text}: {error}"));
        bytes.resize(CODE, 0);
        let place = Place::new(0x1000, self.context);
        let code = CodeBytes { address: place.address, bytes: &bytes };
        let instruction = sessions[0].decode(&code, place.address, place.context);
        let instruction = instruction.unwrap_or_else(|bad| panic!("{text}, {hexadecimal}: {bad}"));
        let found = instruction.text().split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(found, text, "the text of {hexadecimal}");
        for seed in 0..states {
            self.compare(&mut sessions, &Case { bytes: &bytes, place, seed });
        }
    }

    fn decoded(&self) -> usize {
        let refused: usize = self.unsupported.values().map(|(count, _)| count).sum();
        self.same + self.endless + refused
    }

    fn compare(&mut self, sessions: &mut [LiftSession<'_>], case: &Case<'_>) {
        let mut blocks = Vec::new();
        match self.outcome(sessions, case, &mut blocks) {
            Ok(Outcome::NoInstruction) => {}
            Ok(Outcome::Same) => self.same += 1,
            Ok(Outcome::Endless) => self.endless += 1,
            Ok(Outcome::Unsupported(reason, text)) => {
                self.unsupported.entry(reason).or_insert((0, text)).0 += 1;
            }
            Err(problem) => panic!("{}", case.describe(&self.architecture, &problem, &blocks)),
        }
    }

    fn outcome(
        &mut self,
        sessions: &mut [LiftSession<'_>],
        case: &Case<'_>,
        blocks: &mut Vec<Block>,
    ) -> Result<Outcome, String> {
        let layout = self.architecture.layout();
        let Place { address, context, .. } = case.place;
        let mut expected = PcodeState::seeded(case.seed);
        let Ok(instruction) = sessions[0].decode(&case.code(), address, context) else {
            return Ok(Outcome::NoInstruction);
        };
        let next = run_pcode(&self.architecture, &instruction, &mut expected, BUDGET);
        let end = wrap(&self.architecture, address.wrapping_add(u64::from(instruction.full_length())));
        let text = instruction.text();
        if next == Err(PcodeError::Endless) {
            return Ok(Outcome::Endless);
        }
        for (session, observers) in sessions.iter_mut().zip(OBSERVERS) {
            blocks.clear();
            let mut state = PcodeState::seeded(case.seed);
            let left = run_lifted(session, case, case.place, &mut state, &mut self.round_trip, blocks)?;
            let leaving = match left {
                Ok(leaving) => leaving,
                Err(NotLifted::Unsupported(why)) => {
                    let reason = format!("{}: {}", why.opcode, why.reason);
                    return Ok(Outcome::Unsupported(reason, text));
                }
                Err(why) => return Err(why.to_string()),
            };
            let next = next.map_err(|error| format!("lifted, though {error}"))?;
            let found = next_of(&leaving, end);
            if found != next {
                return Err(format!("{observers:?}: leads to {found:x?}, p-code to {next:x?}"));
            }
            if let Some(difference) = state.difference(&expected, layout) {
                return Err(format!("{observers:?}: lifted and as p-code, {difference}"));
            }
        }
        Ok(Outcome::Same)
    }

    /// Reports the instructions that could not be compared, and checks that they are few.
    pub(crate) fn finish(&mut self) {
        self.round_trip.finish();
        let (name, decoded, same, endless) =
            (self.architecture.name(), self.decoded(), self.same, self.endless);
        let refused = decoded - same - endless;
        println!("{name}: {same} of {decoded} compared, {endless} endless, {refused} unsupported");
        for (reason, (count, example)) in &self.unsupported {
            println!("{name}: {count} unsupported, {reason}, such as `{example}`");
        }
        let reasons = &self.unsupported;
        assert!(100 * refused <= decoded, "{name}: {refused} of {decoded} unsupported: {reasons:#?}");
        assert!(100 * endless <= decoded, "{name}: {endless} of {decoded} endless");
    }
}

//! Runs of instruction vectors on the machine that the tool executes programs on: decode, lift, execute, and compare the
//! whole state with the data sheet.

use everypath::ir::{Context, Location, Place, SpaceId, SpaceKind};
use everypath::lift::{CodeBytes, Lifter};
use everypath::{Architecture, Binary, Configuration};
use everypath_lift::LiftSession;
use everypath_machine::{
    Concrete, ConcreteDomain, End, Machine, NoWatch, Permissions, Region, RunLimits, State,
};
use everypath_vectors::{Assignment, Pattern, Vector, VectorTarget};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// The number of parts of an instruction that are run before it counts as endless.
const PARTS: usize = 10_000;
/// Number of zero bytes behind an instruction, at which a decoder may look.
const BEHIND: usize = 16;

/// A byte of which some bits are known: its value and the mask of the known bits.
type Masked = (u8, u8);

/// The runs of the vectors of one architecture.
pub(crate) struct VectorRuns {
    /// A program of one byte, of which only the architecture matters.
    binary: Binary,
    lifter: Lifter,
}

impl VectorRuns {
    /// # Errors
    /// If there is no such architecture.
    pub(crate) fn new(architecture: &str) -> Result<Self, String> {
        let opened = Binary::options().architecture(architecture).raw(0).read([0]);
        let binary = opened.map_err(|error| error.to_string())?;
        let lifter = Lifter::new(binary.guest().shared_architecture());
        Ok(Self { binary, lifter })
    }

    /// Runs a vector, and returns each difference in words; none if its instruction has no model, so that a run of a program
    /// ends there and claims nothing.
    pub(crate) fn differences(&self, vector: &Vector) -> Option<Vec<String>> {
        let mut messages = Vec::new();
        match self.run(&mut self.lifter.session(), vector, &mut messages) {
            Ok(()) => {}
            Err(VectorProblem::NoModel) => return None,
            Err(VectorProblem::Other(problem)) => messages.push(problem),
        }
        Some(messages)
    }

    fn run(
        &self,
        session: &mut LiftSession<'_>,
        vector: &Vector,
        messages: &mut Vec<String>,
    ) -> Result<(), VectorProblem> {
        let architecture = self.binary.architecture();
        let start = start(architecture, vector)?;
        let Some(length) = decode(session, start, vector, messages)? else { return Ok(()) };
        let (mut before, mut state) = self.states(vector, start)?;
        let reached = self.execute(&mut state, start)?;

        let is_counter = |assignment: &&Assignment| is_counter(architecture, assignment);
        let mut expected = BTreeMap::new();
        for assignment in vector.after.iter().filter(|one| !is_counter(one)) {
            assign(architecture, assignment, &mut expected)?;
        }
        compare(architecture, &mut before, &mut state, &expected, messages);
        let next = wrapped(architecture, start.address.wrapping_add(length as u64));
        match vector.after.iter().find(is_counter) {
            None if reached != next => messages.push(format!("goes to {reached:x}, not on to {next:x}")),
            Some(wanted) if !wanted.value.matches_number(&reached.to_be_bytes()) => {
                messages.push(format!("goes to {reached:x}, not to {}", wanted.value));
            }
            _ => {}
        }
        Ok(())
    }

    /// The state before, twice: one to be run, one to compare with.
    fn states(&self, vector: &Vector, start: Place) -> Result<(State, State), String> {
        let architecture = self.binary.architecture();
        let mut state = State::new(architecture.layout());
        let all = Permissions { read: true, write: true, execute: true };
        for (number, space) in architecture.layout().spaces.iter().enumerate() {
            if let Some(memory) = state.memory(SpaceId(number as u8)) {
                let last = u64::try_from(space.size() - 1).map_err(|error| error.to_string())?;
                memory.map(Region::memory(0, last, all));
            }
        }
        let mut bytes = BTreeMap::new();
        for assignment in &vector.before {
            assign(architecture, assignment, &mut bytes)?;
        }
        let code = self.binary.guest().code_space();
        for (distance, byte) in vector.bytes.iter().enumerate() {
            let offset = wrapped(architecture, start.address.wrapping_add(distance as u64));
            bytes.insert(Location { space: code, offset }, (*byte, 0xff));
        }
        for (location, (value, _)) in bytes {
            let written = state.write(location.space, location.offset, 1, u64::from(value));
            written.map_err(|denied| format!("the state cannot be set: {denied:?}"))?;
        }
        Ok((state.fork(), state))
    }

    /// Executes one instruction, and returns the address of the next one.
    fn execute(&self, state: &mut State, start: Place) -> Result<u64, VectorProblem> {
        let guest = self.binary.guest();
        let world = guest.world(&Configuration::default()).map_err(|error| error.to_string())?;
        let mut machine: Machine<_, Concrete> = Machine::new(guest);
        let mut domain = ConcreteDomain { state, outside: world };
        let limits = RunLimits::one_instruction();
        let mut place = start;
        for _ in 0..PARTS {
            match machine.run(&mut domain, place, &limits, &mut NoWatch).0 {
                End::Exhausted { place: next, .. } => place = next,
                End::Unmodelled { .. } => return Err(VectorProblem::NoModel),
                other => return Err(guest.explain(&other).into()),
            }
            if place.part == 0 {
                return Ok(place.address);
            }
        }
        Err("the instruction does not end".to_owned().into())
    }
}

/// Why a vector has no result to compare.
enum VectorProblem {
    /// Its instruction has an operation without a model.
    NoModel,
    /// In words.
    Other(String),
}

impl From<String> for VectorProblem {
    fn from(problem: String) -> VectorProblem {
        VectorProblem::Other(problem)
    }
}

/// Where the instruction of a vector is, with its decoding context.
fn start(architecture: &Architecture, vector: &Vector) -> Result<Place, String> {
    let (address, context) = architecture.code_address(vector.address);
    let mut context = everypath::lift::DecodingContext(context.0);
    for (field, value) in &vector.context {
        let set = architecture.specification().set_context_field(&mut context, field, u128::from(*value));
        set.map_err(|error| error.to_string())?;
    }
    Ok(Place::new(address, Context(context.0)))
}

/// Decodes the instruction, and returns its length; none if it is rightly none.
fn decode(
    session: &mut LiftSession<'_>,
    start: Place,
    vector: &Vector,
    messages: &mut Vec<String>,
) -> Result<Option<usize>, String> {
    let bytes = [vector.bytes.as_slice(), &[0; BEHIND]].concat();
    let code = CodeBytes { address: start.address, bytes: &bytes };
    let instruction = match session.decode(&code, start.address, start.context) {
        Err(_) if vector.bad => return Ok(None),
        Err(bad) => return Err(bad.to_string()),
        Ok(instruction) if vector.bad => return Err(format!("decodes, as `{}`", instruction.text())),
        Ok(instruction) => instruction,
    };
    let text = instruction.text().split_whitespace().collect::<Vec<_>>().join(" ");
    if vector.text.as_ref().is_some_and(|expected| *expected != text) {
        messages.push(format!("the text is `{text}`"));
    }
    let length = instruction.full_length() as usize;
    if length != vector.bytes.len() {
        messages.push(format!("{length} bytes long, not {}", vector.bytes.len()));
    }
    Ok(Some(length))
}

/// An address of code, which wraps around at the end of its space.
fn wrapped(architecture: &Architecture, address: u64) -> u64 {
    let specification = architecture.specification();
    specification.space(specification.default_space()).wrap(address)
}

fn is_counter(architecture: &Architecture, assignment: &Assignment) -> bool {
    let counter = &architecture.description().registers.program_counter;
    matches!(&assignment.target, VectorTarget::Register(name) if name == counter)
}

/// The bytes of an assignment.
fn assign(
    architecture: &Architecture,
    assignment: &Assignment,
    bytes: &mut BTreeMap<Location, Masked>,
) -> Result<(), String> {
    let (start, digits) = match &assignment.target {
        VectorTarget::Register(name) => {
            let found = architecture.register(name);
            let (location, width) = found.ok_or_else(|| format!("there is no register `{name}`"))?;
            let digits = register_bytes(&assignment.value, width.bytes())?;
            let space = &architecture.layout()[location.space];
            let is_big = space.endian == everypath::ir::Endian::Big;
            (location, if is_big { digits } else { digits.into_iter().rev().collect() })
        }
        VectorTarget::Memory { space, address } => {
            let found = architecture.layout().find_space(space);
            let space = found.ok_or_else(|| format!("there is no space `{space}`"))?;
            (Location { space, offset: *address }, assignment.value.masked_bytes())
        }
    };
    for (distance, byte) in digits.into_iter().enumerate() {
        bytes.insert(Location { space: start.space, offset: start.offset + distance as u64 }, byte);
    }
    Ok(())
}

/// The bytes of a register's value, the most significant first.
fn register_bytes(value: &Pattern, size: usize) -> Result<Vec<Masked>, String> {
    let digits = value.masked_bytes();
    let (extra, missing) = (digits.len().saturating_sub(size), size.saturating_sub(digits.len()));
    if digits[..extra].iter().any(|digit| *digit != (0, 0xff)) {
        return Err(format!("`{value}` does not fit into {size} bytes"));
    }
    Ok([vec![(0, 0xff); missing], digits[extra..].to_vec()].concat())
}

/// Compares all bytes that are expected to change, or did. Some specifications write the program counter, of which only the
/// successor is compared.
fn compare(
    architecture: &Architecture,
    before: &mut State,
    state: &mut State,
    expected: &BTreeMap<Location, Masked>,
    messages: &mut Vec<String>,
) {
    let mut changed: Vec<Location> = expected.keys().copied().collect();
    let differs = state.try_for_each_difference(before, |location| {
        changed.push(location);
        ControlFlow::Continue(())
    });
    if differs.is_break() {
        messages.push("the memory map changed".to_owned());
    }
    changed.sort_unstable();
    changed.dedup();
    let counter = architecture.register(&architecture.description().registers.program_counter);
    for location in changed {
        let space = &architecture.layout()[location.space];
        let is_of_counter = counter.is_some_and(|(start, width)| {
            start.space == location.space
                && (start.offset..start.offset + width.bytes() as u64).contains(&location.offset)
        });
        if space.kind == SpaceKind::Temporary || is_of_counter {
            continue;
        }
        let byte = |state: &mut State| state.read(location.space, location.offset, 1).unwrap_or(0) as u8;
        let (old, new) = (byte(before), byte(state));
        let (value, mask) = expected.get(&location).copied().unwrap_or((old, 0xff));
        if new & mask != value {
            let (name, offset) = (&space.name, location.offset);
            messages.push(format!("{name}[{offset:x}] is {new:02x}, not {value:02x}; it was {old:02x}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_that_is_wrong_is_found() {
        let runs = VectorRuns::new("8051").unwrap();
        // A row and the expected message; an empty one for a row that holds.
        let rows = [
            ("INC A | 04 | A=03 | A=04 PSW=01", ""),
            ("INC A | 04 | A=03 | A=05 PSW=01", "SFR[e0] is 04, not 05; it was 03"),
            ("INC A | 04 | A=03 | A=04", "SFR[d0] is 01, not 00"),
            ("INC A | 04 | A=03 | A=04 PSW=01 INTMEM[30]=01", "INTMEM[30] is 00, not 01"),
            ("INC A | 04 | A=03 | A=04 PSW=01 PC=0002", "goes to 1, not to 0002"),
            ("SJMP 0x0 | 80 fe | | PC=0000", ""),
            ("DEC A | 04 | A=03 | A=04 PSW=01", "the text is `INC A`"),
            ("INC A | 04 00 | A=03 | A=04 PSW=01", "1 bytes long, not 2"),
            ("~ | 04 | | bad", "decodes, as `INC A`"),
            ("~ | a5 | | bad", ""),
            ("INC A | 04 | Q=1 | A=01 PSW=01", "no register `Q`"),
            ("INC A | 04 | A=100 | A=01 PSW=01", "does not fit"),
        ];
        for (row, expected) in rows {
            let vectors = everypath_vectors::parse("row.vec", row).unwrap();
            let faults = runs.differences(&vectors[0]).expect("a model").join("\n");
            assert_eq!(faults.is_empty(), expected.is_empty(), "{row}: {faults}");
            assert!(faults.contains(expected), "{row}: {faults}");
        }
    }
}

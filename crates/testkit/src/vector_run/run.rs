//! Execution of one vector.

use super::expect::{Bytes, Masked, assign, place_name};
use crate::machine::{PcodeState, run_block};
use crate::vectors::{Assignment, Vector, VectorTarget};
use everypath_ir::{Context, Observers, Place, SpaceId, SpaceKind, verify};
use everypath_lift::{Architecture, Code, LiftSession, Lifter, Options};
use everypath_sleigh::{BadInstruction, DecodingContext};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// The number of parts of an instruction that are run before it counts as endless.
const PART_LIMIT: usize = 10_000;

/// A failed vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorFault {
    /// The file and line of the vector.
    pub place: String,
    /// The differences or errors.
    pub messages: Vec<String>,
}

impl fmt::Display for VectorFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, message) in self.messages.iter().enumerate() {
            let separator = if number == 0 { "" } else { "\n" };
            write!(formatter, "{separator}{}: {message}", self.place)?;
        }
        Ok(())
    }
}

impl std::error::Error for VectorFault {}

/// A state as a source of code.
struct CodeInState<'s> {
    state: &'s PcodeState,
    space: SpaceId,
}

impl Code for CodeInState<'_> {
    fn read(&self, address: u64, buffer: &mut [u8]) -> usize {
        for (index, byte) in buffer.iter_mut().enumerate() {
            *byte = self.state.byte(self.space, address.wrapping_add(index as u64));
        }
        buffer.len()
    }
}

/// Decodes, lifts and runs vectors, compares the state after each with the expected one, and returns all differences.
/// Each is lifted without dead-code elimination, and again with it.
pub fn run_vectors(architecture: &Arc<Architecture>, vectors: &[Vector]) -> Vec<VectorFault> {
    let mut faults = Vec::new();
    for observers in [None, Some(Observers::Precise), Some(Observers::Overwritten)] {
        let lifter = Lifter::new(architecture.clone()).with_options(Options { instructions: 1, observers });
        let mut session = lifter.session();
        for vector in vectors {
            let mut messages = Vec::new();
            if let Err(message) = run(&mut session, vector, &mut messages) {
                messages.push(message);
            }
            let fault = VectorFault { place: format!("{}:{}", vector.file, vector.line), messages };
            if !fault.messages.is_empty() && !faults.contains(&fault) {
                faults.push(fault);
            }
        }
    }
    faults
}

fn run(session: &mut LiftSession<'_>, vector: &Vector, messages: &mut Vec<String>) -> Result<(), String> {
    let lifter = session.lifter();
    let architecture = &**lifter.architecture();
    let specification = architecture.specification();
    let counter = &architecture.description().registers.program_counter;
    let is_counter = |assignment: &&Assignment| matches!(&assignment.target, VectorTarget::Register(name) if name == counter);
    let code_space = architecture.spaces().get(specification.default_space()).ok_or("code is in no space")?;
    let (address, context) = architecture.code_address(vector.address);
    let mut context = DecodingContext(context.0);
    for (field, value) in &vector.context {
        let set = specification.set_context_field(&mut context, field, u128::from(*value));
        set.map_err(|error| error.to_string())?;
    }
    let context = Context(context.0);

    let mut before = Bytes::new();
    assign(architecture, &vector.before, &mut before)?;
    for (index, byte) in vector.bytes.iter().enumerate() {
        let offset =
            specification.space(specification.default_space()).wrap(address.wrapping_add(index as u64));
        before.insert((code_space, offset), Masked { value: *byte, mask: 0xff });
    }
    let mut state = PcodeState::zero();
    for ((space, offset), byte) in &before {
        state.set_byte(*space, *offset, byte.value);
    }
    let code_before = state.clone();
    let code = CodeInState { state: &code_before, space: code_space };

    let instruction = match session.decode(&code, address, context) {
        Err(BadInstruction::Truncated) => {
            return Err("the instruction needs more bytes than there are".to_owned());
        }
        Err(_) if vector.bad => return Ok(()),
        Err(bad) => return Err(bad.to_string()),
        Ok(instruction) if vector.bad => return Err(format!("decodes, as `{}`", instruction.text())),
        Ok(instruction) => instruction,
    };
    let text = instruction.text().split_whitespace().collect::<Vec<_>>().join(" ");
    if vector.text.as_ref().is_some_and(|expected| *expected != text) {
        messages.push(format!("the text is `{text}`"));
    }
    let length = instruction.full_length();
    if length as usize != vector.bytes.len() {
        messages.push(format!("{length} bytes long, not {}", vector.bytes.len()));
    }
    let next =
        specification.space(specification.default_space()).wrap(address.wrapping_add(u64::from(length)));

    let reached = leave(session, &code, Place::new(address, context), &mut state)?;
    let mut expected = before.clone();
    assign(architecture, vector.after.iter().filter(|assignment| !is_counter(assignment)), &mut expected)?;
    compare(architecture, &before, &expected, &state, messages);
    match vector.after.iter().find(is_counter) {
        None if reached != next => {
            messages.push(format!("goes to {reached:x}, not on to {next:x}"));
        }
        Some(wanted) if !wanted.value.matches_number(&reached.to_be_bytes()) => {
            messages.push(format!("goes to {reached:x}, not to {}", wanted.value));
        }
        _ => {}
    }
    Ok(())
}

/// Runs the blocks of one instruction until it is left, and returns its successor.
fn leave(
    session: &mut LiftSession<'_>,
    code: &dyn Code,
    start: Place,
    state: &mut PcodeState,
) -> Result<u64, String> {
    let architecture = session.lifter().architecture();
    let layout = architecture.layout();
    let mut place = start;
    for _ in 0..PART_LIMIT {
        let block = session.block(code, place).map_err(|why| why.to_string())?;
        verify(layout, &block).map_err(|faults| format!("the block is malformed: {faults:?}"))?;
        place = run_block(layout, &block, state).place;
        if place.part == 0 {
            return Ok(place.address);
        }
    }
    Err("the instruction does not end".to_owned())
}

/// Some specifications write the program counter; only the successor is compared.
fn is_program_counter(architecture: &Architecture, space: SpaceId, offset: u64) -> bool {
    let counter = architecture.register(&architecture.description().registers.program_counter);
    counter.is_some_and(|(location, width)| {
        location.space == space
            && offset.checked_sub(location.offset).is_some_and(|at| at < width.bytes() as u64)
    })
}

fn compare(
    architecture: &Architecture,
    before: &Bytes,
    expected: &Bytes,
    state: &PcodeState,
    messages: &mut Vec<String>,
) {
    let places: BTreeSet<_> = state.set_places().into_iter().chain(expected.keys().copied()).collect();
    for (space, offset) in places {
        let temporary = architecture.layout()[space].kind == SpaceKind::Temporary;
        if temporary || is_program_counter(architecture, space, offset) {
            continue;
        }
        let unwritten = Masked { value: 0, mask: 0xff };
        let wanted = expected.get(&(space, offset)).copied().unwrap_or(unwritten);
        let found = state.byte(space, offset);
        if found & wanted.mask != wanted.value {
            let name = place_name(architecture, space, offset);
            let old = before.get(&(space, offset)).copied().unwrap_or(unwritten).value;
            messages.push(format!("{name} is {found:02x}, not {:02x}; it was {old:02x}", wanted.value));
        }
    }
}

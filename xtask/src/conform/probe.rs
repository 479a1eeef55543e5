//! Examines the registers and operations of an instruction, and decides whether it can be compared.

use super::harvest::Instance;
use super::known::matches;
use super::registers::Registers;
use super::report::Reason;
use everypath_environment::MODELS;
use everypath_ir::{Location, SpaceId, SpaceKind};
use everypath_lift::Architecture;
use everypath_sleigh::{self as sleigh, Opcode, Operation, Varnode};

/// The model of an operation that ends execution with a trap.
const TRAP: &str = "trap";

/// An instruction that can be compared.
#[derive(Clone, Debug)]
pub(super) struct Probe {
    pub(super) text: String,
    /// Its length in bytes, with delay slots.
    pub(super) length: usize,
    /// The executor's number of steps: for itself, its delay slots and its lead instruction.
    pub(super) steps: usize,
    /// The number of instructions to run: it may need a lead instruction.
    pub(super) instructions: usize,
    /// The extra-time registers that it uses.
    pub(super) extra: Vec<usize>,
    /// The bits that encode its context for the executor.
    pub(super) bits: Vec<Option<u128>>,
    /// Whether its accesses must not cross lines.
    pub(super) inside_lines: bool,
}

impl Probe {
    /// Keeps its accesses inside lines if a pattern matches.
    pub(super) fn keep_inside_lines(mut self, patterns: &[String]) -> Self {
        self.inside_lines = patterns.iter().any(|pattern| matches(pattern, &self.text));
        self
    }
}

/// Examines an instruction.
///
/// # Errors
/// The reason why it cannot be compared.
pub(super) fn probe(
    architecture: &Architecture,
    registers: &Registers,
    instance: &Instance,
) -> Result<Probe, Reason> {
    let alone = |bytes: &[u8]| {
        let instance = Instance { bytes: bytes.to_vec(), lead: 0, ..*instance };
        probe_alone(architecture, registers, &instance)
    };
    let (lead, own) = instance.bytes.split_at(instance.lead);
    let mut probe = alone(own)?;
    if !lead.is_empty() {
        let first = alone(lead)?;
        probe.length += first.length;
        probe.steps += first.steps;
        probe.instructions += first.instructions;
        probe.extra.extend(first.extra);
        probe.extra.sort_unstable();
        probe.extra.dedup();
    }
    Ok(probe)
}

/// Examines an instruction without a lead instruction.
fn probe_alone(
    architecture: &Architecture,
    registers: &Registers,
    instance: &Instance,
) -> Result<Probe, Reason> {
    let specification = architecture.specification();
    let mut decoder = specification.decoder_from(sleigh::DecodingContext(instance.context.0));
    let context = sleigh::DecodingContext(instance.context.0);
    let instruction = decoder
        .decode(&instance.bytes, instance.home, context)
        .map_err(|bad| Reason::new("no p-code", bad.to_string()))?;
    let mut extra = Vec::new();
    for operation in instruction.operations() {
        if operation.opcode == Opcode::CallOther {
            let number = operation.inputs.first().map_or(u64::MAX, |input| input.offset);
            let name = specification.user_operations().get(number as usize).map_or("?", String::as_str);
            let Some(said) = architecture.description().user_operation(name) else {
                return Err(Reason::new("a user operation without a model", name));
            };
            // For a trap, it is compared that the executor traps, too.
            if said.model != TRAP && MODELS.iter().any(|model| model.name == said.model && model.ends) {
                return Err(Reason::new("it ends the run", name));
            }
        }
        let mut places: Vec<Varnode> = operation.output.iter().chain(operation.inputs).copied().collect();
        if let Some(access) = register_access(architecture, &operation) {
            match access {
                Some(place) => places.push(place),
                None => extra.extend(0..registers.extra.len()),
            }
        }
        for place in places {
            let Some(space) = register_space(architecture, place.space) else { continue };
            let location = Location { space, offset: place.offset };
            match registers.shows(location, u64::from(place.size)) {
                Some(costs) => extra.extend(costs),
                None => {
                    let name = specification.varnode_text(place).to_string();
                    return Err(Reason::new("a register that the executor does not show", name));
                }
            }
        }
    }
    extra.sort_unstable();
    extra.dedup();
    Ok(Probe {
        text: instruction.text(),
        length: instruction.full_length() as usize,
        steps: 1 + instruction.delay_slots().count(),
        instructions: 1,
        extra,
        bits: registers.context_bits(instance.context),
        inside_lines: false,
    })
}

/// The IR space of a space of the specification, if it holds registers.
fn register_space(architecture: &Architecture, space: sleigh::SpecificationSpaceId) -> Option<SpaceId> {
    let space = architecture.spaces().get(space)?;
    (architecture.layout()[space].kind == SpaceKind::Register).then_some(space)
}

/// The register that an operation accesses by its address; `Some(None)` if that address is computed.
fn register_access(architecture: &Architecture, operation: &Operation<'_>) -> Option<Option<Varnode>> {
    let [number, address, ..] = operation.inputs else { return None };
    let size = match operation.opcode {
        Opcode::Load => operation.output?.size,
        Opcode::Store => operation.inputs.get(2)?.size,
        _ => return None,
    };
    let specification = architecture.specification();
    let name = &specification.spaces().get(number.offset as usize)?.name;
    let space = specification.space_named(name)?;
    register_space(architecture, space)?;
    Some(address.is_constant().then_some(Varnode { space, size, offset: address.offset }))
}

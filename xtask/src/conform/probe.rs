//! What an instruction has to do with, and whether it can be compared at all.

use super::executable::CODE;
use super::harvest::Instance;
use super::registers::Registers;
use super::report::Reason;
use everypath_ir::Location;
use everypath_lift::Architecture;
use everypath_sleigh::{self as sleigh, Opcode, SpaceKind};

/// An instruction that can be compared.
#[derive(Clone, Debug)]
pub(super) struct Probe {
    pub(super) text: String,
    /// How many bytes it has, with delay slots.
    pub(super) length: usize,
    /// How many instructions it is: itself and its delay slots.
    pub(super) steps: usize,
    /// Which of the registers that cost extra time it has to do with.
    pub(super) extra: Vec<usize>,
    /// The bits that tell the executor its context.
    pub(super) bits: Vec<u128>,
}

/// Looks at an instruction.
///
/// # Errors
/// Why it cannot be compared.
pub(super) fn probe(
    architecture: &Architecture,
    registers: &Registers,
    instance: &Instance,
) -> Result<Probe, Reason> {
    let specification = architecture.specification();
    let mut decoder = specification.decoder_from(sleigh::Context(instance.context.0));
    let context = sleigh::Context(instance.context.0);
    let instruction = decoder
        .decode(&instance.bytes, CODE, context)
        .map_err(|bad| Reason::new("no p-code", bad.to_string()))?;
    let mut extra = Vec::new();
    for operation in instruction.operations() {
        if operation.opcode == Opcode::CallOther {
            let number = operation.inputs.first().map_or(u64::MAX, |input| input.offset);
            let name = specification.user_operations().get(number as usize).map_or("?", String::as_str);
            match architecture.description().user_operations.get(name).map(String::as_str) {
                None => return Err(Reason::new("a user operation without a model", name)),
                Some("stop") => return Err(Reason::new("it ends the run", name)),
                Some(_) => {}
            }
        }
        for place in operation.output.iter().chain(operation.inputs) {
            if place.is_constant() || specification.space(place.space).kind != SpaceKind::Processor {
                continue;
            }
            let Some(space) = architecture.spaces().get(place.space) else { continue };
            if architecture.layout().spaces[usize::from(space.0)].kind != everypath_ir::SpaceKind::Register {
                continue;
            }
            let location = Location { space, offset: place.offset };
            match registers.shows(location, u64::from(place.size)) {
                Some(costs) => extra.extend(costs),
                None => {
                    let name = specification.varnode_text(*place).to_string();
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
        extra,
        bits: registers.context_bits(instance.context),
    })
}

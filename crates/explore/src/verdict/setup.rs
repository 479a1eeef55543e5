//! Detects a wrong setup: a first path that faults at once, before it reads any input, proves nothing.

use everypath_environment::InputOrigin;
use everypath_machine::{AccessFault, End, FaultReason, Missing};

use crate::path::inputs::SymbolicInputs;
use crate::path::task::Task;

/// Maximum number of instructions before a fault that counts as immediate.
const FEW: u64 = 64;
/// Maximum distance from the stack pointer at which an access counts as one to the stack.
const NEAR: u64 = 0x1_0000;

/// Concludes from the end of the first path what the setup probably lacks. Returns that in words, and the address.
pub(crate) fn suspect_setup(
    (first, end): (&Task, &End),
    root: &mut Task,
    inputs: &SymbolicInputs<'_>,
) -> Option<(u64, String)> {
    let reads = first.progress.reads.iter().any(|count| *count > 0);
    // Besides the initial constraints, the path condition may contain only assumptions about memory.
    let is_premise = |input| {
        let origin = inputs.table.origin(input);
        matches!(
            origin,
            Some(InputOrigin::Unwritten { .. } | InputOrigin::Assumed { .. } | InputOrigin::Changed { .. })
        )
    };
    let conditions = first.path_condition.conditions();
    let mut own = conditions.iter().skip(root.path_condition.len());
    if reads || !own.all(|condition| inputs.terms.inputs(*condition).iter().all(is_premise)) {
        return None;
    }
    let few = first.instructions <= FEW;
    let (address, missing) = match end {
        End::Faulted { address, reason: FaultReason::Access { denied, .. } } if few => {
            let sp = initial_stack_pointer(root, inputs);
            let near = |sp: u64| {
                let distance = denied.address.wrapping_sub(sp);
                distance < NEAR || distance.wrapping_neg() & u64::from(u32::MAX) < NEAR
            };
            let regions = root.state.regions(inputs.guest.code_space());
            // The stack pointer may be just behind its memory.
            let is_mapped = |sp: u64| {
                let at = |address: u64| regions.is_some_and(|regions| regions.at(address).is_some());
                at(sp) || at(sp.wrapping_sub(1))
            };
            let missing = match (sp, denied.fault) {
                (Some((name, 0)), _) if near(0) => format!(
                    "nothing sets the stack pointer: give it with `registers = {{ {name} = ADDRESS }}` and its \
                         memory with `[[memory]]`"
                ),
                (Some((_, sp)), AccessFault::Unmapped) if near(sp) && !is_mapped(sp) => {
                    format!("there is no memory at the stack pointer {sp:#x}: declare it with `[[memory]]`")
                }
                (_, AccessFault::Unmapped) if denied.address == *address => format!(
                    "there is no code at {address:#x}: `--entry` or `--base` is wrong, or memory is missing that \
                         `[[memory]]` declares"
                ),
                _ => format!(
                    "the program needs memory at {:#x}: declare it with `[[memory]]`, or the file is not \
                         relocated, or `--entry` is wrong",
                    denied.address
                ),
            };
            (*address, missing)
        }
        End::Faulted { address, reason: FaultReason::NoInstruction(_) } if few => {
            let missing = "the bytes there do not decode: `--architecture`, `--entry` or `--base` is wrong";
            (*address, missing.to_owned())
        }
        // A call of which there is no model says so itself.
        End::Unmodelled { missing: Missing::SystemCall(_), .. } if first.progress.is_process() => {
            return None;
        }
        End::Unmodelled { address, missing: Missing::SystemCall(_) } => {
            let missing = "the program calls an operating system: a Linux program is one if the configuration has `[linux]`, for \
                           processors whose description has it; of others, one function can be tested with `[call]`";
            (*address, missing.to_owned())
        }
        _ => return None,
    };
    let end = inputs.guest.explain(end);
    let what = format!(
        "the setup is probably wrong: the program ends after {} instruction{}, before it reads any input ({end}, at \
             {address:#x}); {missing}",
        first.instructions,
        if first.instructions == 1 { "" } else { "s" }
    );
    Some((address, what))
}

/// The name and the initial value of the stack pointer.
fn initial_stack_pointer(root: &mut Task, inputs: &SymbolicInputs<'_>) -> Option<(String, u64)> {
    let name = inputs.guest.architecture().description().registers.stack_pointer.clone()?;
    let (location, width) = inputs.guest.architecture().register(&name)?;
    let value = root.state.read(location.space, location.offset, width.bytes()).ok()?;
    Some((name, value))
}

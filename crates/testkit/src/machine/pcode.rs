//! A reference interpreter of the raw p-code of one instruction.

use super::operator::{compute, resized};
use super::state::{PcodeEvent, PcodeState};
use everypath_ir::{Bits, Endian, SpaceId, SpaceKind, Width};
use everypath_lift::Architecture;
use everypath_sleigh::{self as sleigh, Instruction, Opcode, Operation, Varnode};
use std::fmt;

/// The kind of control transfer by which an instruction was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PcodeFlow {
    /// It ended, or branched to the instruction after it.
    Fall,
    /// It branched.
    Jump,
    /// It called.
    Call,
    /// It returned.
    Return,
}

/// The successor of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PcodeNext {
    /// The kind of control transfer.
    pub flow: PcodeFlow,
    /// The address in bytes.
    pub address: u64,
}

/// The reason why p-code could not be run to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PcodeError {
    /// It exceeds the budget of operations.
    Endless,
    /// An operation is undefined on its inputs.
    Meaningless {
        /// Its opcode.
        opcode: Opcode,
        /// Its number in the instruction.
        position: usize,
    },
}

impl fmt::Display for PcodeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Endless => formatter.write_str("the instruction runs for too long"),
            Self::Meaningless { opcode, position } => {
                write!(formatter, "operation {position}, {opcode}, has no meaning on its inputs")
            }
        }
    }
}

impl std::error::Error for PcodeError {}

/// Runs the p-code of one instruction, `budget` operations at most.
///
/// A branch back to the first operation counts as a jump to the instruction itself: at that point its temporaries are
/// dead.
///
/// # Errors
/// If the budget does not suffice, or an operation is malformed.
pub fn run_pcode(
    architecture: &Architecture,
    instruction: &Instruction<'_>,
    state: &mut PcodeState,
    budget: usize,
) -> Result<PcodeNext, PcodeError> {
    state.lose_temporaries(architecture.layout());
    let operations: Vec<Operation<'_>> = instruction.operations().collect();
    let mut run = Run { architecture, state };
    let code = architecture.specification().space(architecture.specification().default_space());
    let end = code.wrap(instruction.address().wrapping_add(u64::from(instruction.full_length())));
    let mut position = 0;
    for _ in 0..budget {
        let Some(operation) = operations.get(position) else {
            return Ok(PcodeNext { flow: PcodeFlow::Fall, address: end });
        };
        let meaningless = PcodeError::Meaningless { opcode: operation.opcode, position };
        match run.step(operation).ok_or(meaningless)? {
            Step::On => position += 1,
            Step::Within(distance) => {
                position = position.checked_add_signed(distance).ok_or(meaningless)?;
                if position > operations.len() {
                    return Err(meaningless);
                }
                if position == 0 {
                    return Ok(PcodeNext { flow: PcodeFlow::Jump, address: instruction.address() });
                }
            }
            Step::Out(PcodeNext { flow: PcodeFlow::Jump, address }) if address == end => {
                return Ok(PcodeNext { flow: PcodeFlow::Fall, address });
            }
            Step::Out(next) => return Ok(next),
        }
    }
    Err(PcodeError::Endless)
}

enum Step {
    /// To the next operation.
    On,
    /// To an operation at this distance.
    Within(isize),
    /// Out of the instruction.
    Out(PcodeNext),
}

struct Run<'a> {
    architecture: &'a Architecture,
    state: &'a mut PcodeState,
}

impl Run<'_> {
    fn step(&mut self, operation: &Operation<'_>) -> Option<Step> {
        let inputs = operation.inputs;
        match operation.opcode {
            Opcode::Branch => return Some(branch(inputs[0])),
            Opcode::ConditionalBranch => {
                let taken = !self.get(inputs[1])?.is_zero();
                return Some(if taken { branch(inputs[0]) } else { Step::On });
            }
            Opcode::Call => {
                return Some(Step::Out(PcodeNext { flow: PcodeFlow::Call, address: inputs[0].offset }));
            }
            Opcode::CallIndirect | Opcode::BranchIndirect | Opcode::Return => {
                let flow = match operation.opcode {
                    Opcode::CallIndirect => PcodeFlow::Call,
                    Opcode::BranchIndirect => PcodeFlow::Jump,
                    _ => PcodeFlow::Return,
                };
                let code = self.architecture.specification().default_space();
                let target = self.get(inputs[0])?;
                let address = self.byte_offset(code, &target)?;
                return Some(Step::Out(PcodeNext { flow, address }));
            }
            Opcode::Load => {
                let space = space_of(inputs[0])?;
                let pointer = self.get(inputs[1])?;
                let output = operation.output?;
                let offset = self.byte_offset(space, &pointer)?;
                // In the constant space, the contents of an address are the address.
                let value = self.get(Varnode { space, offset, size: output.size })?;
                self.put(output, &value)?;
            }
            Opcode::Store => {
                let space = space_of(inputs[0])?;
                let pointer = self.get(inputs[1])?;
                let value = self.get(inputs[2])?;
                let offset = self.byte_offset(space, &pointer)?;
                self.put(Varnode { space, offset, size: inputs[2].size }, &value)?;
            }
            Opcode::CallOther => {
                let mut arguments = Vec::new();
                for input in &inputs[1..] {
                    arguments.push(self.get(*input)?);
                }
                let width = match operation.output {
                    Some(output) => Some(Width::new(8 * output.size)?),
                    None => None,
                };
                let result = self.state.call(inputs[0].offset as u32, arguments, width);
                if let (Some(output), Some(result)) = (operation.output, result) {
                    self.put(output, &result)?;
                }
            }
            opcode => {
                let mut values = Vec::new();
                for input in inputs {
                    values.push(self.get(*input)?);
                }
                let output = operation.output?;
                let value = compute(opcode, &values, output.size)?;
                self.put(output, &value)?;
            }
        }
        Some(Step::On)
    }

    fn get(&mut self, varnode: Varnode) -> Option<Bits> {
        if varnode.is_constant() {
            return Some(Bits::from_u64(varnode.offset, Width::new(8 * varnode.size)?));
        }
        self.read(varnode)
    }

    /// The byte that an address in a space's own units points to.
    fn byte_offset(&self, space: sleigh::SpecificationSpaceId, pointer: &Bits) -> Option<u64> {
        let space = self.architecture.specification().spaces().get(usize::from(space.0))?;
        let address = resized(pointer, space.address_size)?.to_u64()?;
        Some(space.wrap(address.wrapping_mul(u64::from(space.word_size))))
    }

    /// The space, the offsets and the byte order of a varnode.
    fn places(&self, varnode: Varnode) -> Option<(SpaceId, Vec<u64>, Endian)> {
        let space = self.architecture.specification().spaces().get(usize::from(varnode.space.0))?;
        let next = |offset: u64| if offset == space.highest { 0 } else { offset + 1 };
        let offsets = std::iter::successors(Some(varnode.offset), |offset| Some(next(*offset)));
        let endian = if space.big_endian { Endian::Big } else { Endian::Little };
        let id = self.architecture.spaces().get(varnode.space)?;
        Some((id, offsets.take(varnode.size as usize).collect(), endian))
    }

    fn is_memory(&self, space: SpaceId) -> bool {
        self.architecture.layout().space(space).is_some_and(|space| space.kind == SpaceKind::Memory)
    }

    fn read(&mut self, varnode: Varnode) -> Option<Bits> {
        let (space, offsets, endian) = self.places(varnode)?;
        if self.is_memory(space) {
            self.state.note(PcodeEvent::Read { space, offset: varnode.offset, size: offsets.len() });
        }
        Some(Bits::from_bytes_le(&self.state.read(space, &offsets, endian), Width::new(8 * varnode.size)?))
    }

    fn put(&mut self, varnode: Varnode, value: &Bits) -> Option<()> {
        // A register that is always zero is a constant; writes to it have no effect.
        if varnode.is_constant() {
            return Some(());
        }
        let (space, offsets, endian) = self.places(varnode)?;
        if self.is_memory(space) {
            self.state.note(PcodeEvent::Write { space, offset: varnode.offset, size: offsets.len() });
        }
        let bytes = value.to_bytes_le();
        if bytes.len() != offsets.len() {
            return None;
        }
        self.state.write(space, &offsets, endian, bytes);
        Some(())
    }
}

/// The space that a load or store accesses.
fn space_of(varnode: Varnode) -> Option<sleigh::SpecificationSpaceId> {
    u8::try_from(varnode.offset).ok().map(sleigh::SpecificationSpaceId)
}

/// A branch to a constant is relative: the constant is a signed number of operations.
fn branch(target: Varnode) -> Step {
    if !target.is_constant() {
        return Step::Out(PcodeNext { flow: PcodeFlow::Jump, address: target.offset });
    }
    let distance = match target.size {
        1 => target.offset as i8 as isize,
        2 => target.offset as i16 as isize,
        4 => target.offset as i32 as isize,
        _ => target.offset as isize,
    };
    Step::Within(distance)
}

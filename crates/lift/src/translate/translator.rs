//! The translator of one block: adds instructions until one of them transfers control elsewhere.

use super::accesses::{Access, InstructionAccesses};
use super::check::width;
use super::flow::Reach;
use super::operation::{compute, resize, truth};
use super::parts::{Parts, branch_target};
use super::predicate::{Branches, divides, sources};
use crate::architecture::Architecture;
use crate::layout::SpaceMap;
use everypath_ir::{
    Bits, Block, BlockBuilder, Context, Endian, ExitKind, KnownPlaces, Location, Op, Operand, Place,
    SpaceKind, Target, Width,
};
use everypath_sleigh::{self as sleigh, Commit, Opcode, Operation, Specification, Varnode};

/// The parts of a decoded instruction that the translator uses.
pub(crate) struct InstructionView<'i> {
    pub(crate) address: u64,
    /// The address after it and its delay slots.
    pub(crate) end: u64,
    pub(crate) context: Context,
    /// Address and length of it and of each instruction in its delay slots.
    pub(crate) marks: &'i [(u64, u32)],
    /// The required alignment of its memory accesses.
    pub(crate) alignment: u8,
    pub(crate) operations: &'i [Operation<'i>],
    pub(crate) commits: &'i [Commit],
    pub(crate) parts: &'i Parts,
}

/// The continuation of a block after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// The block is complete and has its exits.
    End,
    /// The block continues with the instruction at this place.
    Next(Place),
}

/// An exit found so far; guards are assigned when the instruction is complete.
struct PendingExit {
    reach: Reach,
    kind: ExitKind,
    target: Target,
}

pub(crate) struct Translator<'s> {
    architecture: &'s Architecture,
    specification: &'s Specification,
    spaces: &'s SpaceMap,
    builder: BlockBuilder,
    known: KnownPlaces,
    /// The memory that the current instruction has accessed.
    accesses: InstructionAccesses,
    exits: Vec<PendingExit>,
}

impl<'s> Translator<'s> {
    pub(crate) fn new(architecture: &'s Architecture, place: Place) -> Option<Self> {
        let (specification, spaces) = (architecture.specification(), architecture.spaces());
        let code = spaces.get(specification.default_space())?;
        let builder = BlockBuilder::new(place, code);
        Some(Self {
            architecture,
            specification,
            spaces,
            builder,
            known: KnownPlaces::default(),
            accesses: InstructionAccesses::default(),
            exits: Vec::new(),
        })
    }

    /// Ends the block with a fall-through to `next`, because its builder wants it to end there.
    pub(crate) fn fall(mut self, next: Place) -> Block {
        self.builder.exit(None, ExitKind::Fall, Target::Place(next));
        self.builder.finish(next.address)
    }

    pub(crate) fn finish(self, end: u64) -> Block {
        self.builder.finish(end)
    }

    fn context_at(&self, instruction: &InstructionView<'_>, address: u64) -> Context {
        self.architecture.successor_context(instruction.context, instruction.commits, address)
    }

    /// Adds one part of an instruction. `check` must have accepted all of its operations. Whether a branch with a condition is
    /// one must not depend on identities: `keeps_branches` keeps one whose condition they make a constant (`bltu a4, a4`).
    pub(crate) fn add(
        &mut self,
        instruction: &InstructionView<'_>,
        part: usize,
        keeps_branches: bool,
    ) -> After {
        let count = instruction.operations.len();
        let Some(range) = instruction.parts.range(part, count) else { return After::End };
        for (address, length) in instruction.marks {
            self.builder.aligned_instruction(*address, *length as u8, instruction.alignment);
        }
        self.accesses.clear();
        let several = instruction.parts.count() > 1;
        // The conditions under which branches reach later operations.
        let mut arrivals: Vec<(usize, Reach)> = Vec::new();
        let mut branches = Branches::default();
        let mut reach = Reach::Always;
        for position in range.clone() {
            reach = self.arrive(reach, &mut arrivals, position);
            if reach == Reach::Never {
                continue;
            }
            let operation = &instruction.operations[position];
            match operation.opcode {
                Opcode::Branch | Opcode::ConditionalBranch => {
                    let taken = match operation.inputs.get(1) {
                        Some(_) => {
                            branches.add(position, reach);
                            let taken;
                            (taken, reach) =
                                self.divide(instruction.operations, position, reach, keeps_branches);
                            taken
                        }
                        None => std::mem::replace(&mut reach, Reach::Never),
                    };
                    self.branch(instruction, part, position, taken, &mut arrivals);
                }
                Opcode::Call | Opcode::CallIndirect | Opcode::BranchIndirect | Opcode::Return => {
                    let kind = match operation.opcode {
                        Opcode::Return => ExitKind::Return,
                        Opcode::BranchIndirect => ExitKind::Jump,
                        _ => ExitKind::Call,
                    };
                    let target = if operation.opcode == Opcode::Call {
                        let address = operation.inputs[0].offset;
                        Target::Place(Place::new(address, self.context_at(instruction, address)))
                    } else {
                        self.computed(instruction, operation, reach)
                    };
                    self.exits.push(PendingExit { reach, kind, target });
                    reach = Reach::Never;
                }
                opcode => {
                    let predicate = match reach {
                        Reach::When(_) if divides(opcode) => {
                            branches.predicate(&mut self.builder, instruction.operations, position, reach)
                        }
                        _ => Reach::Always,
                    };
                    self.operation(operation, reach, predicate);
                }
            }
        }
        reach = self.arrive(reach, &mut arrivals, range.end);
        if several {
            if let Some(space) = self.spaces.get(self.specification.unique_space()) {
                self.known.store_all(&mut self.builder, space);
            }
            if range.end < count {
                let next = Place { part: part as u16 + 1, ..self.start(instruction) };
                self.exits.push(PendingExit { reach, kind: ExitKind::Fall, target: Target::Place(next) });
                // A branch to the end of the instruction skips the following parts.
                reach = self.arrive(Reach::Never, &mut arrivals, count);
            }
        }
        self.leave(instruction, reach)
    }

    /// The conditions under which the conditional branch at a position is taken and not taken.
    fn divide(
        &mut self,
        operations: &[Operation<'_>],
        position: usize,
        reach: Reach,
        keeps_branches: bool,
    ) -> (Reach, Reach) {
        let condition = self.read(operations[position].inputs[1], reach);
        let condition = truth(&mut self.builder, condition);
        match self.builder.value(condition).map(Bits::is_zero) {
            Some(is_never) if keeps_branches && reach == Reach::Always => {
                self.unfolded(operations, position, !is_never)
            }
            _ => (reach.and(&mut self.builder, condition), reach.and_not(&mut self.builder, condition)),
        }
    }

    /// The conditions under which the conditional branch at a position is taken and not taken, of which one always holds. They
    /// stay conditions if the branch depends on a register or on memory; a condition of constants is part of the encoding.
    fn unfolded(&mut self, operations: &[Operation<'_>], position: usize, is_taken: bool) -> (Reach, Reach) {
        let temporary = self.specification.unique_space();
        let sources = sources(operations, position, operations[position].inputs[1]);
        let depends = sources.iter().any(|source| source.space != temporary)
            || operations[..position].iter().any(|operation| operation.opcode == Opcode::Load);
        if !depends {
            return if is_taken { (Reach::Always, Reach::Never) } else { (Reach::Never, Reach::Always) };
        }
        // Nothing is read for it: another read of a device is another input.
        let [zero, one] = [0, 1].map(|bit| self.builder.constant(Bits::from_u64(bit, Width::W1)));
        let mut condition = |op: Op| Reach::When(self.builder.compute_unfolded(op, Width::W1, &[zero, one]));
        let (always, never) = (condition(Op::Or), condition(Op::And));
        if is_taken { (always, never) } else { (never, always) }
    }

    fn start(&self, instruction: &InstructionView<'_>) -> Place {
        Place::new(instruction.address, instruction.context)
    }

    /// Joins the fall-through condition of an operation with those of branches to it.
    fn arrive(&mut self, falling: Reach, arrivals: &mut Vec<(usize, Reach)>, position: usize) -> Reach {
        let mut reach = falling;
        for (_, arriving) in arrivals.extract_if(.., |(target, _)| *target == position) {
            reach = reach.or(&mut self.builder, arriving);
        }
        reach
    }

    /// A direct branch: within the part, to another part, or out of the instruction.
    fn branch(
        &mut self,
        instruction: &InstructionView<'_>,
        part: usize,
        position: usize,
        reach: Reach,
        arrivals: &mut Vec<(usize, Reach)>,
    ) {
        let operation = &instruction.operations[position];
        let count = instruction.operations.len();
        if let Some(Ok(target)) = branch_target(operation, position, count) {
            if target == count || (target > position && instruction.parts.number(target) == part) {
                arrivals.push((target, reach));
                return;
            }
            let part = instruction.parts.number(target) as u16;
            let target = Target::Place(Place { part, ..self.start(instruction) });
            self.exits.push(PendingExit { reach, kind: ExitKind::Jump, target });
            return;
        }
        let address = operation.inputs[0].offset;
        // A skip of the rest of the instruction is not a jump in the disassembly.
        if address == instruction.end && position + 1 < count {
            arrivals.push((count, reach));
            return;
        }
        let target = Target::Place(Place::new(address, self.context_at(instruction, address)));
        self.exits.push(PendingExit { reach, kind: ExitKind::Jump, target });
    }

    fn computed(
        &mut self,
        instruction: &InstructionView<'_>,
        operation: &Operation<'_>,
        reach: Reach,
    ) -> Target {
        let value = self.read(operation.inputs[0], reach);
        let address = self.byte_address(self.specification.default_space(), value);
        // Context commits apply to addresses that are known, so an indirect target gets only the flowing context.
        let context = self.architecture.successor_context(instruction.context, &[], 0);
        Target::Computed { address, context }
    }

    /// Converts an address in units of a space to one in bytes.
    fn byte_address(&mut self, id: sleigh::SpecificationSpaceId, value: Operand) -> Operand {
        let space = self.specification.space(id);
        let narrow = Width::new(8 * space.address_size).unwrap_or(Width::W64);
        let value = resize(&mut self.builder, value, narrow);
        if space.word_size == 1 {
            return value;
        }
        let wide = self.spaces.get(id).map_or(Width::W64, |id| self.offset_width(id));
        let value = resize(&mut self.builder, value, wide);
        let unit = self.builder.constant(Bits::from_u64(u64::from(space.word_size), wide));
        self.builder.compute(Op::Mul, wide, &[value, unit])
    }

    /// Emits the exits in order; an instruction that only falls through does not end the block.
    fn leave(&mut self, instruction: &InstructionView<'_>, falling: Reach) -> After {
        let next = Place::new(instruction.end, self.context_at(instruction, instruction.end));
        if let Some(space) = self.spaces.get(self.specification.unique_space()) {
            self.known.forget(space);
        }
        // The processor may change a system register between two instructions.
        self.known.forget_if(|location| self.architecture.system_registers().contains(location));
        self.exits.retain(|exit| exit.reach != Reach::Never);
        if self.exits.is_empty() {
            return After::Next(next);
        }
        if falling != Reach::Never {
            self.exits.push(PendingExit {
                reach: falling,
                kind: ExitKind::Fall,
                target: Target::Place(next),
            });
        }
        let last = self.exits.len() - 1;
        for (number, exit) in std::mem::take(&mut self.exits).into_iter().enumerate() {
            // The exits are mutually exclusive and exhaustive, so the last needs no guard.
            let guard = if number == last { None } else { exit.reach.guard(&mut self.builder) };
            self.builder.exit(guard, exit.kind, exit.target);
        }
        After::End
    }

    /// The value of a varnode.
    fn read(&mut self, varnode: Varnode, reach: Reach) -> Operand {
        if varnode.is_constant() {
            return self.builder.constant(Bits::from_u64(varnode.offset, width(varnode)));
        }
        let Some(space) = self.spaces.get(varnode.space) else {
            return self.builder.constant(Bits::zero(width(varnode)));
        };
        let definition = &self.spaces.layout()[space];
        let location = Location { space, offset: varnode.offset };
        if definition.kind != SpaceKind::Memory {
            return self.known.read(&mut self.builder, location, varnode.size, definition.endian);
        }
        let address = self.fixed_address(space, varnode.offset);
        self.read_memory(space, address, width(varnode), reach, Some(location))
    }

    /// Reads memory, which may be volatile or unmapped: only if this point is reached, and exactly once per
    /// instruction. `place` is the fixed location of an operand in memory.
    fn read_memory(
        &mut self,
        space: everypath_ir::SpaceId,
        address: Operand,
        width: Width,
        reach: Reach,
        place: Option<Location>,
    ) -> Operand {
        let access = Access { space, address, guard: reach.guard(&mut self.builder) };
        if let Some((value, before, size)) = self.accesses.find(&self.builder, access, width) {
            let below = match self.spaces.layout()[space].endian {
                Endian::Little => before,
                Endian::Big => size - before - width.bytes() as u64,
            };
            return if self.builder.width(value) == width {
                value
            } else {
                self.builder.compute(Op::Extract(8 * below as u16), width, &[value])
            };
        }
        let value = match place.filter(|_| access.guard.is_none()) {
            Some(place) => self.builder.get(place, width),
            None => self.builder.load(space, address, width, access.guard),
        };
        self.accesses.loaded(&self.builder, access, value);
        value
    }

    fn is_memory(&self, space: everypath_ir::SpaceId) -> bool {
        self.spaces.layout()[space].kind == SpaceKind::Memory
    }

    fn fixed_address(&mut self, space: everypath_ir::SpaceId, offset: u64) -> Operand {
        let width = self.offset_width(space);
        self.builder.constant(Bits::from_u64(offset, width))
    }

    fn offset_width(&self, space: everypath_ir::SpaceId) -> Width {
        self.spaces.layout()[space].offset_width()
    }

    /// Assigns a value to a varnode if this point is reached.
    fn write(&mut self, varnode: Varnode, value: Operand, reach: Reach) {
        let Some(space) = self.spaces.get(varnode.space) else { return };
        let definition = &self.spaces.layout()[space];
        let (kind, endian) = (definition.kind, definition.endian);
        let location = Location { space, offset: varnode.offset };
        if kind == SpaceKind::Memory {
            let address = self.fixed_address(space, varnode.offset);
            let guard = reach.guard(&mut self.builder);
            match reach {
                Reach::Always => self.builder.put(location, value),
                _ => self.builder.store(space, address, value, guard),
            }
            self.accesses.stored(&self.builder, Access { space, address, guard }, value);
            return;
        }
        let value = match reach {
            Reach::When(condition) => {
                let old = if kind == SpaceKind::Register {
                    Some(self.known.read(&mut self.builder, location, varnode.size, endian))
                } else {
                    // An undefined temporary is not read where this write is skipped.
                    self.known.find(&mut self.builder, location, varnode.size, endian)
                };
                match old {
                    Some(old) => self.builder.compute(Op::Select, width(varnode), &[condition, value, old]),
                    None => value,
                }
            }
            _ => value,
        };
        let stored = kind == SpaceKind::Register;
        if stored {
            self.builder.put(location, value);
        }
        self.known.write(&mut self.builder, location, varnode.size, value, stored);
    }

    /// An operation that does not transfer control. A division is guarded by the predicate.
    fn operation(&mut self, operation: &Operation<'_>, reach: Reach, predicate: Reach) {
        match operation.opcode {
            Opcode::Load => {
                let pointer = self.read(operation.inputs[1], reach);
                let Some(output) = operation.output else { return };
                let target = sleigh::SpecificationSpaceId(operation.inputs[0].offset as u8);
                if target == sleigh::SpecificationSpaceId::CONSTANT {
                    // In the constant space, the contents of an address are the address.
                    let value = resize(&mut self.builder, pointer, width(output));
                    self.write(output, value, reach);
                    return;
                }
                let address = self.byte_address(target, pointer);
                let Some(space) = self.spaces.get(target) else { return };
                let value = if self.is_memory(space) {
                    self.read_memory(space, address, width(output), reach, None)
                } else {
                    let guard = reach.guard(&mut self.builder);
                    self.builder.load(space, address, width(output), guard)
                };
                self.write(output, value, reach);
            }
            Opcode::Store => {
                let pointer = self.read(operation.inputs[1], reach);
                let value = self.read(operation.inputs[2], reach);
                let target = sleigh::SpecificationSpaceId(operation.inputs[0].offset as u8);
                let address = self.byte_address(target, pointer);
                let Some(space) = self.spaces.get(target) else { return };
                let guard = reach.guard(&mut self.builder);
                self.builder.store(space, address, value, guard);
                if self.is_memory(space) {
                    self.accesses.stored(&self.builder, Access { space, address, guard }, value);
                } else {
                    self.known.forget(space);
                }
            }
            Opcode::CallOther => {
                let number = operation.inputs[0].offset as u32;
                let arguments: Vec<Operand> =
                    operation.inputs[1..].iter().map(|input| self.read(*input, reach)).collect();
                let guard = reach.guard(&mut self.builder);
                let result = self.builder.user(operation.output.map(width), number, &arguments, guard);
                // The model of the operation may change any register, and memory.
                self.forget_registers();
                self.accesses.clear();
                if let (Some(output), Some(result)) = (operation.output, result) {
                    self.write(output, result, reach);
                }
            }
            _ => {
                let mut operands: Vec<Operand> =
                    operation.inputs.iter().map(|input| self.read(*input, reach)).collect();
                if let Reach::When(condition) = predicate {
                    let width = self.builder.width(operands[1]);
                    let one = self.builder.constant(Bits::from_u64(1, width));
                    operands[1] = self.builder.compute(Op::Select, width, &[condition, operands[1], one]);
                }
                let value = compute(&mut self.builder, operation, &operands);
                if let (Some(output), Some(value)) = (operation.output, value) {
                    self.write(output, value, reach);
                }
            }
        }
    }

    fn forget_registers(&mut self) {
        if let Some(temporaries) = self.spaces.get(self.specification.unique_space()) {
            self.known.forget_others(temporaries);
        }
    }
}

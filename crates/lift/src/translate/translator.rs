//! One block in the making: instruction after instruction is added until one of them leads elsewhere.

use super::accesses::{Access, InstructionAccesses};
use super::check::width;
use super::flow::Reach;
use super::operation::{compute, resize, truth};
use super::parts::{Parts, branch_target};
use super::predicate::{Branches, divides};
use crate::architecture::Architecture;
use crate::layout::SpaceMap;
use everypath_ir::{
    Bits, Block, BlockBuilder, Context, Endian, ExitKind, KnownPlaces, Location, Op, Operand, Place,
    SpaceKind, Target, Width,
};
use everypath_sleigh::{self as sleigh, Commit, Opcode, Operation, Specification, Varnode};

/// A decoded instruction as the translator needs it.
pub(crate) struct InstructionView<'i> {
    pub(crate) address: u64,
    /// The address after it and its delay slots.
    pub(crate) end: u64,
    pub(crate) context: Context,
    /// Address and length of it and of each instruction in its delay slots.
    pub(crate) marks: &'i [(u64, u32)],
    /// To what its accesses must be aligned at most.
    pub(crate) alignment: u8,
    pub(crate) operations: &'i [Operation<'i>],
    pub(crate) commits: &'i [Commit],
    pub(crate) parts: &'i Parts,
}

/// What follows an instruction in its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// Nothing: the block has its exits.
    End,
    /// The instruction at this place.
    Next(Place),
}

/// A way out that was met; the guards are put in order when the instruction is complete.
struct Way {
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
    /// The memory that the instruction at hand has accessed.
    accesses: InstructionAccesses,
    ways: Vec<Way>,
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
            ways: Vec::new(),
        })
    }

    /// Ends the block: whoever builds it wants it to go no further than `next`.
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

    /// Adds one part of an instruction. Everything in it must have been checked.
    pub(crate) fn add(&mut self, instruction: &InstructionView<'_>, part: usize) -> After {
        let count = instruction.operations.len();
        let Some(range) = instruction.parts.range(part, count) else { return After::End };
        for (address, length) in instruction.marks {
            self.builder.aligned_instruction(*address, *length as u8, instruction.alignment);
        }
        self.accesses.clear();
        let several = instruction.parts.count() > 1;
        // What reaches each later operation, apart from falling into it.
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
                        Some(condition) => {
                            branches.add(position, reach);
                            let condition = self.read(*condition, reach);
                            let condition = truth(&mut self.builder, condition);
                            let taken = reach.and(&mut self.builder, condition);
                            reach = reach.and_not(&mut self.builder, condition);
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
                    self.ways.push(Way { reach, kind, target });
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
                self.ways.push(Way { reach, kind: ExitKind::Fall, target: Target::Place(next) });
                // A branch to the end of the instruction passes over the parts that follow.
                reach = self.arrive(Reach::Never, &mut arrivals, count);
            }
        }
        self.leave(instruction, reach)
    }

    fn start(&self, instruction: &InstructionView<'_>) -> Place {
        Place::new(instruction.address, instruction.context)
    }

    /// Joins what falls into an operation with what branches to it.
    fn arrive(&mut self, falling: Reach, arrivals: &mut Vec<(usize, Reach)>, position: usize) -> Reach {
        let mut reach = falling;
        for (_, arriving) in arrivals.extract_if(.., |(target, _)| *target == position) {
            reach = reach.or(&mut self.builder, arriving);
        }
        reach
    }

    /// A branch to a known place: within the part, to another part, or out of the instruction.
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
            self.ways.push(Way { reach, kind: ExitKind::Jump, target });
            return;
        }
        let address = operation.inputs[0].offset;
        // Skipping what is left of the instruction is no jump that a person would see in the disassembly.
        if address == instruction.end && position + 1 < count {
            arrivals.push((count, reach));
            return;
        }
        let target = Target::Place(Place::new(address, self.context_at(instruction, address)));
        self.ways.push(Way { reach, kind: ExitKind::Jump, target });
    }

    fn computed(
        &mut self,
        instruction: &InstructionView<'_>,
        operation: &Operation<'_>,
        reach: Reach,
    ) -> Target {
        let value = self.read(operation.inputs[0], reach);
        let address = self.byte_address(self.specification.default_space(), value);
        // What an instruction commits is for addresses that it knows, so only what flows is carried on.
        let context = self.architecture.successor_context(instruction.context, &[], 0);
        Target::Computed { address, context }
    }

    /// Turns an address in units of a space into one in bytes.
    fn byte_address(&mut self, id: sleigh::SpaceId, value: Operand) -> Operand {
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

    /// Puts the ways out in order; an instruction with no other way than on to the next ends no block.
    fn leave(&mut self, instruction: &InstructionView<'_>, falling: Reach) -> After {
        let next = Place::new(instruction.end, self.context_at(instruction, instruction.end));
        if let Some(space) = self.spaces.get(self.specification.unique_space()) {
            self.known.forget(space);
        }
        self.ways.retain(|way| way.reach != Reach::Never);
        if self.ways.is_empty() {
            return After::Next(next);
        }
        if falling != Reach::Never {
            self.ways.push(Way { reach: falling, kind: ExitKind::Fall, target: Target::Place(next) });
        }
        let last = self.ways.len() - 1;
        for (number, way) in std::mem::take(&mut self.ways).into_iter().enumerate() {
            // The ways exclude each other and leave nothing out, so the last needs no guard.
            let guard = if number == last { None } else { way.reach.guard(&mut self.builder) };
            self.builder.exit(guard, way.kind, way.target);
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
        let definition = &self.spaces.layout().spaces[usize::from(space.0)];
        let location = Location { space, offset: varnode.offset };
        if definition.kind != SpaceKind::Memory {
            return self.known.read(&mut self.builder, location, varnode.size, definition.endian);
        }
        let address = self.fixed_address(space, varnode.offset);
        self.read_memory(space, address, width(varnode), reach, Some(location))
    }

    /// Reads memory. It may change by itself and may not be there: it is read only if this point is reached, and by each
    /// instruction anew, but by one instruction only once. An operand of the instruction that is memory has a fixed place.
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
            let below = match self.spaces.layout().spaces[usize::from(space.0)].endian {
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
        self.spaces.layout().spaces[usize::from(space.0)].kind == SpaceKind::Memory
    }

    fn fixed_address(&mut self, space: everypath_ir::SpaceId, offset: u64) -> Operand {
        let width = self.offset_width(space);
        self.builder.constant(Bits::from_u64(offset, width))
    }

    fn offset_width(&self, space: everypath_ir::SpaceId) -> Width {
        self.spaces.layout().spaces[usize::from(space.0)].offset_width()
    }

    /// Gives a varnode a value, where this point is reached.
    fn write(&mut self, varnode: Varnode, value: Operand, reach: Reach) {
        let Some(space) = self.spaces.get(varnode.space) else { return };
        let definition = &self.spaces.layout().spaces[usize::from(space.0)];
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
                    // A temporary that has no value yet is not read where this write is passed over.
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

    /// An operation that leads nowhere. A division is made only where the predicate holds.
    fn operation(&mut self, operation: &Operation<'_>, reach: Reach, predicate: Reach) {
        match operation.opcode {
            Opcode::Load => {
                let pointer = self.read(operation.inputs[1], reach);
                let Some(output) = operation.output else { return };
                let target = sleigh::SpaceId(operation.inputs[0].offset as u8);
                if target == sleigh::SpaceId::CONSTANT {
                    // In the space of constants, what lies at an address is the address.
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
                let target = sleigh::SpaceId(operation.inputs[0].offset as u8);
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
                // Whoever gives the operation a meaning may have it change any register, and memory.
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

//! Blocks compiled for the interpreter: operands become slots, locations are resolved, and invariants are precomputed.

use everypath_ir::{
    Block, Endian, Layout, Location, Op, Operand, OperandKind, Place, SpaceId, Statement, Target, Temp, Width,
};

/// The index of a value: constants first, then temporaries.
pub type Slot = u32;

/// A computation.
#[derive(Clone, Copy, Debug)]
pub struct Computation {
    /// The operator.
    pub op: Op,
    /// The slot of the result.
    pub result: Slot,
    /// The arguments; unused ones repeat the first.
    pub arguments: [Slot; 3],
    /// The width of the result.
    pub result_width: Width,
    /// The widths of the arguments; unused ones repeat the first.
    pub argument_widths: [Width; 3],
    /// True if the result and all arguments have at most 64 bits.
    pub narrow: bool,
}

/// An access to a fixed location.
#[derive(Clone, Copy, Debug)]
pub struct Fixed {
    /// The location.
    pub location: Location,
    /// The slot read from or written to.
    pub slot: Slot,
    /// The width of the value.
    pub width: Width,
    /// The byte order.
    pub endian: Endian,
}

/// A memory access at a computed address.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// The space.
    pub space: SpaceId,
    /// The slot of the address.
    pub address: Slot,
    /// The slot of the value.
    pub slot: Slot,
    /// The slot of the guard.
    pub guard: Option<Slot>,
    /// The width of the value.
    pub width: Width,
    /// The byte order.
    pub endian: Endian,
    /// The address bits that must be zero; otherwise the access is misaligned.
    pub misaligned: u64,
    /// The index of its step in the block.
    pub step: u32,
}

/// A user operation.
#[derive(Clone, Debug)]
pub struct UserCall {
    /// Its number in the layout.
    pub operation: u32,
    /// The slot of the result.
    pub result: Option<(Slot, Width)>,
    /// The arguments and their widths.
    pub arguments: Vec<(Slot, Width)>,
    /// The slot of the guard.
    pub guard: Option<Slot>,
    /// The index of its step in the block.
    pub step: u32,
}

/// One step of a block.
#[derive(Clone, Debug)]
pub enum Step {
    /// Applies an operator.
    Compute(Computation),
    /// Reads a fixed location.
    Get(Fixed),
    /// Writes a fixed location.
    Put(Fixed),
    /// Reads memory.
    Load(Access),
    /// Writes memory.
    Store(Access),
    /// Performs a user operation.
    User(Box<UserCall>),
}

/// An exit of a block.
#[derive(Clone, Copy, Debug)]
pub struct ReadyExit {
    /// The slot of its guard; the last exit has none.
    pub guard: Option<Slot>,
    /// The index of the exit in the block.
    pub exit: usize,
    /// The target.
    pub target: ReadyTarget,
}

/// The target of an exit.
#[derive(Clone, Copy, Debug)]
pub enum ReadyTarget {
    /// A direct target.
    Place(Place),
    /// An indirect target: an address in a slot.
    Computed(Slot, Width),
}

/// A block compiled for a domain.
#[derive(Debug)]
pub struct ReadyBlock<V> {
    /// The block.
    pub block: std::sync::Arc<Block>,
    /// The steps.
    pub steps: Vec<Step>,
    /// The instruction boundaries: the step at which each instruction starts, and its address.
    pub instruction_starts: Vec<(u32, u64)>,
    /// The exits.
    pub exits: Vec<ReadyExit>,
    /// The constants, and space for the temporaries.
    pub values: Vec<V>,
}

impl<V> ReadyBlock<V> {
    /// Compiles a block. `constant` gives the value of a constant, `nothing` that of an undefined temporary.
    pub fn new(
        layout: &Layout,
        block: std::sync::Arc<Block>,
        constant: impl FnMut(&everypath_ir::Bits) -> V,
        mut nothing: impl FnMut() -> V,
    ) -> Self {
        let mut values: Vec<V> = block.constants.iter().map(constant).collect();
        values.extend(block.temps.iter().map(|_| nothing()));
        let mut slots = Slots { block: &block, layout, alignment: 1 };
        let mut steps = Vec::with_capacity(block.statements.len());
        let mut marks = Vec::new();
        for statement in &block.statements {
            match slots.step(statement, steps.len() as u32) {
                Ok(step) => steps.push(step),
                Err(address) => marks.push((steps.len() as u32, address)),
            }
        }
        let exits = slots.exits();
        Self { steps, instruction_starts: marks, exits, values, block }
    }

    /// The instruction that a step belongs to.
    pub fn instruction_at(&self, step: usize) -> u64 {
        self.mark_at(step).map_or(self.block.place.address, |(_, address)| address)
    }

    /// The first step of the instruction that a step belongs to.
    pub fn first_step(&self, step: usize) -> usize {
        self.mark_at(step).map_or(0, |(start, _)| start as usize)
    }

    fn mark_at(&self, step: usize) -> Option<(u32, u64)> {
        let after = self.instruction_starts.partition_point(|(start, _)| *start as usize <= step);
        self.instruction_starts[..after].last().copied()
    }
}

/// Resolves the slots of a block.
struct Slots<'b> {
    block: &'b Block,
    layout: &'b Layout,
    /// The maximum alignment required of accesses by the current instruction.
    alignment: u8,
}

impl Slots<'_> {
    fn temp(&self, temp: Temp) -> Slot {
        (self.block.constants.len() + temp.index()) as Slot
    }

    fn operand(&self, operand: Operand) -> Slot {
        match operand.kind() {
            OperandKind::Temp(temp) => self.temp(temp),
            OperandKind::Constant(index) => index as Slot,
        }
    }

    fn endian(&self, space: SpaceId) -> Endian {
        self.layout[space].endian
    }

    /// The address bits of an access that must be zero.
    fn misaligned(&self, width: Width) -> u64 {
        let size = (width.bytes() as u64).min(u64::from(self.alignment));
        if size.is_power_of_two() { size - 1 } else { 0 }
    }

    /// The step of a statement; for an instruction boundary, its address as the error.
    fn step(&mut self, statement: &Statement, step: u32) -> Result<Step, u64> {
        Ok(match *statement {
            Statement::Instruction { address, alignment, .. } => {
                self.alignment = alignment;
                return Err(address);
            }
            Statement::Compute { result, op, .. } => {
                let operands = statement.arguments();
                let first = self.operand(operands[0]);
                let mut arguments = [first; 3];
                let mut argument_widths = [self.block.width(operands[0]); 3];
                for (position, operand) in operands.iter().enumerate() {
                    arguments[position] = self.operand(*operand);
                    argument_widths[position] = self.block.width(*operand);
                }
                let result_width = self.block.temps[result.index()];
                let narrow =
                    result_width <= Width::W64 && argument_widths.iter().all(|width| *width <= Width::W64);
                Step::Compute(Computation {
                    op,
                    result: self.temp(result),
                    arguments,
                    result_width,
                    argument_widths,
                    narrow,
                })
            }
            Statement::Get { result, location } => Step::Get(Fixed {
                location,
                slot: self.temp(result),
                width: self.block.temps[result.index()],
                endian: self.endian(location.space),
            }),
            Statement::Put { location, value } => Step::Put(Fixed {
                location,
                slot: self.operand(value),
                width: self.block.width(value),
                endian: self.endian(location.space),
            }),
            Statement::Load { result, space, address, guard } => Step::Load(Access {
                space,
                address: self.operand(address),
                slot: self.temp(result),
                guard: guard.map(|guard| self.operand(guard)),
                width: self.block.temps[result.index()],
                endian: self.endian(space),
                misaligned: self.misaligned(self.block.temps[result.index()]),
                step,
            }),
            Statement::Store { space, address, value, guard } => Step::Store(Access {
                space,
                address: self.operand(address),
                slot: self.operand(value),
                guard: guard.map(|guard| self.operand(guard)),
                width: self.block.width(value),
                endian: self.endian(space),
                misaligned: self.misaligned(self.block.width(value)),
                step,
            }),
            Statement::User { result, operation, arguments, guard } => Step::User(Box::new(UserCall {
                operation,
                result: result.map(|result| (self.temp(result), self.block.temps[result.index()])),
                arguments: self
                    .block
                    .pooled(arguments)
                    .iter()
                    .map(|argument| (self.operand(*argument), self.block.width(*argument)))
                    .collect(),
                guard: guard.map(|guard| self.operand(guard)),
                step,
            })),
        })
    }

    fn exits(&self) -> Vec<ReadyExit> {
        let ready = |(exit, out): (usize, &everypath_ir::Exit)| ReadyExit {
            guard: out.guard.map(|guard| self.operand(guard)),
            exit,
            target: match out.target {
                Target::Place(place) => ReadyTarget::Place(place),
                Target::Computed { address, .. } => {
                    ReadyTarget::Computed(self.operand(address), self.block.width(address))
                }
            },
        };
        self.block.exits.iter().enumerate().map(ready).collect()
    }
}

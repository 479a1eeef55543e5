//! Basic blocks of the intermediate representation: straight-line statements, then guarded exits.

use std::fmt;

use crate::{ArgumentRange, Bits, Operand, OperandKind, SpaceId, Statement, Width};

/// The decoding context of an instruction, such as ARM or Thumb mode. Its bits are opaque to this crate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Context(pub u128);

impl fmt::Debug for Context {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Context({:#x})", self.0)
    }
}

/// The start of a block: an address, a part of the instruction there, and the decoding context.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The address of the first instruction, in bytes.
    pub address: u64,
    /// Zero at the start of an instruction. An instruction that loops internally is lifted to several blocks; the
    /// further parts are numbered from one.
    pub part: u16,
    /// The context in which the instruction is decoded.
    pub context: Context,
}

impl Place {
    /// The start of an instruction.
    #[must_use]
    pub const fn new(address: u64, context: Context) -> Place {
        Place { address, part: 0, context }
    }
}

/// The kind of control transfer that an exit makes in the guest's program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ExitKind {
    /// Falls through to the next instruction; the target is a [`Target::Place`].
    Fall,
    /// A jump or branch.
    Jump,
    /// A call; the callee returns to [`Block::end`].
    Call,
    /// A return to the caller.
    Return,
}

impl ExitKind {
    /// Every kind.
    pub const ALL: [ExitKind; 4] = [ExitKind::Fall, ExitKind::Jump, ExitKind::Call, ExitKind::Return];

    /// The word in the text form.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ExitKind::Fall => "fall",
            ExitKind::Jump => "jump",
            ExitKind::Call => "call",
            ExitKind::Return => "return",
        }
    }
}

/// The target of an exit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Target {
    /// A direct target, known when the block is lifted.
    Place(Place),
    /// An indirect target: an instruction at a computed address.
    Computed {
        /// The address in bytes, in the code space of the block.
        address: Operand,
        /// The context in which the target is decoded.
        context: Context,
    },
}

/// One exit of a block. Exits are tried in order; the first whose guard is one or absent is taken.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Exit {
    /// One bit. Every exit but the last has a guard, the last has none.
    pub guard: Option<Operand>,
    /// The kind of control transfer.
    pub kind: ExitKind,
    /// The target.
    pub target: Target,
}

impl Exit {
    /// Visits every operand, in the order of the text form; the visitor may replace it.
    pub fn for_each_operand(&mut self, mut visit: impl FnMut(&mut Operand)) {
        self.guard.iter_mut().for_each(&mut visit);
        match &mut self.target {
            Target::Computed { address, .. } => visit(address),
            Target::Place(_) => {}
        }
    }
}

/// A basic block: straight-line statements with one entry, and exits at the end.
///
/// [`crate::BlockBuilder`] makes blocks, and [`crate::verify`] states their invariants. Blocks are canonical, so equal
/// blocks have equal text: temporaries are numbered in definition order, constants and pooled arguments in order of
/// first use.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Block {
    /// The start of the block.
    pub place: Place,
    /// The byte address after the last instruction, to which a call returns.
    pub end: u64,
    /// The space that holds its instructions.
    pub space: SpaceId,
    /// The widths of the temporaries.
    pub temps: Vec<Width>,
    /// The constants, each value once.
    pub constants: Vec<Bits>,
    /// The arguments of user operations.
    pub argument_pool: Vec<Operand>,
    /// The statements, in execution order.
    pub statements: Vec<Statement>,
    /// The exits, in the order in which their guards are tried.
    pub exits: Vec<Exit>,
}

impl Block {
    /// The instructions, delay slots included: addresses and lengths in bytes.
    pub fn instructions(&self) -> impl Iterator<Item = (u64, u8)> + '_ {
        self.statements.iter().filter_map(|statement| match statement {
            Statement::Instruction { address, length, .. } => Some((*address, *length)),
            _ => None,
        })
    }

    /// The width of an operand.
    ///
    /// # Panics
    /// If the block has no such operand.
    #[inline]
    #[must_use]
    pub fn width(&self, operand: Operand) -> Width {
        match operand.kind() {
            OperandKind::Temp(temp) => self.temps[temp.index()],
            OperandKind::Constant(index) => self.constants[index].width(),
        }
    }

    /// The width of an operand, or `None` if the block has no such operand.
    #[must_use]
    pub fn find_width(&self, operand: Operand) -> Option<Width> {
        match operand.kind() {
            OperandKind::Temp(temp) => self.temps.get(temp.index()).copied(),
            OperandKind::Constant(index) => self.constants.get(index).map(Bits::width),
        }
    }

    /// The value of a constant operand, or `None` for a temporary.
    #[inline]
    #[must_use]
    pub fn value(&self, operand: Operand) -> Option<&Bits> {
        match operand.kind() {
            OperandKind::Temp(_) => None,
            OperandKind::Constant(index) => self.constants.get(index),
        }
    }

    /// The arguments of a user operation.
    ///
    /// # Panics
    /// If they are not in the pool.
    #[must_use]
    pub fn pooled(&self, range: ArgumentRange) -> &[Operand] {
        &self.argument_pool[range.start as usize..][..range.count as usize]
    }
}

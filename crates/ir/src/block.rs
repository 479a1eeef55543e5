//! Blocks: straight-line statements with exits at the end.

use std::fmt;

use crate::{ArgumentRange, Bits, Operand, OperandKind, SpaceId, Statement, Width};

/// The decoding context of an instruction: opaque here, a plain value that is part of where a block starts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Context(pub u128);

impl fmt::Debug for Context {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Context({:#x})", self.0)
    }
}

/// Where a block starts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The address of the first instruction, in bytes.
    pub address: u64,
    /// Zero at the start of an instruction. An instruction with a loop inside is several blocks, whose other parts
    /// are numbered.
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

/// What an exit does in the eyes of the guest's author.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ExitKind {
    /// Goes on with what follows; the target is a [`Target::Place`].
    Fall,
    /// Jumps.
    Jump,
    /// Calls; the callee returns to [`Block::end`].
    Call,
    /// Returns to a caller.
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

/// Where an exit leads to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Target {
    /// A known block.
    Place(Place),
    /// The start of an instruction whose address is computed.
    Computed {
        /// The address in bytes, in the code space of the block.
        address: Operand,
        /// The context in which the target is decoded.
        context: Context,
    },
}

/// A way out of a block. Exits are tried in order; the first whose guard is one or absent is taken.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Exit {
    /// One bit. Every exit but the last has a guard, the last has none.
    pub guard: Option<Operand>,
    /// What it does.
    pub kind: ExitKind,
    /// Where it leads to.
    pub target: Target,
}

impl Exit {
    /// Shows every operand, in the order of the text form, and may change it.
    pub fn for_each_operand(&mut self, mut visit: impl FnMut(&mut Operand)) {
        self.guard.iter_mut().for_each(&mut visit);
        match &mut self.target {
            Target::Computed { address, .. } => visit(address),
            Target::Place(_) => {}
        }
    }
}

/// Straight-line statements with one entry, and exits at the end.
///
/// Blocks are made by [`crate::BlockBuilder`]; [`crate::verify`] states what holds of them. Equal blocks have equal
/// text: temporaries are numbered in the order of their definitions, constants and pooled arguments stand in the
/// order of their use.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Block {
    /// Where it starts.
    pub place: Place,
    /// The address after its last instruction, in bytes: where a call returns to.
    pub end: u64,
    /// The space of its instructions.
    pub space: SpaceId,
    /// The widths of the temporaries.
    pub temps: Vec<Width>,
    /// The constants, each value once.
    pub constants: Vec<Bits>,
    /// The arguments of user operations.
    pub argument_pool: Vec<Operand>,
    /// What it does.
    pub statements: Vec<Statement>,
    /// Where it leads to.
    pub exits: Vec<Exit>,
}

impl Block {
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

    /// The width of an operand, if the block has it.
    #[must_use]
    pub fn find_width(&self, operand: Operand) -> Option<Width> {
        match operand.kind() {
            OperandKind::Temp(temp) => self.temps.get(temp.index()).copied(),
            OperandKind::Constant(index) => self.constants.get(index).map(Bits::width),
        }
    }

    /// The value of an operand that is a constant of the block.
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

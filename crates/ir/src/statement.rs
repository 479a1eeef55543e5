//! The statements of a block.

use crate::{Op, Operand, SpaceId, Temp};

/// A fixed place in a space.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Location {
    /// The space.
    pub space: SpaceId,
    /// The first byte, whatever the order of bytes in the space.
    pub offset: u64,
}

/// Operands in a block's argument pool.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ArgumentRange {
    /// The index of the first one.
    pub start: u32,
    /// How many they are.
    pub count: u32,
}

/// One step of a block. A value in a space has whole bytes, ordered as the space says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Statement {
    /// Marks where the statements of an instruction of the guest begin.
    Instruction {
        /// Its address.
        address: u64,
        /// Its length in bytes.
        length: u8,
        /// Each of its accesses to memory must lie at a multiple of its own size, or of this if that is less; any other raises
        /// an exception. One: none need be aligned.
        alignment: u8,
    },
    /// A pure computation.
    Compute {
        /// What it defines.
        result: Temp,
        /// The operator.
        op: Op,
        /// The arguments; those that the operator does not have are [`Operand::FILLER`].
        arguments: [Operand; 3],
    },
    /// Reads a fixed place.
    Get {
        /// What it defines; its width says how many bytes are read.
        result: Temp,
        /// Where.
        location: Location,
    },
    /// Writes a fixed place.
    Put {
        /// Where.
        location: Location,
        /// The value; its width says how many bytes are written.
        value: Operand,
    },
    /// Reads memory at a computed address.
    Load {
        /// What it defines; its width says how many bytes are read.
        result: Temp,
        /// The space.
        space: SpaceId,
        /// The address of the first byte.
        address: Operand,
        /// One bit: when it is zero the result is zero, and nothing is touched.
        guard: Option<Operand>,
    },
    /// Writes memory at a computed address.
    Store {
        /// The space.
        space: SpaceId,
        /// The address of the first byte.
        address: Operand,
        /// The value; its width says how many bytes are written.
        value: Operand,
        /// One bit: when it is zero nothing happens.
        guard: Option<Operand>,
    },
    /// A named operation that has no meaning here.
    User {
        /// What it defines, if anything.
        result: Option<Temp>,
        /// Its number in [`crate::Layout::user_operations`].
        operation: u32,
        /// The arguments, in the block's pool.
        arguments: ArgumentRange,
        /// One bit: when it is zero nothing happens, and the result is zero.
        guard: Option<Operand>,
    },
}

impl Statement {
    /// A computation with as many arguments as the operator has.
    ///
    /// # Panics
    /// If the number of arguments is another.
    #[must_use]
    pub fn compute(result: Temp, op: Op, arguments: &[Operand]) -> Statement {
        Statement::Compute { result, op, arguments: padded(op, arguments) }
    }

    /// What the statement defines.
    #[inline]
    #[must_use]
    pub fn result(&self) -> Option<Temp> {
        match *self {
            Statement::Compute { result, .. }
            | Statement::Get { result, .. }
            | Statement::Load { result, .. } => Some(result),
            Statement::User { result, .. } => result,
            Statement::Instruction { .. } | Statement::Put { .. } | Statement::Store { .. } => None,
        }
    }

    /// The arguments of a computation, as many as its operator has; of other statements none.
    #[inline]
    #[must_use]
    pub fn arguments(&self) -> &[Operand] {
        match self {
            Statement::Compute { op, arguments, .. } => &arguments[..op.arity()],
            _ => &[],
        }
    }

    /// The arguments of a user operation, in the block's pool.
    #[must_use]
    pub fn pooled(&self) -> Option<ArgumentRange> {
        match *self {
            Statement::User { arguments, .. } => Some(arguments),
            _ => None,
        }
    }

    /// Shows every operand that stands in the statement itself, in the order of the text form, and may change it.
    /// The arguments of a user operation stand in the pool.
    pub fn for_each_operand(&mut self, mut visit: impl FnMut(&mut Operand)) {
        match self {
            Statement::Instruction { .. } | Statement::Get { .. } => {}
            Statement::Compute { op, arguments, .. } => {
                arguments[..op.arity()].iter_mut().for_each(visit);
            }
            Statement::Put { value, .. } => visit(value),
            Statement::Load { address, guard, .. } => {
                visit(address);
                guard.iter_mut().for_each(visit);
            }
            Statement::Store { address, value, guard, .. } => {
                visit(address);
                visit(value);
                guard.iter_mut().for_each(visit);
            }
            Statement::User { guard, .. } => guard.iter_mut().for_each(visit),
        }
    }

    /// Replaces what the statement defines, if it defines anything.
    pub(crate) fn set_result(&mut self, temp: Temp) {
        match self {
            Statement::Compute { result, .. }
            | Statement::Get { result, .. }
            | Statement::Load { result, .. } => *result = temp,
            Statement::User { result, .. } => *result = result.map(|_| temp),
            Statement::Instruction { .. } | Statement::Put { .. } | Statement::Store { .. } => {}
        }
    }
}

/// The arguments of a computation with the unused places filled.
pub(crate) fn padded(op: Op, arguments: &[Operand]) -> [Operand; 3] {
    assert_eq!(arguments.len(), op.arity(), "the number of arguments of {op}");
    let mut padded = [Operand::FILLER; 3];
    padded[..arguments.len()].copy_from_slice(arguments);
    padded
}

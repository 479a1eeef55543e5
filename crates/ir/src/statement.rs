//! The statements of a block.

use crate::{Op, Operand, SpaceId, Temp};

/// A fixed location in a space.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Location {
    /// The space.
    pub space: SpaceId,
    /// The offset of the lowest byte, in either byte order.
    pub offset: u64,
}

/// Operands in a block's argument pool.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ArgumentRange {
    /// The index of the first one.
    pub start: u32,
    /// The number of operands.
    pub count: u32,
}

/// A statement of a block. Values in a space occupy whole bytes, in the byte order of the space.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Statement {
    /// Marks the beginning of the statements of one guest instruction.
    Instruction {
        /// Its address.
        address: u64,
        /// Its length in bytes.
        length: u8,
        /// The required alignment: each memory access must be aligned to its own size or to this, whichever is less;
        /// otherwise it raises an exception. One means that no alignment is required.
        alignment: u8,
    },
    /// A pure computation.
    Compute {
        /// The temporary that it defines.
        result: Temp,
        /// The operator.
        op: Op,
        /// The arguments; unused slots hold [`Operand::FILLER`].
        arguments: [Operand; 3],
    },
    /// Reads a fixed location.
    Get {
        /// The temporary that it defines; its width is the number of bytes read.
        result: Temp,
        /// The location.
        location: Location,
    },
    /// Writes a fixed location.
    Put {
        /// The location.
        location: Location,
        /// The value; its width is the number of bytes written.
        value: Operand,
    },
    /// Reads memory at a computed address.
    Load {
        /// The temporary that it defines; its width is the number of bytes read.
        result: Temp,
        /// The space.
        space: SpaceId,
        /// The address of the first byte.
        address: Operand,
        /// One bit: when it is zero, the result is zero and memory is not accessed.
        guard: Option<Operand>,
    },
    /// Writes memory at a computed address.
    Store {
        /// The space.
        space: SpaceId,
        /// The address of the first byte.
        address: Operand,
        /// The value; its width is the number of bytes written.
        value: Operand,
        /// One bit: when it is zero, memory is not accessed.
        guard: Option<Operand>,
    },
    /// A user operation (p-code's `CALLOTHER`), whose semantics this crate does not define.
    User {
        /// The temporary that it defines, if any.
        result: Option<Temp>,
        /// Its number in [`crate::Layout::user_operations`].
        operation: u32,
        /// The arguments, in the block's pool.
        arguments: ArgumentRange,
        /// One bit: when it is zero, nothing happens and the result is zero.
        guard: Option<Operand>,
    },
}

impl Statement {
    /// A computation, with one argument for each that the operator takes.
    ///
    /// # Panics
    /// If the number of arguments is not the operator's arity.
    #[must_use]
    pub fn compute(result: Temp, op: Op, arguments: &[Operand]) -> Statement {
        Statement::Compute { result, op, arguments: padded(op, arguments) }
    }

    /// The temporary that the statement defines, if any.
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

    /// The arguments of a computation; empty for other statements.
    #[inline]
    #[must_use]
    pub fn arguments(&self) -> &[Operand] {
        match self {
            Statement::Compute { op, arguments, .. } => &arguments[..op.arity()],
            _ => &[],
        }
    }

    /// The range of a user operation's arguments in the block's pool.
    #[must_use]
    pub fn pooled(&self) -> Option<ArgumentRange> {
        match *self {
            Statement::User { arguments, .. } => Some(arguments),
            _ => None,
        }
    }

    /// Visits every operand of the statement itself, in the order of the text form; the visitor may replace it. The
    /// arguments of a user operation are in the pool and are not visited.
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

    /// Replaces the temporary that the statement defines, if any.
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

/// The arguments of a computation, padded with fillers.
pub(crate) fn padded(op: Op, arguments: &[Operand]) -> [Operand; 3] {
    assert_eq!(arguments.len(), op.arity(), "the number of arguments of {op}");
    let mut padded = [Operand::FILLER; 3];
    padded[..arguments.len()].copy_from_slice(arguments);
    padded
}

//! Checks that an instruction's p-code can be translated, before the first statement is emitted.

use super::operand_size;
use everypath_ir::Width;
use everypath_sleigh::{
    BadInstruction, Opcode, Operation, Specification, SpecificationSpaceId, SpecificationSpaceKind, Varnode,
};
use std::fmt;

/// The reason why there is no block at a place. It is a result about the code, not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NotLifted {
    /// The bytes are not an instruction.
    Bad(BadInstruction),
    /// The IR cannot express the instruction's p-code.
    Unsupported(Unsupported),
    /// The instruction has no part of the requested number.
    NoSuchPart,
}

/// P-code that the IR cannot express.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unsupported {
    /// The operation.
    pub opcode: Opcode,
    /// The reason.
    pub reason: &'static str,
}

impl From<BadInstruction> for NotLifted {
    fn from(bad: BadInstruction) -> Self {
        Self::Bad(bad)
    }
}

impl fmt::Display for NotLifted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bad(bad) => write!(formatter, "{bad}"),
            Self::Unsupported(unsupported) => {
                write!(
                    formatter,
                    "p-code {} is not supported here: {}",
                    unsupported.opcode, unsupported.reason
                )
            }
            Self::NoSuchPart => formatter.write_str("the instruction has no such part"),
        }
    }
}

impl std::error::Error for NotLifted {}

/// The width of a varnode that has been checked.
pub(super) fn width(varnode: Varnode) -> Width {
    Width::new(8 * varnode.size).unwrap_or(Width::W8)
}

/// Checks that an operation has a translation.
pub(crate) fn check(specification: &Specification, operation: &Operation<'_>) -> Result<(), Unsupported> {
    let reason = unsupported_varnode(specification, operation)
        .or_else(|| unsupported_shape(operation))
        .or_else(|| unsupported_target(specification, operation))
        .or_else(|| operand_size::unsupported(operation));
    reason.map_or(Ok(()), |reason| Err(Unsupported { opcode: operation.opcode, reason }))
}

/// A space of which the processor has no memory: one that does not exist, or one for the specification's own use.
fn is_unreached(specification: &Specification, space: u64) -> bool {
    let space = usize::try_from(space).ok().and_then(|space| specification.spaces().get(space));
    space.is_none_or(|space| space.kind == SpecificationSpaceKind::Other)
}

/// The reason why a varnode of the operation is unsupported: its size or its space.
fn unsupported_varnode(specification: &Specification, operation: &Operation<'_>) -> Option<&'static str> {
    for varnode in operation.inputs.iter().chain(&operation.output) {
        if Width::new(8 * varnode.size).is_none() && !varnode.is_constant() {
            return Some("a value of no bytes or of more than 64");
        }
        if is_unreached(specification, u64::from(varnode.space.0)) {
            return Some("a space that is not one of the processor");
        }
    }
    None
}

/// The reason why the shape of the operation is unsupported: its number of inputs, its result, or an empty input.
fn unsupported_shape(operation: &Operation<'_>) -> Option<&'static str> {
    let (arity, has_output) = shape(operation);
    if arity.is_some_and(|arity| arity != operation.inputs.len()) {
        return Some("another number of inputs than the operation has");
    }
    if has_output.is_some_and(|has_output| has_output != operation.output.is_some()) {
        return Some("a result where the operation has none, or none where it has one");
    }
    // A branch within the instruction counts operations; its target may have no size.
    let branches = matches!(operation.opcode, Opcode::Branch | Opcode::ConditionalBranch);
    if operation.inputs.iter().any(|input| input.size == 0) && !branches {
        return Some("a value of no bytes");
    }
    None
}

/// The reason why the space, branch target or user operation that the first input names is unsupported.
fn unsupported_target(specification: &Specification, operation: &Operation<'_>) -> Option<&'static str> {
    use Opcode as O;
    let inputs = operation.inputs;
    match operation.opcode {
        O::Load | O::Store if is_unreached(specification, inputs[0].offset) => {
            Some("a space that is not one of the processor")
        }
        O::Store if inputs[0].offset == u64::from(SpecificationSpaceId::CONSTANT.0) => {
            Some("the space of constants")
        }
        O::Branch
        | O::ConditionalBranch
        | O::Call
        | O::CallIndirect
        | O::BranchIndirect
        | O::Return
        | O::CallOther
            if inputs.is_empty() =>
        {
            Some("no target")
        }
        O::CallOther if inputs[0].offset >= specification.user_operations().len() as u64 => {
            Some("a user operation that does not exist")
        }
        O::SegmentOperation | O::ConstantPool | O::New | O::Insert | O::Extract => {
            Some("it serves decompilation only")
        }
        _ => None,
    }
}

/// The number of inputs of an operation, and whether it has a result, where these are fixed.
fn shape(operation: &Operation<'_>) -> (Option<usize>, Option<bool>) {
    use Opcode as O;
    match operation.opcode {
        O::Load => (Some(2), Some(true)),
        O::Store => (Some(3), Some(false)),
        O::Branch | O::BranchIndirect | O::Call | O::CallIndirect | O::Return => (None, Some(false)),
        O::ConditionalBranch => (Some(2), Some(false)),
        O::CallOther => (None, None),
        O::Copy
        | O::IntZeroExtend
        | O::IntSignExtend
        | O::IntNegate
        | O::IntNot
        | O::BoolNot
        | O::FloatIsNan
        | O::FloatNegate
        | O::FloatAbsolute
        | O::FloatSquareRoot
        | O::IntToFloat
        | O::FloatToFloat
        | O::FloatToInt
        | O::FloatCeil
        | O::FloatFloor
        | O::FloatRound
        | O::PopCount
        | O::LeadingZeroCount => (Some(1), Some(true)),
        O::SegmentOperation | O::ConstantPool | O::New | O::Insert | O::Extract => (None, None),
        _ => (Some(2), Some(true)),
    }
}

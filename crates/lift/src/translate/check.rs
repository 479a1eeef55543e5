//! Checks that an instruction's p-code can be translated, before the first statement is emitted.

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

/// The sizes in bytes of the supported floating-point formats.
const FLOAT_SIZES: [u32; 5] = [2, 4, 8, 10, 16];

fn is_float(size: u32) -> bool {
    FLOAT_SIZES.contains(&size)
}

/// The width of a varnode that has been checked.
pub(super) fn width(varnode: Varnode) -> Width {
    Width::new(8 * varnode.size).unwrap_or(Width::W8)
}

/// Checks that an operation has a translation.
pub(crate) fn check(specification: &Specification, operation: &Operation<'_>) -> Result<(), Unsupported> {
    let refuse = |reason| Err(Unsupported { opcode: operation.opcode, reason });
    let inputs = operation.inputs;
    let output = operation.output;
    let is_unreached = |space: u64| {
        let space = usize::try_from(space).ok().and_then(|space| specification.spaces().get(space));
        space.is_none_or(|space| space.kind == SpecificationSpaceKind::Other)
    };
    for varnode in inputs.iter().chain(&output) {
        if Width::new(8 * varnode.size).is_none() && !varnode.is_constant() {
            return refuse("a value of no bytes or of more than 64");
        }
        if is_unreached(u64::from(varnode.space.0)) {
            return refuse("a space that is not one of the processor");
        }
    }
    let (arity, has_output) = shape(operation);
    if arity.is_some_and(|arity| arity != inputs.len()) {
        return refuse("another number of inputs than the operation has");
    }
    if has_output.is_some_and(|has_output| has_output != output.is_some()) {
        return refuse("a result where the operation has none, or none where it has one");
    }
    let output_size = output.map_or(0, |output| output.size);
    let size = |position: usize| inputs.get(position).map_or(0, |input: &Varnode| input.size);
    if inputs.iter().any(|input| input.size == 0) && !branches_within(operation) {
        return refuse("a value of no bytes");
    }
    use Opcode as O;
    match operation.opcode {
        O::Load | O::Store if is_unreached(inputs[0].offset) => {
            refuse("a space that is not one of the processor")
        }
        O::Store if inputs[0].offset == u64::from(SpecificationSpaceId::CONSTANT.0) => {
            refuse("the space of constants")
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
            refuse("no target")
        }
        O::CallOther if inputs[0].offset >= specification.user_operations().len() as u64 => {
            refuse("a user operation that does not exist")
        }
        O::IntAdd
        | O::IntSubtract
        | O::IntMultiply
        | O::IntDivide
        | O::IntSignedDivide
        | O::IntRemainder
        | O::IntSignedRemainder
        | O::IntAnd
        | O::IntOr
        | O::IntXor
            if size(0) != output_size || size(1) != output_size =>
        {
            refuse("operands and result differ in size")
        }
        O::IntNegate | O::IntNot | O::IntShiftLeft | O::IntShiftRight | O::IntSignedShiftRight | O::Copy
            if size(0) != output_size =>
        {
            refuse("operand and result differ in size")
        }
        O::IntEqual
        | O::IntNotEqual
        | O::IntLess
        | O::IntLessEqual
        | O::IntSignedLess
        | O::IntSignedLessEqual
        | O::IntCarry
        | O::IntSignedCarry
        | O::IntSignedBorrow
            if size(0) != size(1) =>
        {
            refuse("the operands differ in size")
        }
        O::IntZeroExtend | O::IntSignExtend if size(0) > output_size => {
            refuse("an extension to a smaller size")
        }
        O::Piece if size(0) + size(1) != output_size => refuse("the sizes of the parts do not add up"),
        O::Subpiece if !inputs.get(1).is_some_and(|low| low.is_constant()) => {
            refuse("a start that is not constant")
        }
        O::FloatAdd | O::FloatSubtract | O::FloatMultiply | O::FloatDivide
            if !is_float(output_size) || size(0) != output_size || size(1) != output_size =>
        {
            refuse("a floating-point size without a meaning")
        }
        O::FloatNegate
        | O::FloatAbsolute
        | O::FloatSquareRoot
        | O::FloatCeil
        | O::FloatFloor
        | O::FloatRound
            if !is_float(output_size) || size(0) != output_size =>
        {
            refuse("a floating-point size without a meaning")
        }
        O::FloatEqual | O::FloatNotEqual | O::FloatLess | O::FloatLessEqual
            if !is_float(size(0)) || size(0) != size(1) =>
        {
            refuse("a floating-point size without a meaning")
        }
        O::FloatIsNan | O::FloatToInt if !is_float(size(0)) => {
            refuse("a floating-point size without a meaning")
        }
        O::IntToFloat if !is_float(output_size) => refuse("a floating-point size without a meaning"),
        O::FloatToFloat if !is_float(output_size) || !is_float(size(0)) => {
            refuse("a floating-point size without a meaning")
        }
        O::SegmentOperation | O::ConstantPool | O::New | O::Insert | O::Extract => {
            refuse("it serves decompilation only")
        }
        _ => Ok(()),
    }
}

fn branches_within(operation: &Operation<'_>) -> bool {
    matches!(operation.opcode, Opcode::Branch | Opcode::ConditionalBranch)
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

//! The rules of p-code on the sizes of operands and results.

use everypath_sleigh::{Opcode, Operation, Varnode};

/// The sizes in bytes of the supported floating-point formats.
const FLOAT_SIZES: [u32; 5] = [2, 4, 8, 10, 16];

fn is_float(size: u32) -> bool {
    FLOAT_SIZES.contains(&size)
}

/// The rule that an operation breaks, if it breaks one.
pub(super) fn unsupported(operation: &Operation<'_>) -> Option<&'static str> {
    unsupported_integer(operation).or_else(|| unsupported_float(operation))
}

fn input_size(operation: &Operation<'_>, position: usize) -> u32 {
    operation.inputs.get(position).map_or(0, |input: &Varnode| input.size)
}

fn output_size(operation: &Operation<'_>) -> u32 {
    operation.output.map_or(0, |output| output.size)
}

fn unsupported_integer(operation: &Operation<'_>) -> Option<&'static str> {
    use Opcode as O;
    let [first, second] = [0, 1].map(|position| input_size(operation, position));
    let result = output_size(operation);
    match operation.opcode {
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
            if first != result || second != result =>
        {
            Some("operands and result differ in size")
        }
        O::IntNegate | O::IntNot | O::IntShiftLeft | O::IntShiftRight | O::IntSignedShiftRight | O::Copy
            if first != result =>
        {
            Some("operand and result differ in size")
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
            if first != second =>
        {
            Some("the operands differ in size")
        }
        O::IntZeroExtend | O::IntSignExtend if first > result => Some("an extension to a smaller size"),
        O::Piece if first + second != result => Some("the sizes of the parts do not add up"),
        O::Subpiece if !operation.inputs.get(1).is_some_and(|low| low.is_constant()) => {
            Some("a start that is not constant")
        }
        _ => None,
    }
}

/// An operation on floating-point numbers is supported in the formats that have semantics; only conversions change
/// the format.
fn unsupported_float(operation: &Operation<'_>) -> Option<&'static str> {
    use Opcode as O;
    let [first, second] = [0, 1].map(|position| input_size(operation, position));
    let result = output_size(operation);
    let is_supported = match operation.opcode {
        O::FloatAdd | O::FloatSubtract | O::FloatMultiply | O::FloatDivide => {
            is_float(result) && first == result && second == result
        }
        O::FloatNegate
        | O::FloatAbsolute
        | O::FloatSquareRoot
        | O::FloatCeil
        | O::FloatFloor
        | O::FloatRound => is_float(result) && first == result,
        O::FloatEqual | O::FloatNotEqual | O::FloatLess | O::FloatLessEqual => {
            is_float(first) && first == second
        }
        O::FloatIsNan | O::FloatToInt => is_float(first),
        O::IntToFloat => is_float(result),
        O::FloatToFloat => is_float(result) && is_float(first),
        _ => true,
    };
    (!is_supported).then_some("a floating-point size without a meaning")
}

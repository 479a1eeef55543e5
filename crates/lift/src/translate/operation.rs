//! The mapping from p-code operators to IR operators.

use super::check::width;
use everypath_ir::{Bits, BlockBuilder, Op, Operand, Width};
use everypath_sleigh::{Opcode, Operation};

/// Truncates or zero-extends a value to a width.
pub(super) fn resize(builder: &mut BlockBuilder, value: Operand, to: Width) -> Operand {
    let from = builder.width(value);
    match from.cmp(&to) {
        std::cmp::Ordering::Equal => value,
        std::cmp::Ordering::Less => builder.compute(Op::Zext, to, &[value]),
        std::cmp::Ordering::Greater => builder.compute(Op::Extract(0), to, &[value]),
    }
}

/// The value as a one-bit condition: true if it is not zero.
pub(super) fn truth(builder: &mut BlockBuilder, value: Operand) -> Operand {
    let from = builder.width(value);
    let zero = builder.constant(Bits::zero(from));
    builder.compute(Op::Ne, Width::W1, &[value, zero])
}

/// The correspondence between an IR operator and a p-code operation.
enum Form {
    /// Operands and result have the same form.
    Plain(Op),
    /// The result is one bit, which p-code stores in a byte.
    Condition(Op),
}

fn form(opcode: Opcode) -> Option<Form> {
    use Form::{Condition, Plain};
    use Opcode as O;
    Some(match opcode {
        O::IntAdd => Plain(Op::Add),
        O::IntSubtract => Plain(Op::Sub),
        O::IntMultiply => Plain(Op::Mul),
        O::IntDivide => Plain(Op::Udiv),
        O::IntSignedDivide => Plain(Op::Sdiv),
        O::IntRemainder => Plain(Op::Urem),
        O::IntSignedRemainder => Plain(Op::Srem),
        O::IntAnd => Plain(Op::And),
        O::IntOr => Plain(Op::Or),
        O::IntXor => Plain(Op::Xor),
        O::IntNot => Plain(Op::Not),
        O::IntNegate => Plain(Op::Neg),
        O::IntShiftLeft => Plain(Op::Shl),
        O::IntShiftRight => Plain(Op::Lshr),
        O::IntSignedShiftRight => Plain(Op::Ashr),
        O::IntZeroExtend => Plain(Op::Zext),
        O::IntSignExtend => Plain(Op::Sext),
        O::Piece => Plain(Op::Concat),
        O::PopCount => Plain(Op::Popcount),
        O::LeadingZeroCount => Plain(Op::Lzcount),
        O::FloatAdd => Plain(Op::Fadd),
        O::FloatSubtract => Plain(Op::Fsub),
        O::FloatMultiply => Plain(Op::Fmul),
        O::FloatDivide => Plain(Op::Fdiv),
        O::FloatNegate => Plain(Op::Fneg),
        O::FloatAbsolute => Plain(Op::Fabs),
        O::FloatSquareRoot => Plain(Op::Fsqrt),
        O::FloatCeil => Plain(Op::Fceil),
        O::FloatFloor => Plain(Op::Ffloor),
        O::FloatRound => Plain(Op::Fround),
        O::IntToFloat => Plain(Op::Int2float),
        O::FloatToFloat => Plain(Op::Float2float),
        O::FloatToInt => Plain(Op::Float2int),
        O::IntEqual => Condition(Op::Eq),
        O::IntNotEqual => Condition(Op::Ne),
        O::IntLess => Condition(Op::Ult),
        O::IntLessEqual => Condition(Op::Ule),
        O::IntSignedLess => Condition(Op::Slt),
        O::IntSignedLessEqual => Condition(Op::Sle),
        O::IntCarry => Condition(Op::Carry),
        O::IntSignedCarry => Condition(Op::Scarry),
        O::IntSignedBorrow => Condition(Op::Sborrow),
        O::FloatEqual => Condition(Op::Feq),
        O::FloatNotEqual => Condition(Op::Fne),
        O::FloatLess => Condition(Op::Flt),
        O::FloatLessEqual => Condition(Op::Fle),
        O::FloatIsNan => Condition(Op::Fisnan),
        _ => return None,
    })
}

/// The value of a pure p-code operation. `operands` are the values of its inputs.
pub(super) fn compute(
    builder: &mut BlockBuilder,
    operation: &Operation<'_>,
    operands: &[Operand],
) -> Option<Operand> {
    let result = width(operation.output?);
    if let Some(form) = form(operation.opcode) {
        return Some(match form {
            Form::Plain(op) => builder.compute(op, result, operands),
            Form::Condition(op) => {
                let condition = builder.compute(op, Width::W1, operands);
                resize(builder, condition, result)
            }
        });
    }
    Some(match operation.opcode {
        Opcode::Copy => resize(builder, operands[0], result),
        Opcode::Subpiece => {
            // The offset is a constant, in bytes; bits beyond the end are zero.
            let low = 8 * operation.inputs[1].offset.min(64) as u32;
            let available = builder.width(operands[0]).bits().saturating_sub(low);
            match Width::new(available.min(result.bits())) {
                None => builder.constant(Bits::zero(result)),
                Some(taken) => {
                    let piece = builder.compute(Op::Extract(low as u16), taken, &[operands[0]]);
                    resize(builder, piece, result)
                }
            }
        }
        // Booleans of p-code are bytes that hold zero or one.
        Opcode::BoolNot => {
            let value = resize(builder, operands[0], result);
            let one = builder.constant(Bits::from_u64(1, result));
            builder.compute(Op::Xor, result, &[value, one])
        }
        Opcode::BoolAnd | Opcode::BoolOr | Opcode::BoolXor => {
            let op = match operation.opcode {
                Opcode::BoolAnd => Op::And,
                Opcode::BoolOr => Op::Or,
                _ => Op::Xor,
            };
            let left = resize(builder, operands[0], result);
            let right = resize(builder, operands[1], result);
            builder.compute(op, result, &[left, right])
        }
        _ => return None,
    })
}

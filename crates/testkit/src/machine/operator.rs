//! Evaluation of pure p-code operations.

use everypath_ir::{Bits, Op, Width};
use everypath_sleigh::Opcode;

/// The IR operator of an opcode, if there is exactly one. A comparison yields one bit.
fn operator(opcode: Opcode) -> Option<Op> {
    Some(match opcode {
        Opcode::IntEqual => Op::Eq,
        Opcode::IntNotEqual => Op::Ne,
        Opcode::IntSignedLess => Op::Slt,
        Opcode::IntSignedLessEqual => Op::Sle,
        Opcode::IntLess => Op::Ult,
        Opcode::IntLessEqual => Op::Ule,
        Opcode::IntZeroExtend => Op::Zext,
        Opcode::IntSignExtend => Op::Sext,
        Opcode::IntAdd => Op::Add,
        Opcode::IntSubtract => Op::Sub,
        Opcode::IntCarry => Op::Carry,
        Opcode::IntSignedCarry => Op::Scarry,
        Opcode::IntSignedBorrow => Op::Sborrow,
        Opcode::IntNegate => Op::Neg,
        Opcode::IntNot => Op::Not,
        Opcode::IntXor | Opcode::BoolXor => Op::Xor,
        Opcode::IntAnd | Opcode::BoolAnd => Op::And,
        Opcode::IntOr | Opcode::BoolOr => Op::Or,
        Opcode::IntShiftLeft => Op::Shl,
        Opcode::IntShiftRight => Op::Lshr,
        Opcode::IntSignedShiftRight => Op::Ashr,
        Opcode::IntMultiply => Op::Mul,
        Opcode::IntDivide => Op::Udiv,
        Opcode::IntSignedDivide => Op::Sdiv,
        Opcode::IntRemainder => Op::Urem,
        Opcode::IntSignedRemainder => Op::Srem,
        Opcode::FloatEqual => Op::Feq,
        Opcode::FloatNotEqual => Op::Fne,
        Opcode::FloatLess => Op::Flt,
        Opcode::FloatLessEqual => Op::Fle,
        Opcode::FloatIsNan => Op::Fisnan,
        Opcode::FloatAdd => Op::Fadd,
        Opcode::FloatDivide => Op::Fdiv,
        Opcode::FloatMultiply => Op::Fmul,
        Opcode::FloatSubtract => Op::Fsub,
        Opcode::FloatNegate => Op::Fneg,
        Opcode::FloatAbsolute => Op::Fabs,
        Opcode::FloatSquareRoot => Op::Fsqrt,
        Opcode::IntToFloat => Op::Int2float,
        Opcode::FloatToFloat => Op::Float2float,
        Opcode::FloatToInt => Op::Float2int,
        Opcode::FloatCeil => Op::Fceil,
        Opcode::FloatFloor => Op::Ffloor,
        Opcode::FloatRound => Op::Fround,
        Opcode::Piece => Op::Concat,
        Opcode::PopCount => Op::Popcount,
        Opcode::LeadingZeroCount => Op::Lzcount,
        _ => return None,
    })
}

/// The value truncated or zero-extended to a number of bytes.
pub(super) fn resized(value: &Bits, size: u32) -> Option<Bits> {
    Some(Bits::from_bytes_le(&value.to_bytes_le(), Width::new(8 * size)?))
}

/// The value of a pure operation, in `size` bytes; `None` if it is undefined on these inputs.
pub(super) fn compute(opcode: Opcode, inputs: &[Bits], size: u32) -> Option<Bits> {
    let width = Width::new(8 * size)?;
    match opcode {
        Opcode::Copy => return resized(inputs.first()?, size),
        Opcode::BoolNot => {
            let mut bytes = inputs.first()?.to_bytes_le();
            bytes[0] ^= 1;
            return Some(Bits::from_bytes_le(&bytes, width));
        }
        Opcode::Subpiece => {
            let skipped = usize::try_from(inputs.get(1)?.to_u64()?).ok()?;
            let bytes = inputs[0].to_bytes_le();
            return Some(Bits::from_bytes_le(bytes.get(skipped..).unwrap_or(&[]), width));
        }
        _ => {}
    }
    let op = operator(opcode)?;
    let arguments: Vec<Width> = inputs.iter().map(Bits::width).collect();
    if op.check(width, &arguments).is_ok() {
        return Some(op.apply(width, inputs));
    }
    // P-code booleans are bytes: zero or one.
    op.check(Width::W1, &arguments).ok()?;
    resized(&op.apply(Width::W1, inputs), size)
}

//! The names of opcodes in listings.

use libsla::{AnalysisOp, BoolOp, FloatOp, IntOp, IntSign, OpCode, PseudoOp};

/// The name that Ghidra's listings use.
pub(super) fn opcode_name(opcode: OpCode) -> &'static str {
    match opcode {
        OpCode::Copy => "COPY",
        OpCode::Load => "LOAD",
        OpCode::Store => "STORE",
        OpCode::Branch => "BRANCH",
        OpCode::BranchConditional => "CBRANCH",
        OpCode::BranchIndirect => "BRANCHIND",
        OpCode::Call => "CALL",
        OpCode::CallIndirect => "CALLIND",
        OpCode::Return => "RETURN",
        OpCode::Piece => "PIECE",
        OpCode::Subpiece => "SUBPIECE",
        OpCode::Popcount => "POPCOUNT",
        OpCode::LzCount => "LZCOUNT",
        OpCode::Bool(operator) => match operator {
            BoolOp::Negate => "BOOL_NEGATE",
            BoolOp::And => "BOOL_AND",
            BoolOp::Or => "BOOL_OR",
            BoolOp::Xor => "BOOL_XOR",
        },
        OpCode::Int(operator) => integer_name(operator),
        OpCode::Float(operator) => float_name(operator),
        OpCode::Pseudo(operator) => match operator {
            PseudoOp::CallOther => "CALLOTHER",
            PseudoOp::ConstantPoolRef => "CPOOLREF",
            PseudoOp::New => "NEW",
        },
        OpCode::Analysis(operator) => match operator {
            AnalysisOp::MultiEqual => "MULTIEQUAL",
            AnalysisOp::CopyIndirect => "INDIRECT",
            AnalysisOp::PointerAdd => "PTRADD",
            AnalysisOp::PointerSubcomponent => "PTRSUB",
            AnalysisOp::Cast => "CAST",
            AnalysisOp::Insert => "INSERT",
            AnalysisOp::Extract => "EXTRACT",
            AnalysisOp::SegmentOp => "SEGMENTOP",
        },
        OpCode::Unknown(_) => "UNKNOWN",
    }
}

fn integer_name(operator: IntOp) -> &'static str {
    match operator {
        IntOp::Add => "INT_ADD",
        IntOp::Negate => "INT_2COMP",
        IntOp::Subtract => "INT_SUB",
        IntOp::Multiply => "INT_MULT",
        IntOp::Divide(IntSign::Unsigned) => "INT_DIV",
        IntOp::Divide(IntSign::Signed) => "INT_SDIV",
        IntOp::Remainder(IntSign::Unsigned) => "INT_REM",
        IntOp::Remainder(IntSign::Signed) => "INT_SREM",
        IntOp::Equal => "INT_EQUAL",
        IntOp::NotEqual => "INT_NOTEQUAL",
        IntOp::LessThan(IntSign::Unsigned) => "INT_LESS",
        IntOp::LessThan(IntSign::Signed) => "INT_SLESS",
        IntOp::LessThanOrEqual(IntSign::Unsigned) => "INT_LESSEQUAL",
        IntOp::LessThanOrEqual(IntSign::Signed) => "INT_SLESSEQUAL",
        IntOp::Extension(IntSign::Unsigned) => "INT_ZEXT",
        IntOp::Extension(IntSign::Signed) => "INT_SEXT",
        IntOp::Carry(IntSign::Unsigned) => "INT_CARRY",
        IntOp::Carry(IntSign::Signed) => "INT_SCARRY",
        IntOp::Borrow => "INT_SBORROW",
        IntOp::ShiftLeft => "INT_LEFT",
        IntOp::ShiftRight(IntSign::Unsigned) => "INT_RIGHT",
        IntOp::ShiftRight(IntSign::Signed) => "INT_SRIGHT",
        IntOp::Bitwise(BoolOp::Negate) => "INT_NEGATE",
        IntOp::Bitwise(BoolOp::And) => "INT_AND",
        IntOp::Bitwise(BoolOp::Or) => "INT_OR",
        IntOp::Bitwise(BoolOp::Xor) => "INT_XOR",
    }
}

fn float_name(operator: FloatOp) -> &'static str {
    match operator {
        FloatOp::Equal => "FLOAT_EQUAL",
        FloatOp::NotEqual => "FLOAT_NOTEQUAL",
        FloatOp::LessThan => "FLOAT_LESS",
        FloatOp::LessThanOrEqual => "FLOAT_LESSEQUAL",
        FloatOp::IsNaN => "FLOAT_NAN",
        FloatOp::Add => "FLOAT_ADD",
        FloatOp::Subtract => "FLOAT_SUB",
        FloatOp::Multiply => "FLOAT_MULT",
        FloatOp::Divide => "FLOAT_DIV",
        FloatOp::Negate => "FLOAT_NEG",
        FloatOp::AbsoluteValue => "FLOAT_ABS",
        FloatOp::SquareRoot => "FLOAT_SQRT",
        FloatOp::IntToFloat => "INT2FLOAT",
        FloatOp::FloatToFloat => "FLOAT2FLOAT",
        FloatOp::Truncate => "TRUNC",
        FloatOp::Ceiling => "CEIL",
        FloatOp::Floor => "FLOOR",
        FloatOp::Round => "ROUND",
    }
}

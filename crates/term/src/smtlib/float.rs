//! The floating-point operators in the SMT-LIB theory.

use everypath_ir::{Bits, Op, Width};

use super::print::{Inexpressible, literal};

/// Returns true if the theory's result is a floating-point value too. Negation and absolute value are bit operations,
/// because they preserve the payload of a NaN.
pub(super) fn has_float_result(op: Op) -> bool {
    matches!(
        op,
        Op::Fadd
            | Op::Fsub
            | Op::Fmul
            | Op::Fdiv
            | Op::Fsqrt
            | Op::Fceil
            | Op::Ffloor
            | Op::Fround
            | Op::Int2float
            | Op::Float2float
    )
}

/// The widths of exponent and significand.
pub(super) fn sort(op: Op, width: Width) -> Result<&'static str, Inexpressible> {
    match width.bits() {
        16 => Ok("5 11"),
        32 => Ok("8 24"),
        64 => Ok("11 53"),
        128 => Ok("15 113"),
        _ => Err(Inexpressible { op }),
    }
}

/// The canonical NaN of results: any NaN added to zero.
pub(super) fn not_a_number(width: Width) -> Bits {
    Op::Fadd.apply(width, &[Bits::ones(width), Bits::zero(width)])
}

pub(super) fn expression(
    op: Op,
    width: Width,
    widths: &[Width],
    arguments: &[String],
) -> Result<String, Inexpressible> {
    let a = &arguments[0];
    if op == Op::Int2float {
        return Ok(format!("((_ to_fp {}) RNE {a})", sort(op, width)?));
    }
    let from = sort(op, widths[0])?;
    let values: Vec<String> =
        arguments.iter().map(|argument| format!("((_ to_fp {from}) {argument})")).collect();
    let all = values.join(" ");
    let sign = Op::Shl.apply(
        widths[0],
        &[Bits::from_u64(1, widths[0]), Bits::from_u64(u64::from(widths[0].bits()) - 1, Width::W16)],
    );
    let truth = |name: &str| format!("(ite ({name} {all}) #b1 #b0)");
    Ok(match op {
        Op::Fadd => format!("(fp.add RNE {all})"),
        Op::Fsub => format!("(fp.sub RNE {all})"),
        Op::Fmul => format!("(fp.mul RNE {all})"),
        Op::Fdiv => format!("(fp.div RNE {all})"),
        Op::Fsqrt => format!("(fp.sqrt RNE {all})"),
        Op::Fceil => format!("(fp.roundToIntegral RTP {all})"),
        Op::Ffloor => format!("(fp.roundToIntegral RTN {all})"),
        Op::Fround => format!("(fp.roundToIntegral RNE {all})"),
        Op::Float2float => format!("((_ to_fp {}) RNE {all})", sort(op, width)?),
        Op::Fneg => format!("(bvxor {a} {})", literal(&sign)),
        Op::Fabs => format!("(bvand {a} {})", literal(&Op::Not.apply(widths[0], &[sign]))),
        Op::Feq => truth("fp.eq"),
        Op::Fne => format!("(bvnot {})", truth("fp.eq")),
        Op::Flt => truth("fp.lt"),
        Op::Fle => truth("fp.leq"),
        Op::Fisnan => truth("fp.isNaN"),
        Op::Float2int => to_integer(width, from, &all),
        _ => return Err(Inexpressible { op }),
    })
}

/// The theory leaves conversions of values out of range unspecified; ours gives the most negative integer.
fn to_integer(width: Width, from: &str, value: &str) -> String {
    let bits = width.bits();
    // The bounds, one bit wider than the result so that the upper one fits. A bound beyond the format becomes infinite.
    let bound = |sign: char, next: char| {
        let zeros = "0".repeat(bits as usize - 1);
        format!("((_ to_fp {from}) RNE #b{sign}{next}{zeros})")
    };
    let (least, beyond) = (bound('1', '1'), bound('0', '1'));
    let most_negative = format!("#b1{}", "0".repeat(bits as usize - 1));
    format!(
        "(let ((r (fp.roundToIntegral RTZ {value}))) (ite (and (not (fp.isInfinite r)) (fp.leq {least} r) (fp.lt r {beyond})) ((_ fp.to_sbv {bits}) RTZ r) {most_negative}))"
    )
}

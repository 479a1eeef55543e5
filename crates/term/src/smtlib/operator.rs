//! The SMT-LIB 2 expression of each operator.

use everypath_ir::{Bits, Op, Width};

use super::float;
use super::print::{Inexpressible, literal};

/// The application of an operator to arguments, given by their texts and widths.
pub(super) fn expression(
    op: Op,
    width: Width,
    widths: &[Width],
    arguments: &[String],
) -> Result<String, Inexpressible> {
    if op.is_float() {
        return float::expression(op, width, widths, arguments);
    }
    let all = arguments.join(" ");
    let bits = width.bits();
    let plain = |name: &str| format!("({name} {all})");
    let truth = |name: &str| format!("(ite ({name} {all}) #b1 #b0)");
    let sign = widths[0].bits() - 1;
    // Arguments used twice are let-bound, so that texts do not grow exponentially.
    let with_names = |body: &str| match arguments {
        [a, b] => format!("(let ((a {a}) (b {b})) {body})"),
        _ => format!("(let ((a {})) {body})", arguments[0]),
    };
    let overflow = |difference: &str, condition: &str| {
        with_names(&format!("(let ((s ({difference} a b))) ((_ extract {sign} {sign}) {condition}))"))
    };
    Ok(match op {
        Op::Add => plain("bvadd"),
        Op::Sub => plain("bvsub"),
        Op::Mul => plain("bvmul"),
        Op::Udiv => plain("bvudiv"),
        Op::Sdiv => plain("bvsdiv"),
        Op::Urem => plain("bvurem"),
        Op::Srem => plain("bvsrem"),
        Op::And => plain("bvand"),
        Op::Or => plain("bvor"),
        Op::Xor => plain("bvxor"),
        Op::Not => plain("bvnot"),
        Op::Neg => plain("bvneg"),
        Op::Shl => shift("bvshl", widths, arguments),
        Op::Lshr => shift("bvlshr", widths, arguments),
        Op::Ashr => shift("bvashr", widths, arguments),
        Op::Eq => plain("bvcomp"),
        Op::Ne => format!("(bvnot {})", plain("bvcomp")),
        Op::Ult => truth("bvult"),
        Op::Ule => truth("bvule"),
        Op::Slt => truth("bvslt"),
        Op::Sle => truth("bvsle"),
        Op::Carry => with_names("(ite (bvult (bvadd a b) a) #b1 #b0)"),
        Op::Scarry => overflow("bvadd", "(bvand (bvxor a s) (bvxor b s))"),
        Op::Sborrow => overflow("bvsub", "(bvand (bvxor a b) (bvxor a s))"),
        Op::Zext => format!("((_ zero_extend {}) {all})", bits - widths[0].bits()),
        Op::Sext => format!("((_ sign_extend {}) {all})", bits - widths[0].bits()),
        Op::Extract(low) => format!("((_ extract {} {low}) {all})", u32::from(low) + bits - 1),
        Op::Concat => plain("concat"),
        Op::Select => format!("(ite (= {} #b1) {} {})", arguments[0], arguments[1], arguments[2]),
        Op::Popcount => with_names(&sum_of_bits(width, 0, widths[0].bits())),
        Op::Lzcount => with_names(&leading_zeros(width, widths[0].bits())),
        _ => return Err(Inexpressible { op }),
    })
}

/// A shift by an amount of any width; SMT-LIB requires the width of the value.
fn shift(name: &str, widths: &[Width], arguments: &[String]) -> String {
    let (width, amount) = (widths[0], widths[1]);
    let (value, by) = (&arguments[0], &arguments[1]);
    if amount <= width {
        return format!("({name} {value} ((_ zero_extend {}) {by}))", width.bits() - amount.bits());
    }
    // An amount that does not fit into the narrower width becomes the largest, which shifts all bits out.
    let limit = literal(&Bits::from_u64(u64::from(width.bits()), amount));
    let largest = literal(&Bits::ones(width));
    let top = width.bits() - 1;
    format!("(let ((b {by})) ({name} {value} (ite (bvult b {limit}) ((_ extract {top} 0) b) {largest})))")
}

/// One bit of `a` as a number.
fn bit(width: Width, index: u32) -> String {
    format!("((_ zero_extend {}) ((_ extract {index} {index}) a))", width.bits() - 1)
}

/// The number of ones among the bits of `a` from `low` on, as a balanced tree.
fn sum_of_bits(width: Width, low: u32, count: u32) -> String {
    if count == 1 {
        return bit(width, low);
    }
    let half = count / 2;
    let (left, right) = (sum_of_bits(width, low, half), sum_of_bits(width, low + half, count - half));
    format!("(bvadd {left} {right})")
}

/// The number of zeros above the highest one of `a`.
fn leading_zeros(width: Width, count: u32) -> String {
    let number = |value: u32| literal(&Bits::from_u64(u64::from(value), width));
    let mut text = String::new();
    for index in (0..count).rev() {
        text += &format!("(ite (= ((_ extract {index} {index}) a) #b1) {} ", number(count - 1 - index));
    }
    text + &number(count) + &")".repeat(count as usize)
}

//! A second definition of the integer operators for up to 64 bits, by arithmetic on wide host integers.

use everypath_ir::{Bits, Op, Width};

fn unsigned(bits: &Bits) -> i128 {
    i128::from(bits.to_u64().expect("a value of up to 64 bits"))
}

fn signed(bits: &Bits) -> i128 {
    let (value, modulus) = (unsigned(bits), 1 << bits.width().bits());
    if value >= modulus / 2 { value - modulus } else { value }
}

/// The result of an integer operator.
pub(crate) fn expected(op: Op, result: Width, arguments: &[Bits]) -> Bits {
    let u: Vec<i128> = arguments.iter().map(unsigned).collect();
    let s: Vec<i128> = arguments.iter().map(signed).collect();
    let width = arguments[0].width().bits();
    let modulus: i128 = 1 << width;
    let fits_signed = |value: i128| (-modulus / 2..modulus / 2).contains(&value);
    // No shift in these checks needs the exact amount once it is beyond every width.
    let power = |amount: i128| 1_i128 << amount.min(65);
    let value = match op {
        Op::Add => u[0] + u[1],
        Op::Sub => u[0] - u[1],
        // The product of two values of 64 bits needs all 128 bits.
        Op::Mul => (u[0] as u128 * u[1] as u128 % modulus as u128) as i128,
        Op::Udiv => u[0].checked_div(u[1]).unwrap_or(-1),
        Op::Urem => u[0].checked_rem(u[1]).unwrap_or(u[0]),
        Op::Sdiv => s[0].checked_div(s[1]).unwrap_or(if s[0] < 0 { 1 } else { -1 }),
        Op::Srem => s[0].checked_rem(s[1]).unwrap_or(s[0]),
        Op::And => u[0] & u[1],
        Op::Or => u[0] | u[1],
        Op::Xor => u[0] ^ u[1],
        Op::Not => -1 - u[0],
        Op::Neg => -u[0],
        Op::Shl if u[1] >= width.into() => 0,
        Op::Shl => (u[0] as u128 * power(u[1]) as u128 % modulus as u128) as i128,
        Op::Lshr => u[0].div_euclid(power(u[1])),
        Op::Ashr => s[0].div_euclid(power(u[1])),
        Op::Eq => (u[0] == u[1]).into(),
        Op::Ne => (u[0] != u[1]).into(),
        Op::Ult => (u[0] < u[1]).into(),
        Op::Ule => (u[0] <= u[1]).into(),
        Op::Slt => (s[0] < s[1]).into(),
        Op::Sle => (s[0] <= s[1]).into(),
        Op::Carry => (u[0] + u[1] >= modulus).into(),
        Op::Scarry => (!fits_signed(s[0] + s[1])).into(),
        Op::Sborrow => (!fits_signed(s[0] - s[1])).into(),
        Op::Zext => u[0],
        Op::Sext => s[0],
        Op::Extract(low) => u[0] / power(low.into()),
        Op::Concat => u[0] * power(arguments[1].width().bits().into()) + u[1],
        Op::Select => [u[2], u[1]][u[0] as usize],
        Op::Popcount => (0..width).filter(|&bit| arguments[0].bit(bit)).count() as i128,
        Op::Lzcount => (0..width).rev().take_while(|&bit| !arguments[0].bit(bit)).count() as i128,
        _ => panic!("{op} is about floating point"),
    };
    Bits::from_u128(value as u128, result)
}

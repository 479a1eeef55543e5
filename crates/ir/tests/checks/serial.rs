//! A second definition of the integer operators for every width, bit by bit as circuits compute them.

use everypath_ir::{Bits, Op, Width};

/// Bits, the least significant first.
type Wires = Vec<bool>;

fn wires(bits: &Bits) -> Wires {
    (0..bits.width().bits()).map(|index| bits.bit(index)).collect()
}

fn join(wires: &[bool]) -> Bits {
    let mut bytes = vec![0; wires.len().div_ceil(8)];
    for (index, &wire) in wires.iter().enumerate() {
        bytes[index / 8] |= u8::from(wire) << (index % 8);
    }
    Bits::from_bytes_le(&bytes, Width::new(wires.len() as u32).expect("a width"))
}

/// The sum and the carry out of each position.
fn adder(a: &[bool], b: &[bool], mut carry: bool) -> (Wires, Wires) {
    let mut carries = Wires::new();
    let sum = a.iter().zip(b).map(|(&a, &b)| {
        let sum = a ^ b ^ carry;
        carry = a & b | carry & (a | b);
        carries.push(carry);
        sum
    });
    (sum.collect(), carries)
}

fn inverted(a: &[bool]) -> Wires {
    a.iter().map(|bit| !bit).collect()
}

fn subtract(a: &[bool], b: &[bool]) -> (Wires, Wires) {
    adder(a, &inverted(b), true)
}

fn negate_if(condition: bool, a: &[bool]) -> Wires {
    if condition { subtract(&vec![false; a.len()], a).0 } else { a.to_vec() }
}

fn multiply(a: &[bool], b: &[bool]) -> Wires {
    let mut product = vec![false; a.len()];
    for (index, _) in b.iter().enumerate().filter(|(_, bit)| **bit) {
        let mut shifted = vec![false; index];
        shifted.extend(&a[..a.len() - index]);
        product = adder(&product, &shifted, false).0;
    }
    product
}

fn less(a: &[bool], b: &[bool]) -> bool {
    !subtract(a, b).1.last().copied().unwrap_or(true)
}

/// Long division. Division by zero yields the quotient of all ones, and the dividend as remainder.
fn divide(a: &[bool], b: &[bool]) -> (Wires, Wires) {
    let mut quotient = vec![false; a.len()];
    // One more bit, for the shift.
    let mut remainder = vec![false; a.len() + 1];
    let divisor: Wires = b.iter().copied().chain([false]).collect();
    for index in (0..a.len()).rev() {
        remainder.rotate_right(1);
        remainder[0] = a[index];
        quotient[index] = !less(&remainder, &divisor);
        if quotient[index] {
            remainder = subtract(&remainder, &divisor).0;
        }
    }
    remainder.truncate(a.len());
    (quotient, remainder)
}

/// Shifts to the right one by one.
fn shift_right(a: &[bool], amount: &[bool], fill: bool) -> Wires {
    let value = amount.iter().rev().fold(0_usize, |value, &bit| (value * 2 + usize::from(bit)).min(1 << 20));
    (0..a.len()).map(|index| a.get(index + value).copied().unwrap_or(fill)).collect()
}

fn number(value: usize, result: Width) -> Wires {
    wires(&Bits::from_u64(value as u64, result))
}

/// The result of an integer operator.
pub(crate) fn expected(op: Op, result: Width, arguments: &[Bits]) -> Bits {
    let arguments: Vec<Wires> = arguments.iter().map(wires).collect();
    let a = &arguments[0];
    let b = arguments.get(1).unwrap_or(a);
    let sign = |wires: &[bool]| wires[wires.len() - 1];
    let bitwise = |gate: fn(bool, bool) -> bool| a.iter().zip(b).map(|(&a, &b)| gate(a, b)).collect();
    let overflow = |carries: &[bool]| {
        let below = if carries.len() > 1 { carries[carries.len() - 2] } else { false };
        sign(carries) != below
    };
    let signed_less = |a: &[bool], b: &[bool]| if sign(a) == sign(b) { less(a, b) } else { sign(a) };
    let wires = match op {
        Op::Add => adder(a, b, false).0,
        Op::Sub => subtract(a, b).0,
        Op::Mul => multiply(a, b),
        Op::Udiv => divide(a, b).0,
        Op::Urem => divide(a, b).1,
        Op::Sdiv => {
            let quotient = divide(&negate_if(sign(a), a), &negate_if(sign(b), b)).0;
            negate_if(sign(a) != sign(b), &quotient)
        }
        Op::Srem => negate_if(sign(a), &divide(&negate_if(sign(a), a), &negate_if(sign(b), b)).1),
        Op::And => bitwise(|a, b| a & b),
        Op::Or => bitwise(|a, b| a | b),
        Op::Xor => bitwise(|a, b| a ^ b),
        Op::Not => inverted(a),
        Op::Neg => negate_if(true, a),
        Op::Shl => {
            let mirrored: Wires = a.iter().rev().copied().collect();
            shift_right(&mirrored, b, false).into_iter().rev().collect()
        }
        Op::Lshr => shift_right(a, b, false),
        Op::Ashr => shift_right(a, b, sign(a)),
        Op::Eq => vec![a == b],
        Op::Ne => vec![a != b],
        Op::Ult => vec![less(a, b)],
        Op::Ule => vec![!less(b, a)],
        Op::Slt => vec![signed_less(a, b)],
        Op::Sle => vec![!signed_less(b, a)],
        Op::Carry => vec![sign(&adder(a, b, false).1)],
        Op::Scarry => vec![overflow(&adder(a, b, false).1)],
        // A subtraction has a carry of one into the lowest position.
        Op::Sborrow if a.len() == 1 => vec![!sign(&subtract(a, b).1)],
        Op::Sborrow => vec![overflow(&subtract(a, b).1)],
        Op::Zext => a.iter().copied().chain(std::iter::repeat(false)).take(result.bits() as usize).collect(),
        Op::Sext => {
            a.iter().copied().chain(std::iter::repeat(sign(a))).take(result.bits() as usize).collect()
        }
        Op::Extract(low) => a[low as usize..][..result.bits() as usize].to_vec(),
        Op::Concat => b.iter().chain(a).copied().collect(),
        Op::Select => arguments[if a[0] { 1 } else { 2 }].clone(),
        Op::Popcount => number(a.iter().filter(|bit| **bit).count(), result),
        Op::Lzcount => number(a.iter().rev().take_while(|bit| !**bit).count(), result),
        _ => panic!("{op} is about floating point"),
    };
    join(&wires)
}

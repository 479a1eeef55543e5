//! Floating point against exact integers in every format, and against the host where it supports the format.

use everypath_ir::{Bits, Op, Width};

use crate::exact::{self, FORMATS, Format};
use everypath_testkit::random::Random;

fn width(bits: u32) -> Width {
    Width::new(bits).expect("a width")
}

fn apply(op: Op, result: u32, format: u32, a: u128, b: u128) -> u128 {
    let arguments = [Bits::from_u128(a, width(format)), Bits::from_u128(b, width(format))];
    op.apply(width(result), &arguments[..op.arity()]).to_u128().expect("at most 128 bits")
}

/// Operators within one format, with the width of the result if that is not the format's.
const WITHIN: [(Op, Option<u32>); 15] = [
    (Op::Fadd, None),
    (Op::Fsub, None),
    (Op::Fmul, None),
    (Op::Fdiv, None),
    (Op::Fneg, None),
    (Op::Fabs, None),
    (Op::Fsqrt, None),
    (Op::Fceil, None),
    (Op::Ffloor, None),
    (Op::Fround, None),
    (Op::Feq, Some(1)),
    (Op::Fne, Some(1)),
    (Op::Flt, Some(1)),
    (Op::Fle, Some(1)),
    (Op::Fisnan, Some(1)),
];

/// A random number in this format, often a special case of some operator.
fn number(random: &mut Random, format: Format) -> u128 {
    let all = u128::MAX >> (128 - format.bits);
    let fraction_bits = if format.bits == 80 { 64 } else { format.precision - 1 };
    let fraction = (1_u128 << fraction_bits) - 1;
    let exponents = all >> 1 & !fraction;
    let bias = exponents >> 1 & exponents;
    let any = random.wide() & all;
    let sign = any & !(all >> 1);
    // The explicit leading one of the 80-bit format; without it most numbers are invalid.
    let leading = if format.bits == 80 && !random.chance(16) { 1 << 63 } else { 0 };
    match random.below(12) {
        0 => sign | random.pick(&[0, bias, exponents]) | leading,
        // Subnormal, around the smallest normal, around the largest.
        1 => sign | any & fraction >> random.below(fraction_bits as usize),
        2 => sign | (1 << fraction_bits) | leading | any & 3,
        3 => sign | exponents & !(1 << fraction_bits) | leading | fraction & !(any & 3),
        // Near one, and around the integers at the limit of the precision, where ties occur.
        4..8 => {
            let scale = random.below(2 * format.precision as usize) as u128;
            let shift = random.below(fraction_bits as usize);
            let kept = (any & fraction) >> shift << shift;
            let exponent =
                bias + ((scale + 1) << fraction_bits) - (u128::from(format.precision / 2) << fraction_bits);
            sign | exponent & exponents | leading | kept
        }
        8 => any & !exponents | exponents,
        _ => any | leading,
    }
}

#[test]
fn every_format_is_exactly_rounded() {
    let mut random = Random::new(4);
    for format in FORMATS {
        for _ in 0..25_000 {
            let (a, b) = (number(&mut random, format), number(&mut random, format));
            // Sums of numbers of very different magnitude exercise little.
            let near = if random.chance(3) { a ^ (random.wide() & 0xff) } else { b };
            for (op, result) in WITHIN {
                let found = apply(op, result.unwrap_or(format.bits), format.bits, a, near);
                let expected = exact::expected(op, format, a, near);
                assert_eq!(found, expected, "{op} {a:#x} {near:#x} in {format:?}: {found:#x} {expected:#x}");
            }
        }
    }
}

#[test]
fn every_half_is_rounded_and_rooted() {
    let half = FORMATS[0];
    for a in 0..=u128::from(u16::MAX) {
        for (op, result) in WITHIN.iter().filter(|(op, _)| op.arity() == 1) {
            let found = apply(*op, result.unwrap_or(16), 16, a, 0);
            assert_eq!(found, exact::expected(*op, half, a, 0), "{op} {a:#x}");
        }
    }
}

#[test]
fn conversions_are_exactly_rounded() {
    let mut random = Random::new(5);
    for from in FORMATS {
        for _ in 0..6_000 {
            let a = number(&mut random, from);
            for to in FORMATS {
                let found = apply(Op::Float2float, to.bits, from.bits, a, 0);
                assert_eq!(found, exact::converted(from, to, a), "{a:#x} from {from:?} to {to:?}");
            }
            for bits in [1, 2, 8, 16, 32, 63, 64, 65, 127, 128] {
                let indefinite = 1 << (bits - 1);
                let found = apply(Op::Float2int, bits, from.bits, a, 0);
                let expected = exact::to_integer(from, a, bits).unwrap_or(indefinite);
                assert_eq!(found, expected, "{a:#x} of {from:?} to an integer of {bits} bits");
                let integer = random.bits(width(bits));
                let value = integer.to_u128().expect("at most 128 bits");
                let signed = (value << (128 - bits)) as i128 >> (128 - bits);
                let found = Op::Int2float.apply(width(from.bits), &[integer]).to_u128();
                assert_eq!(found, Some(exact::from_integer(from, signed)), "{signed} to {from:?}");
            }
        }
    }
}

/// Compares with the operators of a floating-point type of the host.
macro_rules! against_host {
    ($check:ident, $float:ty, $bits:literal, $unsigned:ty, $format:expr) => {
        #[test]
        fn $check() {
            let canonical = |value: $float| -> u128 {
                if value.is_nan() { $format.nan() } else { value.to_bits().into() }
            };
            let mut random = Random::new($bits);
            for _ in 0..120_000 {
                let (a, b) = (number(&mut random, $format), number(&mut random, $format));
                let (x, y) = (<$float>::from_bits(a as $unsigned), <$float>::from_bits(b as $unsigned));
                for (op, expected) in [
                    (Op::Fadd, x + y),
                    (Op::Fsub, x - y),
                    (Op::Fmul, x * y),
                    (Op::Fdiv, x / y),
                    (Op::Fsqrt, x.sqrt()),
                    (Op::Fceil, x.ceil()),
                    (Op::Ffloor, x.floor()),
                    (Op::Fround, x.round_ties_even()),
                ] {
                    let found = apply(op, $bits, $bits, a, b);
                    assert_eq!(found, canonical(expected), "{op} {x} {y}");
                }
                for (op, expected) in [
                    (Op::Feq, x == y),
                    (Op::Fne, x != y),
                    (Op::Flt, x < y),
                    (Op::Fle, x <= y),
                    (Op::Fisnan, x.is_nan()),
                ] {
                    assert_eq!(apply(op, 1, $bits, a, b), u128::from(expected), "{op} {x} {y}");
                }
                let integer = random.number() as i64 >> random.below(64);
                let found = apply(Op::Int2float, $bits, 64, integer as u64 as u128, 0);
                assert_eq!(found, canonical(integer as $float), "{integer}");
                // The cast saturates where `float2int` yields the integer indefinite value; it agrees on values in
                // range.
                let saturated = x as i64;
                let fits = !x.is_nan() && x >= i64::MIN as $float && x < -(i64::MIN as $float);
                let expected = if fits { saturated } else { i64::MIN };
                assert_eq!(apply(Op::Float2int, 64, $bits, a, 0), u128::from(expected as u64), "{x}");
                let single =
                    if (x as f32).is_nan() { FORMATS[1].nan() } else { u128::from((x as f32).to_bits()) };
                assert_eq!(apply(Op::Float2float, 32, $bits, a, 0), single, "{x}");
                let double = if x.is_nan() { FORMATS[2].nan() } else { u128::from(f64::from(x).to_bits()) };
                assert_eq!(apply(Op::Float2float, 64, $bits, a, 0), double, "{x}");
            }
        }
    };
}

against_host!(single_is_what_the_host_computes, f32, 32, u32, FORMATS[1]);
against_host!(double_is_what_the_host_computes, f64, 64, u64, FORMATS[2]);

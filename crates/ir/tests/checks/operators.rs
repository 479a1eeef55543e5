//! Every integer operator against two independent definitions, and the three word types against each other.

use std::collections::BTreeMap;

use everypath_ir::{Bits, Op, Wide, Width};

use crate::{integers, serial};
use everypath_testkit::operators::{integer_operators, signatures};
use everypath_testkit::random::Random;

fn width(bits: u32) -> Width {
    Width::new(bits).expect("a width")
}

/// Evaluates the operator on every word type that holds the values, and checks that they agree.
fn apply_to_all_words(op: Op, result: Width, arguments: &[Bits]) -> Bits {
    let widths: Vec<Width> = arguments.iter().map(Bits::width).collect();
    assert_eq!(op.check(result, &widths), Ok(()));
    let value = op.apply(result, arguments);
    let widest = widths.iter().copied().fold(result, Width::max);
    macro_rules! agrees {
        ($word:ty) => {
            let word = |index: usize| arguments.get(index).map_or_else(<$word>::default, Bits::to_word);
            let word = op.apply_word::<$word>(result, widths[0], word(0), word(1), word(2));
            assert_eq!(word, value.to_word::<$word>(), "{op} {arguments:?} on {}", stringify!($word));
        };
    }
    if widest <= Width::W64 {
        agrees!(u64);
    }
    if widest <= Width::W128 {
        agrees!(u128);
    }
    agrees!(Wide);
    value
}

#[test]
fn small_widths_exhaustively() {
    let mut cases = BTreeMap::new();
    for bits in [1, 4, 5] {
        for (op, result, widths) in integer_operators().flat_map(|op| signatures(op, bits)) {
            let total: u32 = widths.iter().map(|width| width.bits()).sum();
            for number in 0..1_u64 << total {
                let mut rest = number;
                let arguments: Vec<Bits> = widths
                    .iter()
                    .map(|&width| {
                        let bits = Bits::from_u64(rest, width);
                        rest >>= width.bits();
                        bits
                    })
                    .collect();
                let found = apply_to_all_words(op, result, &arguments);
                assert_eq!(found, integers::expected(op, result, &arguments), "{op} {arguments:?}");
                assert_eq!(found, serial::expected(op, result, &arguments), "{op} {arguments:?}");
                *cases.entry(op.name()).or_insert(0) += 1;
            }
        }
    }
    for op in integer_operators() {
        // All values of 4 and 5 bits, or all pairs of them; `concat` and shifts also have other second arguments.
        let least = match op.arity() {
            1 => (1 << 4) + (1 << 5),
            _ if op == Op::Concat => 1 << 8,
            _ => (1 << 8) + (1 << 10),
        };
        assert!(cases[op.name()] >= least, "{op}: {} cases", cases[op.name()]);
    }
}

#[test]
fn larger_widths_at_random() {
    let mut random = Random::new(1);
    // A circuit of 512 bits is slow.
    for (bits, rounds) in [(8, 400), (32, 300), (63, 200), (64, 200), (65, 150), (128, 80), (512, 25)] {
        for (op, result, widths) in integer_operators().flat_map(|op| signatures(op, bits)) {
            for _ in 0..rounds {
                let mut arguments: Vec<Bits> = widths.iter().map(|&width| random.bits(width)).collect();
                let is_shift = matches!(op, Op::Shl | Op::Lshr | Op::Ashr);
                if is_shift && random.chance(2) {
                    let amount = random.below(bits as usize + 2) as u64;
                    arguments[1] = Bits::from_u64(amount, arguments[1].width());
                }
                let found = apply_to_all_words(op, result, &arguments);
                assert_eq!(found, serial::expected(op, result, &arguments), "{op} {arguments:?}");
                if widths.iter().copied().fold(result, Width::max) <= Width::W64 {
                    assert_eq!(found, integers::expected(op, result, &arguments), "{op} {arguments:?}");
                }
            }
        }
    }
}

#[test]
fn operators_that_commute_are_marked() {
    let mut random = Random::new(2);
    for op in Op::ALL.iter().copied().filter(|op| op.arity() == 2 && *op != Op::Concat) {
        let result = if op.check(Width::W1, &[Width::W16; 2]).is_ok() { Width::W1 } else { Width::W16 };
        let commutes = (0..2000).all(|_| {
            let (a, b) = (random.bits(Width::W16), random.bits(Width::W16));
            op.apply(result, &[a.clone(), b.clone()]) == op.apply(result, &[b, a])
        });
        assert_eq!(op.is_commutative(), commutes, "{op}");
    }
}

#[test]
fn names_and_texts_lead_back() {
    for &op in Op::ALL {
        assert_eq!(Op::from_name(op.name()), Some(op));
        assert_eq!(op.to_string().parse(), Ok(op));
    }
    assert_eq!("extract.17".parse(), Ok(Op::Extract(17)));
    for bad in ["", "extract", "extract.", "extract.+1", "extract.65536", "add.1", "Add", "add "] {
        assert!(bad.parse::<Op>().is_err(), "{bad:?}");
    }
}

#[test]
fn wrong_widths_are_refused() {
    let check = |op: Op, result: u32, arguments: &[u32]| {
        op.check(width(result), &arguments.iter().map(|&bits| width(bits)).collect::<Vec<_>>())
    };
    for (op, result, arguments) in [
        (Op::Add, 8, &[8, 9][..]),
        (Op::Add, 9, &[8, 8]),
        (Op::Add, 8, &[8]),
        (Op::Add, 8, &[8, 8, 8]),
        (Op::Not, 7, &[8]),
        (Op::Eq, 8, &[8, 8]),
        (Op::Eq, 1, &[8, 7]),
        (Op::Shl, 8, &[7, 8]),
        (Op::Zext, 7, &[8]),
        (Op::Sext, 7, &[8]),
        (Op::Extract(1), 8, &[8]),
        (Op::Extract(u16::MAX), 512, &[512]),
        (Op::Concat, 16, &[8, 9]),
        (Op::Select, 8, &[8, 8, 8]),
        (Op::Select, 8, &[1, 8, 9]),
        (Op::Select, 9, &[1, 8, 8]),
        (Op::Fadd, 8, &[8, 8]),
        (Op::Fadd, 64, &[64, 32]),
        (Op::Feq, 32, &[32, 32]),
        (Op::Fisnan, 1, &[65]),
        (Op::Int2float, 31, &[32]),
        (Op::Int2float, 32, &[129]),
        (Op::Float2float, 32, &[33]),
        (Op::Float2int, 129, &[64]),
    ] {
        let error = check(op, result, arguments).expect_err("wrong widths");
        assert!(error.to_string().starts_with(&format!("{op} takes {} argument", op.arity())), "{error}");
    }
}

//! The circuit of every operator against its reference semantics.

use everypath_ir::{Bits, Op, Width};
use everypath_solve::circuit::{Circuit, Literal, Simulation, UnsupportedOperator, blast};

use everypath_testkit::operators::{integer_operators, signatures};
use everypath_testkit::random::Random;

fn width(bits: u32) -> Width {
    Width::new(bits).expect("a width")
}

/// Compares the circuit's results on up to 64 argument lists with the expected ones.
fn check(circuit: &Circuit, result: &[Literal], inputs: &[Vec<Literal>], op: Op, cases: &[Vec<Bits>]) {
    let lanes = |argument: usize, bit: usize| {
        cases
            .iter()
            .enumerate()
            .fold(0_u64, |lanes, (lane, case)| lanes | u64::from(case[argument].bit(bit as u32)) << lane)
    };
    let assignment = inputs.iter().enumerate().flat_map(|(argument, literals)| {
        literals.iter().enumerate().map(move |(bit, &literal)| (literal, lanes(argument, bit)))
    });
    let simulation =
        Simulation::new(circuit, assignment.filter(|(literal, _)| literal.as_constant().is_none()));
    for (lane, case) in cases.iter().enumerate() {
        let expected = op.apply(width(result.len() as u32), case);
        for (bit, &literal) in result.iter().enumerate() {
            let found = simulation.value(literal) >> lane & 1 == 1;
            assert_eq!(found, expected.bit(bit as u32), "{op} {case:?}: bit {bit} of {expected}");
        }
    }
}

fn free_arguments(circuit: &mut Circuit, widths: &[Width]) -> Vec<Vec<Literal>> {
    widths.iter().map(|width| circuit.inputs(width.bits() as usize)).collect()
}

fn build(circuit: &mut Circuit, op: Op, result: Width, inputs: &[Vec<Literal>]) -> Vec<Literal> {
    let arguments: Vec<&[Literal]> = inputs.iter().map(Vec::as_slice).collect();
    let bits = blast(circuit, op, result, &arguments).expect("an operator on integers");
    assert_eq!(bits.len(), result.bits() as usize, "{op}");
    bits
}

#[test]
fn small_widths_exhaustively() {
    let mut cases_run = 0_u64;
    for bits in 1..=4 {
        for (op, result, widths) in integer_operators().flat_map(|op| signatures(op, bits)) {
            let mut circuit = Circuit::new();
            let inputs = free_arguments(&mut circuit, &widths);
            let literals = build(&mut circuit, op, result, &inputs);
            let total: u32 = widths.iter().map(|width| width.bits()).sum();
            let all: Vec<Vec<Bits>> = (0..1_u64 << total)
                .map(|mut rest| {
                    let mut take = |width: Width| {
                        let bits = Bits::from_u64(rest, width);
                        rest >>= width.bits();
                        bits
                    };
                    widths.iter().map(|&width| take(width)).collect()
                })
                .collect();
            for cases in all.chunks(64) {
                check(&circuit, &literals, &inputs, op, cases);
            }
            cases_run += 1 << total;
        }
    }
    assert!(cases_run > 10_000, "{cases_run} cases");
}

#[test]
fn larger_widths_at_random() {
    let mut random = Random::new(1);
    for bits in [5, 8, 13, 31, 32, 33, 64, 65, 128, 512] {
        for (op, result, widths) in integer_operators().flat_map(|op| signatures(op, bits)) {
            let mut circuit = Circuit::new();
            let inputs = free_arguments(&mut circuit, &widths);
            let literals = build(&mut circuit, op, result, &inputs);
            let cases: Vec<Vec<Bits>> = (0..64).map(|_| arguments(&mut random, op, &widths)).collect();
            check(&circuit, &literals, &inputs, op, &cases);
        }
    }
}

fn arguments(random: &mut Random, op: Op, widths: &[Width]) -> Vec<Bits> {
    let mut arguments: Vec<Bits> = widths.iter().map(|&width| random.bits(width)).collect();
    if matches!(op, Op::Shl | Op::Lshr | Op::Ashr) && random.below(2) == 0 {
        let amount = random.below(widths[0].bits() as usize + 2) as u64;
        arguments[1] = Bits::from_u64(amount, widths[1]);
    }
    arguments
}

/// Constant, equal and extended arguments exercise the folding rules.
#[test]
fn arguments_that_are_partly_constant_or_equal() {
    let mut random = Random::new(2);
    for round in 0..12 {
        for bits in [1, 3, 8, 17, 32, 64] {
            for (op, result, widths) in integer_operators().flat_map(|op| signatures(op, bits)) {
                let mut circuit = Circuit::new();
                let mut inputs = free_arguments(&mut circuit, &widths);
                let fixed = arguments(&mut random, op, &widths);
                for (argument, (literals, fixed)) in inputs.iter_mut().zip(&fixed).enumerate() {
                    let all = round % 4 == argument;
                    for (bit, literal) in literals.iter_mut().enumerate() {
                        if all || (round % 4 == 3 && random.below(2) == 0) {
                            *literal = Literal::constant(fixed.bit(bit as u32));
                        }
                    }
                }
                let same = round % 5 == 4 && widths.len() == 2 && widths[0] == widths[1];
                if same {
                    inputs[1] = inputs[0].clone();
                }
                let literals = build(&mut circuit, op, result, &inputs);
                let cases: Vec<Vec<Bits>> = (0..16)
                    .map(|_| {
                        let mut case = arguments(&mut random, op, &widths);
                        for (value, literals) in case.iter_mut().zip(&inputs) {
                            *value = with_constants(value, literals);
                        }
                        if same {
                            case[1] = case[0].clone();
                        }
                        case
                    })
                    .collect();
                check(&circuit, &literals, &inputs, op, &cases);
            }
        }
    }
}

/// The value with those bits replaced whose literals are constant.
fn with_constants(value: &Bits, literals: &[Literal]) -> Bits {
    let mut bytes = vec![0; value.width().bytes()];
    for (bit, literal) in literals.iter().enumerate() {
        let one = literal.as_constant().unwrap_or(value.bit(bit as u32));
        bytes[bit / 8] |= u8::from(one) << (bit % 8);
    }
    Bits::from_bytes_le(&bytes, value.width())
}

#[test]
fn floating_point_is_refused_by_name() {
    for &op in Op::ALL.iter().filter(|op| op.is_float()) {
        let mut circuit = Circuit::new();
        let argument = circuit.inputs(32);
        let arguments = vec![argument.as_slice(); op.arity()];
        assert_eq!(blast(&mut circuit, op, Width::W32, &arguments), Err(UnsupportedOperator(op)));
    }
}

#[test]
fn what_is_computed_twice_is_built_once() {
    let pairs = [(Op::Udiv, Op::Urem), (Op::Sdiv, Op::Srem), (Op::Ult, Op::Sub), (Op::Carry, Op::Add)];
    for (first, second) in pairs {
        let size = |ops: &[Op]| {
            let mut circuit = Circuit::new();
            let inputs = free_arguments(&mut circuit, &[Width::W32; 2]);
            for &op in ops {
                let result =
                    if op.check(Width::W1, &[Width::W32; 2]).is_ok() { Width::W1 } else { Width::W32 };
                build(&mut circuit, op, result, &inputs);
            }
            circuit.len()
        };
        let (apart, together) = (size(&[first]) + size(&[second]), size(&[first, second]));
        // Both circuits have the 64 inputs and the constant; sharing must save a quarter of the other gates.
        assert!(
            (together - 65) * 4 <= (apart - 130) * 3,
            "{first} and {second}: {together} gates, apart {apart}"
        );
    }
}

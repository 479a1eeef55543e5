//! A test case: the values of all registers, and the address of the instruction.

use super::executable::{DATA, DATA_SIZE};
use super::registers::{Field, Registers, Role, mask};
use everypath_testkit::random::Random;

/// The state in which an instruction is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Case {
    /// The value of each register.
    pub(super) values: Vec<u128>,
    /// The address of the instruction.
    pub(super) code: u64,
}

/// The address in the middle of the data.
pub(super) const MIDDLE: u64 = DATA + DATA_SIZE / 2;

impl Case {
    /// A random case.
    pub(super) fn random(registers: &Registers, code: u64, random: &mut Random) -> Self {
        let value = |field| value(field, &registers.numbers, random);
        let values = registers.fields.iter().map(value).collect();
        let mut case = Self { values, code };
        for (register, bit, of) in &registers.parity {
            let odd = u128::from(case.values[*of].count_ones() % 2);
            case.values[*register] = case.values[*register] & !(1 << bit) | odd << bit;
        }
        case.move_to(registers, code);
        case
    }

    /// Moves the instruction.
    pub(super) fn move_to(&mut self, registers: &Registers, code: u64) {
        self.code = code;
        for (field, value) in registers.fields.iter().zip(&mut self.values) {
            if field.role == Role::Counter {
                *value = u128::from(code);
            }
        }
    }
}

fn value(field: &Field, numbers: &[u64], random: &mut Random) -> u128 {
    let value = match field.role {
        _ if field.value.is_some() => field.value.map_or(0, u128::from),
        Role::Counter => 0,
        Role::Address | Role::General if field.bits <= 16 => small(field.bits, numbers, random),
        Role::Address => u128::from(MIDDLE + 16 * random.number_below(16)),
        Role::Bits => random.wide(),
        Role::Vector => vector(random),
        Role::General => general(field.bits, random),
    };
    value & mask(field.bits)
}

/// Addresses in the data, small numbers, boundary values, and arbitrary numbers.
fn general(bits: u32, random: &mut Random) -> u128 {
    let pointer = MIDDLE - 0x400 + 16 * random.number_below(0x80);
    match random.number_below(16) {
        0..6 => u128::from(pointer),
        6 => u128::from(pointer + random.number_below(16)),
        7..10 => u128::from(random.number_below(72)),
        10 => (random.number_below(8) as u128).wrapping_sub(4),
        11 => {
            (1_u128 << random.number_below(u64::from(bits))).wrapping_sub(u128::from(random.number_below(2)))
        }
        12 => (1_u128 << random.number_below(u64::from(bits))).wrapping_neg(),
        13 => u128::from(random.number() >> random.number_below(64)),
        _ => random.wide(),
    }
}

/// Zero, the given numbers, boundary values, and arbitrary numbers.
fn small(bits: u32, numbers: &[u64], random: &mut Random) -> u128 {
    u128::from(match random.number_below(16) {
        0..2 => 0,
        2..4 if !numbers.is_empty() => numbers[random.number_below(numbers.len() as u64) as usize],
        4 => random.number_below(32),
        5 => (1_u64 << random.number_below(u64::from(bits))).wrapping_sub(random.number_below(2)),
        6 => random.number_below(4).wrapping_sub(2),
        _ => random.number(),
    })
}

/// Two or four floating-point numbers, mostly near one, some of them special.
fn vector(random: &mut Random) -> u128 {
    match random.number_below(4) {
        0 => random.wide(),
        1 => (0..2).fold(0, |all, _| all << 64 | u128::from(double(random))),
        2 => (0..4).fold(0, |all, _| all << 32 | u128::from(single(random))),
        _ => (0..16).fold(0, |all, _| {
            all << 8 | u128::from([0, 1, 0x7f, 0x80, 0xff][random.number_below(5) as usize] as u8)
        }),
    }
}

fn double(random: &mut Random) -> u64 {
    let number = (random.number() as i64 >> random.number_below(64)) as f64
        / [1.0, 3.0, 1024.0][random.number_below(3) as usize];
    let special = [0.0, -0.0, 1.0, f64::INFINITY, f64::MIN_POSITIVE, f64::MAX, 0.5];
    let number = if random.number_below(8) == 0 { special[random.number_below(7) as usize] } else { number };
    number.to_bits()
}

fn single(random: &mut Random) -> u32 {
    let number = (random.number() as i64 >> random.number_below(64)) as f32
        / [1.0, 3.0, 1024.0][random.number_below(3) as usize];
    let special = [0.0, -0.0, 1.0, f32::INFINITY, f32::MIN_POSITIVE, f32::MAX, 0.5];
    let number = if random.number_below(8) == 0 { special[random.number_below(7) as usize] } else { number };
    number.to_bits()
}

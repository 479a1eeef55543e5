//! One case: the values of all registers, and where the instruction lies.

use super::executable::{DATA, DATA_SIZE};
use super::random::Random;
use super::registers::{Field, Registers, Role, mask};

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
        let values = registers.fields.iter().map(|field| value(field, random)).collect();
        let mut case = Self { values, code };
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

fn value(field: &Field, random: &mut Random) -> u128 {
    let value = match field.role {
        Role::Counter => 0,
        Role::Address => u128::from(MIDDLE + 16 * random.below(16)),
        Role::Bits => random.wide(),
        Role::Vector => vector(random),
        Role::General => general(field.bits, random),
    };
    value & mask(field.bits)
}

/// Addresses in the data, small numbers, numbers at the edges, and any numbers.
fn general(bits: u32, random: &mut Random) -> u128 {
    let pointer = MIDDLE - 0x400 + 16 * random.below(0x80);
    match random.below(16) {
        0..6 => u128::from(pointer),
        6 => u128::from(pointer + random.below(16)),
        7..10 => u128::from(random.below(72)),
        10 => (random.below(8) as u128).wrapping_sub(4),
        11 => (1_u128 << random.below(u64::from(bits))).wrapping_sub(u128::from(random.below(2))),
        12 => (1_u128 << random.below(u64::from(bits))).wrapping_neg(),
        13 => u128::from(random.next() >> random.below(64)),
        _ => random.wide(),
    }
}

/// Two or four numbers, mostly not far from one, some of them special.
fn vector(random: &mut Random) -> u128 {
    match random.below(4) {
        0 => random.wide(),
        1 => (0..2).fold(0, |all, _| all << 64 | u128::from(double(random))),
        2 => (0..4).fold(0, |all, _| all << 32 | u128::from(single(random))),
        _ => (0..16).fold(0, |all, _| {
            all << 8 | u128::from([0, 1, 0x7f, 0x80, 0xff][random.below(5) as usize] as u8)
        }),
    }
}

fn double(random: &mut Random) -> u64 {
    let number =
        (random.next() as i64 >> random.below(64)) as f64 / [1.0, 3.0, 1024.0][random.below(3) as usize];
    let special = [0.0, -0.0, 1.0, f64::INFINITY, f64::MIN_POSITIVE, f64::MAX, 0.5];
    let number = if random.below(8) == 0 { special[random.below(7) as usize] } else { number };
    number.to_bits()
}

fn single(random: &mut Random) -> u32 {
    let number =
        (random.next() as i64 >> random.below(64)) as f32 / [1.0, 3.0, 1024.0][random.below(3) as usize];
    let special = [0.0, -0.0, 1.0, f32::INFINITY, f32::MIN_POSITIVE, f32::MAX, 0.5];
    let number = if random.below(8) == 0 { special[random.below(7) as usize] } else { number };
    number.to_bits()
}

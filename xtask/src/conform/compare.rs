//! Compares the outcome of our machine with the executor's.

use super::executor::Response;
use super::ours::Outcome;
use super::registers::{Field, Registers, Role};
use std::fmt::Write as _;

/// A difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    /// Our name of a register, `memory`, or the signal.
    pub(super) what: String,
    /// The value before, ours and the executor's, as text.
    pub(super) detail: String,
    /// Whether the executor left the register as it was.
    pub(super) unchanged: bool,
    /// Our value, if it is a register's.
    pub(super) ours: Option<u128>,
    /// The distance between the two values, if it is a register's.
    pub(super) apart: Option<u128>,
}

impl Difference {
    /// Whether the executor was stopped by a signal.
    pub(super) fn is_signal(&self) -> bool {
        self.what.starts_with("signal")
    }
}

/// The kind of difference if both sides have a NaN, with different bits.
const NAN: &str = "NaN";
/// The same if the sign of ours is set: an instruction that changes the sign of a result does so of a NaN, too.
const NEGATED_NAN: &str = "negated NaN";

/// The kind of difference if only the low bits of the program counter differ: whether instructions are aligned.
const LOW_BITS: &str = "low bits";
/// The same for the top byte, which some processors use for other purposes.
const TOP_BYTE: &str = "top byte";

/// The kind of difference if our machine traps and the executor does not: no signal, and another program counter.
const TRAP: &str = "trap";

/// The default NaNs of our machine: a single, a double, and the upper half of a double.
const OUR_SINGLE: u32 = 0x7fc0_0000;
const OUR_DOUBLE: u64 = 0x7ff8_0000_0000_0000;
const OUR_UPPER_HALF: u32 = 0x7ff8_0000;

/// Whether all differing lanes, of either size, hold our default NaN, with this sign, and a NaN on the other side, too.
/// `bits` is the width of the register.
fn only_nan(ours: u128, theirs: u128, bits: u32, is_negative: bool) -> bool {
    let (single_sign, double_sign) = (u32::from(is_negative) << 31, u64::from(is_negative) << 63);
    (0..2).all(|lane| {
        let [a, b] = [ours, theirs].map(|value| (value >> (64 * lane)) as u64);
        let singles = [0, 32].into_iter().all(|shift| {
            let [a, b] = [a, b].map(|value| (value >> shift) as u32);
            let positive = a ^ single_sign;
            let is_ours = positive == OUR_SINGLE || (bits == 32 && positive == OUR_UPPER_HALF);
            a == b || (is_ours && f32::from_bits(b).is_nan())
        });
        a == b || singles || (a ^ double_sign == OUR_DOUBLE && f64::from_bits(b).is_nan())
    })
}

/// Whether two registers of 32 bits, the lower half first, hold our default NaN, with this sign, and a NaN on the other
/// side, too.
fn is_split_nan(ours: [u128; 2], theirs: [u128; 2], is_negative: bool) -> bool {
    let upper_half = OUR_UPPER_HALF | u32::from(is_negative) << 31;
    ours == [0, u128::from(upper_half)] && f64::from_bits((theirs[1] << 32 | theirs[0]) as u64).is_nan()
}

/// The kind of difference of a vector register if only a NaN differs.
fn nan_kind(fields: &[Field], index: usize, ours: &[u128], theirs: &[u128]) -> Option<&'static str> {
    let is_half =
        |index: usize| fields.get(index).is_some_and(|field| field.role == Role::Vector && field.bits == 32);
    let is_lower_half = is_half(index) && is_half(index + 1);
    let differs_so = |is_negative: bool| {
        let pair = |values: &[u128]| [values[index], values[index + 1]];
        only_nan(ours[index], theirs[index], fields[index].bits, is_negative)
            || is_lower_half && is_split_nan(pair(ours), pair(theirs), is_negative)
    };
    if differs_so(false) {
        return Some(NAN);
    }
    differs_so(true).then_some(NEGATED_NAN)
}

/// Compares registers and memory. `extra` are the known ones among the registers that cost extra time.
pub(super) fn compare(
    registers: &Registers,
    before: &[u128],
    ours: &Outcome,
    memory: &[(u64, Vec<u8>)],
    theirs: &Response,
    extra: &[usize],
) -> Vec<Difference> {
    let values = registers.take_apart(&theirs.registers);
    if ours.trapped {
        let is_counter = |index: &usize| registers.fields[*index].role == Role::Counter;
        let stays = (0..values.len()).find(is_counter).is_some_and(|index| values[index] == before[index]);
        let what = TRAP.to_owned();
        let difference =
            Difference { what, detail: String::new(), unchanged: false, ours: None, apart: None };
        return if stays || theirs.signal.is_some() { Vec::new() } else { vec![difference] };
    }
    if let Some(signal) = theirs.signal {
        return vec![Difference {
            what: format!("signal {signal}"),
            detail: String::new(),
            unchanged: false,
            ours: None,
            apart: None,
        }];
    }
    let mut differences = Vec::new();
    for (index, field) in registers.fields.iter().enumerate() {
        if field.extra.is_some_and(|index| !extra.contains(&index)) || ours.values[index] == values[index] {
            continue;
        }
        let nan = match field.role {
            Role::Vector => nan_kind(&registers.fields, index, &ours.values, &values),
            _ => None,
        };
        let (before, ours, theirs) = (before[index], ours.values[index], values[index]);
        let detail = format!("was {before:#x}, ours {ours:#x}, executor {theirs:#x}");
        let what = match field.role {
            Role::Vector => nan.unwrap_or(&field.name),
            Role::Counter if ours >> 2 == theirs >> 2 => LOW_BITS,
            Role::Counter if field.bits == 64 && ours << 72 == theirs << 72 => TOP_BYTE,
            _ => &field.name,
        };
        let what = what.to_owned();
        differences.push(Difference {
            what,
            detail,
            unchanged: before == theirs,
            ours: Some(ours),
            apart: Some(ours.abs_diff(theirs)),
        });
    }
    let mut detail = String::new();
    for ((address, ours), theirs) in memory.iter().zip(&theirs.memory) {
        for (distance, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
            if ours != theirs && detail.len() < 400 {
                let _ = write!(detail, "{:#x}: {ours:02x} {theirs:02x}, ", address + distance as u64);
            }
        }
    }
    if !detail.is_empty() {
        let detail = format!("ours and executor's {}", detail.trim_end_matches(", "));
        differences.push(Difference {
            what: "memory".to_owned(),
            detail,
            unchanged: false,
            ours: None,
            apart: None,
        });
    }
    differences
}

#[cfg(test)]
mod tests {
    use super::is_split_nan;

    #[test]
    fn lanes_that_are_no_number_on_both_sides_are_told_apart() {
        let only_nan = |ours, theirs, bits| super::only_nan(ours, theirs, bits, false);
        assert!(only_nan(0x7ff8_0000_0000_0000, 0xffff_0001_7f7f_017f, 64));
        assert!(only_nan(0x1234_5678_7fc0_0000, 0x1234_5678_ffc0_0001, 128));
        assert!(only_nan(0x7fc0_0000_1234_5678, 0xffff_ffff_1234_5678, 64));
        assert!(only_nan(0x7ff8_0000, 0x7ff7_ffff, 32));
        assert!(!only_nan(0x7ff8_0000_0000_0000, 0x7ff0_0000_0000_0000, 64), "an infinity");
        assert!(!only_nan(0x7fef_ffff_ffff_ffff, 0x7ff8_0000_0000_0000, 64), "a number here");
        assert!(!only_nan(1, 2, 64));
        assert!(!only_nan(0xffc0_0000, 0x7fc0_0001, 128), "with a sign");
    }

    #[test]
    fn a_nan_with_its_sign_changed_is_another_kind() {
        let only_negated = |ours, theirs| super::only_nan(ours, theirs, 64, true);
        assert!(only_negated(0x0001_ff80_ffc0_0000, 0x0001_ff80_7fc0_ffff));
        assert!(only_negated(0xfff8_0000_0000_0000, 0x7fff_ffff_0080_01ff));
        assert!(!only_negated(0x7ff8_0000_0000_0000, 0x7fff_ffff_0080_01ff), "without a sign");
        assert!(!only_negated(0xffc0_0000, 0x3f80_0000), "a number there");
    }

    #[test]
    fn a_nan_in_two_registers_is_one_in_both_of_its_halves() {
        let theirs = [0xffff_ffff, 0x7ff7_ffff];
        assert!(is_split_nan([0, 0x7ff8_0000], theirs, false));
        assert!(!is_split_nan([0, 0x7ff8_0000], theirs, true));
        assert!(is_split_nan([0, 0xfff8_0000], theirs, true));
        assert!(!is_split_nan([1, 0x7ff8_0000], theirs, false), "not our default one");
        assert!(!is_split_nan([0, 0x7ff8_0000], [0, 0x7ff0_0000], false), "an infinity");
    }
}

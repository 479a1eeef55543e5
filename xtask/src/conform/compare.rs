//! Compares the outcome of our machine with the executor's.

use super::executor::Response;
use super::ours::Outcome;
use super::registers::{Registers, Role};
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

/// Whether all differing lanes, of either size, hold our default NaN and a NaN on the other side, too. `bits` is the
/// width of the register.
fn only_nan(ours: u128, theirs: u128, bits: u32) -> bool {
    (0..2).all(|lane| {
        let [a, b] = [ours, theirs].map(|value| (value >> (64 * lane)) as u64);
        let singles = [0, 32].into_iter().all(|shift| {
            let [a, b] = [a, b].map(|value| (value >> shift) as u32);
            let is_ours = a == OUR_SINGLE || (bits == 32 && a == OUR_UPPER_HALF);
            a == b || (is_ours && f32::from_bits(b).is_nan())
        });
        a == b || singles || (a == OUR_DOUBLE && f64::from_bits(b).is_nan())
    })
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
        let (before, ours, theirs) = (before[index], ours.values[index], values[index]);
        let detail = format!("was {before:#x}, ours {ours:#x}, executor {theirs:#x}");
        let what = match field.role {
            Role::Vector if only_nan(ours, theirs, field.bits) => NAN,
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
    use super::only_nan;

    #[test]
    fn lanes_that_are_no_number_on_both_sides_are_told_apart() {
        assert!(only_nan(0x7ff8_0000_0000_0000, 0xffff_0001_7f7f_017f, 64));
        assert!(only_nan(0x1234_5678_7fc0_0000, 0x1234_5678_ffc0_0001, 128));
        assert!(only_nan(0x7fc0_0000_1234_5678, 0xffff_ffff_1234_5678, 64));
        assert!(only_nan(0x7ff8_0000, 0x7ff7_ffff, 32));
        assert!(!only_nan(0x7ff8_0000_0000_0000, 0x7ff0_0000_0000_0000, 64), "an infinity");
        assert!(!only_nan(0x7fef_ffff_ffff_ffff, 0x7ff8_0000_0000_0000, 64), "a number here");
        assert!(!only_nan(1, 2, 64));
    }
}

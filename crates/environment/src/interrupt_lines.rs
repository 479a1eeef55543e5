//! Interrupt lines: which ones a program has enabled and pended, by what it has written to the interrupt controller.

use everypath_ir::{Bits, Width};
use everypath_lift::{InterruptLines, LineBits};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The size of a register with bits for a single line.
const REGISTER: u64 = 4;

/// The interrupt lines that a program has enabled and pended, by number. Each path has its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    pub(crate) enabled: Arc<BTreeSet<u64>>,
    pub(crate) pending: Arc<BTreeSet<u64>>,
    /// The bits that were last written to registers that enable a single line, by their addresses.
    held: Arc<BTreeMap<u64, u32>>,
}

/// The property of interrupt lines that the bits of a row or of a register control.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    Enables,
    Pends,
}

/// The rows and registers of lines, with what their bits do.
fn bits_of(lines: &[InterruptLines]) -> impl Iterator<Item = (&InterruptLines, &LineBits, Effect)> {
    lines.iter().flat_map(|lines| {
        let enable = lines.enable_bits().into_iter().map(move |bits| (lines, bits, Effect::Enables));
        enable.chain(lines.pend.iter().map(move |bits| (lines, bits, Effect::Pends)))
    })
}

impl Lines {
    /// The exception numbers of the lines that the program has enabled.
    pub fn enabled(&self) -> impl Iterator<Item = u64> + '_ {
        self.enabled.iter().copied()
    }

    /// Whether the program has pended one.
    pub fn has_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Clears the pending bit of an interrupt that is taken.
    pub(crate) fn take(&mut self, number: u64) {
        change(&mut self.pending, number, false);
    }

    /// Takes in a write of the program to an address.
    pub(crate) fn write(&mut self, lines: &[InterruptLines], address: u64, value: &Bits) {
        let bytes = value.to_bytes_le();
        if kept_bits(lines, address, bytes.len() as u64) == 0 {
            return;
        }
        for (lines, bits, effect) in bits_of(lines) {
            match *bits {
                LineBits::Row { set, clear, size } => {
                    let numbers =
                        if effect == Effect::Enables { &mut self.enabled } else { &mut self.pending };
                    for (start, is_set) in [(set, true), (clear, false)] {
                        for (distance, byte) in bytes.iter().enumerate() {
                            let at = address.wrapping_add(distance as u64).wrapping_sub(start);
                            let ones = (0..8).filter(|bit| at < size && byte >> bit & 1 != 0);
                            ones.for_each(|bit| change(numbers, lines.first + 8 * at + bit, is_set));
                        }
                    }
                }
                LineBits::Register { address: register, set, clear } => {
                    let (mask, word) = word_at(register, address, &bytes);
                    if mask & (set | clear.unwrap_or(0)) == 0 {
                        continue;
                    }
                    match effect {
                        Effect::Enables => {
                            let before = self.held.get(&register).copied().unwrap_or(0);
                            let now = (before & !mask | word) & set;
                            if now != before {
                                Arc::make_mut(&mut self.held).insert(register, now);
                            }
                            change(&mut self.enabled, lines.first, now == set);
                        }
                        Effect::Pends if word & set == set => change(&mut self.pending, lines.first, true),
                        Effect::Pends if clear.is_none_or(|clear| word & clear != 0) => {
                            self.take(lines.first);
                        }
                        Effect::Pends => {}
                    }
                }
            }
        }
    }

    /// The bits of a read of the controller that the program has determined, as a mask, and their values. Pending bits are up to
    /// devices, too.
    pub(crate) fn read(&self, lines: &[InterruptLines], address: u64, width: Width) -> (u64, u64) {
        let size = width.bytes().min(8) as u64;
        let (mut mask, mut value) = (0, 0);
        for (lines, bits, effect) in bits_of(lines) {
            match *bits {
                _ if effect == Effect::Pends => {}
                LineBits::Row { set, clear, size: row } => {
                    for distance in 0..size {
                        let address = address.wrapping_add(distance);
                        let starts = [set, clear].map(|start| address.wrapping_sub(start));
                        let Some(at) = starts.into_iter().find(|at| *at < row) else { continue };
                        let is_set = |bit: &u64| self.enabled.contains(&(lines.first + 8 * at + bit));
                        let byte = (0..8).filter(is_set).fold(0_u64, |byte, bit| byte | 1 << bit);
                        mask |= 0xff << (8 * distance);
                        value |= byte << (8 * distance);
                    }
                }
                LineBits::Register { address: register, set, .. } => {
                    let held = self.held.get(&register).copied().unwrap_or(0);
                    mask |= touched(u64::from(set), register, address, size);
                    value |= touched(u64::from(held), register, address, size);
                }
            }
        }
        (mask, value)
    }
}

/// The bits of a value that change a line, if it is written to this address.
pub(crate) fn kept_bits(lines: &[InterruptLines], address: u64, size: u64) -> u64 {
    let of = |(_, bits, _): (&InterruptLines, &LineBits, Effect)| match *bits {
        LineBits::Row { set, clear, size: row } => {
            let is_in = |distance: &u64| {
                let address = address.wrapping_add(*distance);
                [set, clear].iter().any(|start| address.wrapping_sub(*start) < row)
            };
            (0..size.min(8)).filter(is_in).fold(0, |mask, distance| mask | 0xff << (8 * distance))
        }
        LineBits::Register { address: register, set, clear } => {
            touched(u64::from(set | clear.unwrap_or(0)), register, address, size)
        }
    };
    bits_of(lines).map(of).fold(0, |mask, bits| mask | bits)
}

/// The bits of a register, as bits of an access to an address.
fn touched(bits: u64, register: u64, address: u64, size: u64) -> u64 {
    let bits = bits & u64::from(u32::MAX);
    let ahead = address.wrapping_sub(register);
    let behind = register.wrapping_sub(address);
    let moved = match (ahead, behind) {
        (..REGISTER, _) => bits >> (8 * ahead),
        (_, ..8) => bits << (8 * behind),
        _ => 0,
    };
    if size >= 8 { moved } else { moved & ((1 << (8 * size)) - 1) }
}

/// The bits of a register that an access covers, and their values.
fn word_at(register: u64, address: u64, bytes: &[u8]) -> (u32, u32) {
    let ours = bytes.iter().enumerate().filter_map(|(distance, byte)| {
        let at = address.wrapping_add(distance as u64).wrapping_sub(register);
        (at < REGISTER).then_some((at, *byte))
    });
    ours.fold((0, 0), |(mask, word), (at, byte)| {
        (mask | 0xff << (8 * at), word | u32::from(byte) << (8 * at))
    })
}

fn change(numbers: &mut Arc<BTreeSet<u64>>, number: u64, is_set: bool) {
    if numbers.contains(&number) == is_set {
        return;
    }
    let numbers = Arc::make_mut(numbers);
    if is_set {
        numbers.insert(number);
    } else {
        numbers.remove(&number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use everypath_lift::Enable;

    fn lines() -> Vec<InterruptLines> {
        let devices = InterruptLines {
            first: 16,
            enable: Some(Enable::Controller(LineBits::Row { set: 0x100, clear: 0x180, size: 8 })),
            pend: Some(LineBits::Row { set: 0x200, clear: 0x280, size: 8 }),
            priority: None,
            internal: false,
        };
        let timer = InterruptLines {
            first: 15,
            enable: Some(Enable::Controller(LineBits::Register { address: 0x10, set: 3, clear: None })),
            pend: None,
            priority: None,
            internal: false,
        };
        let switch = InterruptLines {
            first: 14,
            enable: None,
            pend: Some(LineBits::Register { address: 0x20, set: 1 << 28, clear: Some(1 << 27) }),
            priority: None,
            internal: true,
        };
        vec![devices, timer, switch]
    }

    /// Writes, by address, bits and value, and the lines that are enabled and pending then.
    type Case<'c> = (&'c [(u64, u32, u64)], &'c [u64], &'c [u64]);

    #[test]
    fn writes_set_and_clear_bits() {
        let cases: [Case<'_>; 9] = [
            (&[(0x100, 32, 1 << 5), (0x100, 32, 1 << 6)], &[21, 22], &[]),
            (&[(0x100, 32, 0xff), (0x180, 32, 0xfe)], &[16], &[]),
            (&[(0x104, 32, 1), (0x105, 8, 1)], &[48, 56], &[]),
            (&[(0x10, 32, 7)], &[15], &[]),
            (&[(0x10, 32, 7), (0x10, 32, 1)], &[], &[]),
            (&[(0x10, 8, 3), (0x12, 8, 0)], &[15], &[]),
            (&[(0x20, 32, 1 << 28), (0x20, 32, 0)], &[], &[14]),
            (&[(0x20, 32, 1 << 28), (0x200, 32, 1), (0x23, 8, 8)], &[], &[16]),
            (&[(0x1c, 64, 1 << 60)], &[], &[14]),
        ];
        for (writes, enabled, pending) in cases {
            let mut held = Lines::default();
            for (address, bits, value) in writes {
                let width = Width::new(*bits).expect("a width");
                held.write(&lines(), *address, &Bits::from_u64(*value, width));
            }
            assert_eq!(held.enabled.iter().copied().collect::<Vec<_>>(), enabled, "{writes:x?}");
            assert_eq!(held.pending.iter().copied().collect::<Vec<_>>(), pending, "{writes:x?}");
        }
    }

    /// Enable bits are read back as written: all bits of a row, and of a register only those that enable a line.
    #[test]
    fn what_enables_lines_is_read_back() {
        let mut held = Lines::default();
        held.write(&lines(), 0x100, &Bits::from_u64(0x8001, Width::W32));
        held.write(&lines(), 0x10, &Bits::from_u64(0xd, Width::W32));
        let read = |address, width| held.read(&lines(), address, width);
        assert_eq!(read(0x100, Width::W32), (0xffff_ffff, 0x8001));
        assert_eq!(read(0x181, Width::W8), (0xff, 0x80));
        assert_eq!(read(0x200, Width::W32), (0, 0));
        assert_eq!(read(0x10, Width::W32), (3, 1));
        assert_eq!(read(0xc, Width::W64), (3 << 32, 1 << 32));
    }

    #[test]
    fn only_the_bits_that_change_lines_are_kept() {
        let kept = |address, size| kept_bits(&lines(), address, size);
        assert_eq!(kept(0x10, 4), 3);
        assert_eq!(kept(0x20, 4), 3 << 27);
        assert_eq!(kept(0x23, 1), 0x18);
        assert_eq!(kept(0x1c, 8), 3 << 59);
        assert_eq!(kept(0x100, 4), 0xffff_ffff);
        assert_eq!(kept(0x106, 4), 0xffff);
        assert_eq!(kept(0x300, 4), 0);
    }
}

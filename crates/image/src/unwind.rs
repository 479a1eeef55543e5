//! Unwind tables (`.eh_frame`, `.ARM.exidx`): starts of functions and exception handlers, which remain in a stripped
//! file.

mod call_sites;

use call_sites::CallSite;

use crate::{Class, Endian, FileMachine, Image, Section};
use gimli::{BaseAddresses, CieOrFde, EhFrame, Pointer, RunTimeEndian, UnwindSection};
use std::collections::HashMap;

/// The type of a section with an index of unwind entries, each of which begins with the offset of a function.
const INDEX_KIND: u32 = 0x7000_0001;
/// The machine whose files have such sections; other machines use the number for something else.
const INDEX_MACHINE: u16 = 40;

/// The contents of the unwind tables.
#[derive(Default)]
pub(crate) struct Unwind {
    /// The functions, in order: first address, and end. One in the alternate instruction set has the lowest bit of its
    /// first address set.
    pub(crate) ranges: Vec<(u64, u64)>,
    /// The instructions whose exceptions are caught, in order and apart from each other.
    pub(crate) call_sites: Vec<CallSite>,
}

/// Reads the tables of a file.
pub(crate) fn read(image: &Image) -> Unwind {
    let mut unwind = Unwind::default();
    let Some(machine) = image.machine() else { return unwind };
    for section in image.sections().iter().filter(|section| section.allocated()) {
        if section.name() == ".eh_frame" {
            from_frames(section, image, machine, &mut unwind);
        } else if section.kind() == INDEX_KIND && machine.number == INDEX_MACHINE {
            from_index(section, machine, &mut unwind.ranges);
        }
    }
    unwind.ranges.sort_unstable();
    unwind.ranges.dedup_by_key(|(start, _)| *start);
    unwind.call_sites.sort_unstable_by_key(|site| site.start);
    unwind
}

fn from_frames(section: &Section, image: &Image, machine: &FileMachine, unwind: &mut Unwind) {
    let endian = match machine.endian {
        Endian::Little => RunTimeEndian::Little,
        Endian::Big => RunTimeEndian::Big,
    };
    let mut frames = EhFrame::new(section.data(), endian);
    frames.set_address_size(machine.class.bytes());
    let mut bases = BaseAddresses::default().set_eh_frame(section.address());
    for other in image.sections() {
        match other.name() {
            ".text" => bases = bases.set_text(other.address()),
            ".got" => bases = bases.set_got(other.address()),
            _ => {}
        }
    }
    // Entries share their common information, which is read once: a hostile file could make it long.
    let mut shared = HashMap::new();
    let mut entries = frames.entries(&bases);
    // A damaged entry ends the list; earlier entries are kept.
    while let Ok(Some(entry)) = entries.next() {
        let CieOrFde::Fde(partial) = entry else { continue };
        let entry = partial.parse(|frames, bases, offset| match shared.get(&offset) {
            Some(known) => Ok::<_, gimli::Error>(Clone::clone(known)),
            None => {
                let read = frames.cie_from_offset(bases, offset)?;
                shared.insert(offset, read.clone());
                Ok(read)
            }
        });
        if let Ok(entry) = entry
            && entry.len() > 0
            && image.segment_at(entry.initial_address()).is_some()
        {
            let start = entry.initial_address();
            let end = start.saturating_add(entry.len());
            if let Some(Pointer::Direct(table)) = entry.lsda() {
                call_sites::read(image, machine, table, start, end, &mut unwind.call_sites);
            }
            let first = if entry.is_signal_trampoline() { trampoline_start(start, end) } else { start };
            unwind.ranges.push((first, end));
        }
    }
}

/// The first instruction of a signal trampoline. Its table entry begins a byte early on purpose, because unwinders look
/// for the call before a return address; the code itself is aligned.
fn trampoline_start(start: u64, end: u64) -> u64 {
    match start.checked_add(1) {
        Some(next) if next.is_multiple_of(4) && next < end => next,
        _ => start,
    }
}

fn from_index(section: &Section, machine: &FileMachine, ranges: &mut Vec<(u64, u64)>) {
    let start = |(number, entry): (usize, &[u8])| {
        let word = machine.endian.number(&entry[..4]) as u32;
        // A signed 31-bit offset, relative to its own address.
        let offset = i64::from((word << 1) as i32 >> 1);
        let address = section.address().wrapping_add(8 * number as u64).wrapping_add_signed(offset);
        if machine.class == Class::Bits32 { address & 0xffff_ffff } else { address }
    };
    // Linkers merge equal entries, so that the end of a function is unknown.
    let starts = section.data().chunks_exact(8).enumerate().map(start);
    ranges.extend(starts.map(|start| (start, (start & !1).saturating_add(1))));
}

#[cfg(test)]
mod tests {
    use super::trampoline_start;

    #[test]
    fn a_trampoline_begins_at_aligned_code() {
        assert_eq!(trampoline_start(0x1003, 0x1010), 0x1004);
        assert_eq!(trampoline_start(0x1004, 0x1010), 0x1004);
    }

    #[test]
    fn a_trampoline_is_never_empty() {
        assert_eq!(trampoline_start(0x1003, 0x1004), 0x1003);
        assert_eq!(trampoline_start(u64::MAX, u64::MAX), u64::MAX);
    }
}

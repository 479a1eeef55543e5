//! The registers that a program reads, by address: who reads them, how often, and which bits matter.

use everypath_explore::DeviceRead;
use everypath_ir::Location;
use everypath_record::Undeclared;
use std::collections::{BTreeMap, BTreeSet};

/// A memory-mapped register that tests of the program read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedRegister {
    /// Its entry in a configuration.
    pub entry: Undeclared,
    /// Its name and properties, if a description of the chip has it.
    pub described: Option<super::DescribedRegister>,
    /// The number of reads.
    pub reads: u64,
    /// The sizes of the reads in bytes.
    pub sizes: BTreeSet<u64>,
    /// The functions that read it, each with the number of reads, most first. Code without a symbol is named by its address.
    pub readers: Vec<(String, u64)>,
    /// The functions in which one instruction reads it several times in a row, with no other register in between: polling.
    pub polled_in: BTreeSet<String>,
    /// The bits that some test sets in it; `None` if reads of it overlap at different addresses.
    pub set_bits: Option<u64>,
}

impl ObservedRegister {
    /// A register that no test reads.
    pub(super) fn unread(entry: Undeclared) -> Self {
        ObservedRegister {
            entry,
            described: None,
            reads: 0,
            sizes: BTreeSet::new(),
            readers: Vec::new(),
            polled_in: BTreeSet::new(),
            set_bits: None,
        }
    }
}

/// The reads at one address, of several tests.
#[derive(Clone, Debug, Default)]
struct Reads {
    count: u64,
    sizes: BTreeSet<u64>,
    readers: BTreeMap<u64, u64>,
    polled_at: BTreeSet<u64>,
    set_bits: u64,
}

/// The reads of several tests, by address.
#[derive(Clone, Debug, Default)]
pub(super) struct ReadProfile {
    reads: BTreeMap<Location, Reads>,
}

impl ReadProfile {
    /// Adds the reads of a test.
    pub(super) fn add(&mut self, test: &[DeviceRead]) {
        let mut last = None;
        for read in test {
            let known = self.reads.entry(read.location).or_default();
            known.count += 1;
            known.sizes.insert(read.size);
            *known.readers.entry(read.instruction).or_default() += 1;
            known.set_bits |= read.value;
            if last.replace((read.location, read.instruction)) == Some((read.location, read.instruction)) {
                known.polled_at.insert(read.instruction);
            }
        }
    }

    /// The registers by address; overlapping reads belong to one.
    pub(super) fn registers(
        &self,
        entry: impl Fn(Location, u64) -> Undeclared,
        function: impl Fn(u64) -> String,
    ) -> Vec<ObservedRegister> {
        let mut joined: Vec<(Location, u64, Vec<&Reads>)> = Vec::new();
        for (location, reads) in &self.reads {
            let size = reads.sizes.last().copied().unwrap_or(1);
            let end = location.offset.saturating_add(size);
            match joined.last_mut() {
                Some((first, size, parts))
                    if first.space == location.space && location.offset - first.offset < *size =>
                {
                    *size = (*size).max(end - first.offset);
                    parts.push(reads);
                }
                _ => joined.push((*location, size, vec![reads])),
            }
        }
        let register = |(location, size, parts): (Location, u64, Vec<&Reads>)| {
            let mut readers: BTreeMap<String, u64> = BTreeMap::new();
            for (instruction, count) in parts.iter().flat_map(|part| &part.readers) {
                *readers.entry(function(*instruction)).or_default() += count;
            }
            let mut readers: Vec<(String, u64)> = readers.into_iter().collect();
            readers.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
            ObservedRegister {
                entry: entry(location, size),
                described: None,
                reads: parts.iter().map(|part| part.count).sum(),
                sizes: parts.iter().flat_map(|part| part.sizes.iter().copied()).collect(),
                readers,
                polled_in: parts.iter().flat_map(|part| &part.polled_at).map(|at| function(*at)).collect(),
                set_bits: if let [only] = parts[..] { Some(only.set_bits) } else { None },
            }
        };
        joined.into_iter().map(register).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use everypath_ir::SpaceId;

    #[test]
    fn overlapping_reads_are_one_register_and_repeated_ones_are_polling() {
        let read = |instruction, offset, size, value| DeviceRead {
            instruction,
            location: Location { space: SpaceId(1), offset },
            size,
            value,
        };
        let mut profile = ReadProfile::default();
        profile.add(&[read(8, 0x40, 4, 0), read(8, 0x40, 4, 0x20), read(16, 0x44, 4, 'A' as u64)]);
        profile.add(&[read(24, 0x44, 4, 1), read(24, 0x46, 1, 2), read(8, 0x40, 4, 1)]);
        let entry = |location: Location, size| Undeclared::new(None, location.offset, size);
        let registers = profile.registers(entry, |address| format!("f{}", address / 16));
        let [status, data] = &registers[..] else { panic!("{registers:#?}") };
        assert_eq!((status.entry.address.0, status.entry.size, status.reads), (0x40, 4, 3));
        assert_eq!((status.readers.as_slice(), status.set_bits), (&[("f0".to_owned(), 3)][..], Some(0x21)));
        assert_eq!(status.polled_in, BTreeSet::from(["f0".to_owned()]));
        assert_eq!((data.entry.address.0, data.entry.size, data.reads), (0x44, 4, 3));
        assert_eq!((&data.sizes, data.set_bits), (&BTreeSet::from([1, 4]), None));
        assert!(data.polled_in.is_empty());
    }
}

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
    /// The functions in which one instruction reads it again after a few others, with no other register in between: polling.
    pub polled_in: BTreeSet<String>,
    /// The values that tests give it, at most [`ObservedRegister::VALUES`] of them.
    pub values: BTreeSet<u64>,
}

/// The maximum number of instructions of a polling loop.
const LOOP: u64 = 16;

impl ObservedRegister {
    /// The maximum number of different values that are kept.
    pub const VALUES: usize = 5;

    /// A register that no test reads.
    pub(super) fn unread(entry: Undeclared) -> Self {
        ObservedRegister {
            entry,
            described: None,
            reads: 0,
            sizes: BTreeSet::new(),
            readers: Vec::new(),
            polled_in: BTreeSet::new(),
            values: BTreeSet::new(),
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
    values: BTreeSet<u64>,
}

/// The reads of several tests, by address.
#[derive(Clone, Debug, Default)]
pub(super) struct ReadProfile {
    reads: BTreeMap<Location, Reads>,
}

impl ReadProfile {
    /// Adds the reads of a test.
    pub(super) fn add(&mut self, test: &[DeviceRead]) {
        let mut last: Option<&DeviceRead> = None;
        for read in test {
            let known = self.reads.entry(read.location).or_default();
            known.count += 1;
            known.sizes.insert(read.size);
            *known.readers.entry(read.instruction).or_default() += 1;
            if known.values.len() < ObservedRegister::VALUES {
                known.values.insert(read.value);
            }
            let is_again = |last: &DeviceRead| {
                (last.location, last.instruction) == (read.location, read.instruction)
                    && read.after - last.after <= LOOP
            };
            if last.replace(read).is_some_and(is_again) {
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
                values: parts.iter().flat_map(|part| part.values.iter().copied()).collect(),
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
        let read = |(after, instruction), offset, size, value| DeviceRead {
            after,
            instruction,
            location: Location { space: SpaceId(1), offset },
            size,
            value,
        };
        let mut profile = ReadProfile::default();
        profile.add(&[read((0, 8), 0x40, 4, 0), read((9, 8), 0x40, 4, 0x20), read((12, 16), 0x44, 4, 7)]);
        profile.add(&[read((0, 24), 0x44, 4, 1), read((1, 24), 0x46, 1, 2), read((2, 8), 0x40, 4, 1)]);
        // By the same instruction, but not in a loop.
        profile.add(&[read((0, 32), 0x80, 4, 0), read((99, 32), 0x80, 4, 0)]);
        let entry = |location: Location, size| Undeclared::new(None, location.offset, size);
        let registers = profile.registers(entry, |address| format!("f{}", address / 16));
        let [status, data, once] = &registers[..] else { panic!("{registers:#?}") };
        assert_eq!((status.entry.address.0, status.entry.size, status.reads), (0x40, 4, 3));
        assert_eq!(status.readers, [("f0".to_owned(), 3)]);
        assert_eq!(status.values, BTreeSet::from([0, 1, 0x20]));
        assert_eq!(status.polled_in, BTreeSet::from(["f0".to_owned()]));
        assert_eq!((data.entry.address.0, data.entry.size, data.reads), (0x44, 4, 3));
        assert_eq!(data.sizes, BTreeSet::from([1, 4]));
        assert!(data.polled_in.is_empty() && once.polled_in.is_empty());
    }
}

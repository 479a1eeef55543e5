//! The state of a process that no memory shows: open files, the ends of its heap and of its mappings, signal handlers. Each path
//! has its own.

use super::files::FileNode;
use super::overlay::Overlay;
use std::collections::BTreeMap;

/// The state of a process. Two paths whose processes differ are different, whatever their memory is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    /// The descriptors.
    pub(crate) descriptors: BTreeMap<u32, Descriptor>,
    /// The open file descriptions, which duplicated descriptors share.
    pub(crate) open: BTreeMap<usize, OpenFile>,
    /// The start of the heap, and its end (the program break).
    pub(crate) heap: (u64, u64),
    /// The address below which the next memory is mapped.
    pub(crate) mappings_end: u64,
    /// The actions that the program has set for signals, as it gave them.
    pub(crate) actions: BTreeMap<u64, Vec<u8>>,
    /// The signals that it blocks, a bit for each.
    pub(crate) blocked: u64,
    /// The signals that it has sent itself while it blocked them, a bit for each.
    pub(crate) pending: u64,
    /// The number of bytes that it has read from the standard input.
    pub(crate) read: u64,
    /// How many bytes the standard input is known to have.
    pub(crate) input_size: KnownSize,
    /// How many bytes files that are input are known to have, by their numbers.
    pub(crate) file_sizes: BTreeMap<usize, KnownSize>,
    /// Whether it has read from a file that is input.
    pub(crate) has_read_file: bool,
    /// The files that it has written.
    pub(crate) overlay: Overlay,
    /// The files that it has mapped.
    pub(crate) mapped: Vec<MappedFile>,
    /// The number of times that it has asked for the time, for randomness and the like.
    pub(crate) asked: u64,
    /// The mask with which the permissions of new files are made.
    pub(crate) mask: u64,
    /// Whether it has set this mask itself.
    pub(crate) has_mask: bool,
    /// Whether its thread pointer is set. A dynamic linker does that when it has loaded the libraries, before other code runs.
    pub(crate) has_thread_pointer: bool,
}

/// The size of a file that is input, as far as the path has decided on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KnownSize {
    at_least: u64,
    below: u64,
}

impl Default for KnownSize {
    fn default() -> KnownSize {
        KnownSize { at_least: 0, below: u64::MAX }
    }
}

impl KnownSize {
    /// Whether there are at least so many bytes, if that is known.
    pub(crate) fn has(self, count: u64) -> Option<bool> {
        if count <= self.at_least {
            return Some(true);
        }
        (count >= self.below).then_some(false)
    }

    /// Records whether there are at least so many bytes.
    pub(crate) fn learn(&mut self, count: u64, has: bool) {
        if has {
            self.at_least = self.at_least.max(count);
        } else {
            self.below = self.below.min(count);
        }
    }
}

/// A descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Descriptor {
    /// Its open file description: an index into `open`.
    number: usize,
    /// Whether it is closed when another program is started (`FD_CLOEXEC`), which the process can ask for.
    pub(crate) closes: bool,
}

/// A file that is mapped, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MappedFile {
    pub(crate) node: FileNode,
    pub(crate) first: u64,
    pub(crate) last: u64,
}

/// An open file description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OpenFile {
    /// The standard input.
    Input,
    /// The standard output or the standard error, by descriptor.
    Output(u32),
    /// A file.
    File {
        node: FileNode,
        /// The position at which it is read or written next.
        position: u64,
        access: OpenMode,
    },
}

/// The access that an open file description allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenMode {
    pub(crate) read: bool,
    pub(crate) write: bool,
    /// Whether each write is at the end of the file.
    pub(crate) append: bool,
    /// The flags of the description, as `F_GETFL` returns them.
    pub(crate) flags: u64,
}

/// The number of descriptors that a process may have (`RLIMIT_NOFILE`).
pub(crate) const DESCRIPTORS: u32 = 1024;

impl Process {
    pub(crate) fn new(heap: u64, mappings_end: u64) -> Process {
        Process {
            descriptors: [0, 1, 2].map(|number| (number as u32, Descriptor { number, closes: false })).into(),
            open: BTreeMap::from([(0, OpenFile::Input), (1, OpenFile::Output(1)), (2, OpenFile::Output(2))]),
            heap: (heap, heap),
            mappings_end,
            actions: BTreeMap::new(),
            blocked: 0,
            pending: 0,
            read: 0,
            input_size: KnownSize::default(),
            file_sizes: BTreeMap::new(),
            has_read_file: false,
            overlay: Overlay::default(),
            mapped: Vec::new(),
            asked: 0,
            mask: 0o22,
            has_mask: false,
            has_thread_pointer: false,
        }
    }

    /// The file of a descriptor.
    pub(crate) fn file(&self, descriptor: u32) -> Option<&OpenFile> {
        self.open.get(&self.descriptors.get(&descriptor)?.number)
    }

    /// The same, to change its position.
    pub(crate) fn file_mut(&mut self, descriptor: u32) -> Option<&mut OpenFile> {
        self.open.get_mut(&self.descriptors.get(&descriptor)?.number)
    }

    /// Opens a file at the least free descriptor, if there is one.
    pub(crate) fn open(&mut self, file: OpenFile, closes: bool) -> Option<u32> {
        let descriptor = self.free_descriptor(0)?;
        let number = self.open.last_key_value().map_or(0, |(number, _)| number + 1);
        self.open.insert(number, file);
        self.descriptors.insert(descriptor, Descriptor { number, closes });
        Some(descriptor)
    }

    /// The least free descriptor from this one on, if there is one.
    pub(crate) fn free_descriptor(&self, least: u32) -> Option<u32> {
        (least..DESCRIPTORS).find(|descriptor| !self.descriptors.contains_key(descriptor))
    }

    /// Makes a descriptor stand for the file of another one; what it stood for is closed.
    pub(crate) fn duplicate(&mut self, from: u32, to: u32, closes: bool) -> Option<u32> {
        let number = self.descriptors.get(&from)?.number;
        if from != to {
            self.close(to);
            self.descriptors.insert(to, Descriptor { number, closes });
        }
        Some(to)
    }

    /// Closes a descriptor. Returns whether it was open.
    pub(crate) fn close(&mut self, descriptor: u32) -> bool {
        let Some(Descriptor { number, .. }) = self.descriptors.remove(&descriptor) else { return false };
        if !self.descriptors.values().any(|other| other.number == number) {
            self.open.remove(&number);
        }
        true
    }
}

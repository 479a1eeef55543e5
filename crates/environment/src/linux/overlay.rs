//! The files that a process has made, changed or removed: an upper layer over the files of the host, as of a union mount. Nothing of the
//! host is changed.
//!
//! Memory that the program cannot reach holds the contents, so that bytes keep their terms, and each path has its own.

use super::files::FileAttributes;
use everypath_ir::{Location, SpaceId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The largest size of a file that is written.
pub(crate) const LARGEST_WRITTEN: u64 = 1 << 28;
/// The distance of the first file from the end of the stack, and of two files.
const AREA: u64 = 1 << 32;

/// The overlay of a process: the upper layer over the files of the host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Overlay {
    /// The numbers of the files at paths; none where a file was removed.
    names: BTreeMap<Arc<str>, Option<usize>>,
    /// The files, by number.
    files: Vec<WrittenFile>,
}

/// A file that the process has made or changed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct WrittenFile {
    size: u64,
    attributes: FileAttributes,
}

impl Overlay {
    /// The file at a path without `.` and `..`, if the process has changed something there: its number, or none if it was removed.
    pub(crate) fn at(&self, path: &str) -> Option<Option<usize>> {
        self.names.get(path).copied()
    }

    /// The number of the file that is made next.
    pub(crate) fn next_number(&self) -> usize {
        self.files.len()
    }

    /// Adds an empty file, at a path.
    pub(crate) fn create(&mut self, path: Arc<str>, attributes: FileAttributes) -> usize {
        let number = self.next_number();
        self.files.push(WrittenFile { size: 0, attributes });
        self.names.insert(path, Some(number));
        number
    }

    /// Records that nothing is at a path any more.
    pub(crate) fn remove(&mut self, path: Arc<str>) {
        self.names.insert(path, None);
    }

    /// Puts a file at a path, in place of what was there.
    pub(crate) fn link(&mut self, path: Arc<str>, number: usize) {
        self.names.insert(path, Some(number));
    }

    /// The size of a file.
    pub(crate) fn size(&self, number: usize) -> u64 {
        self.files[number].size
    }

    /// The attributes of a file.
    pub(crate) fn attributes(&self, number: usize) -> FileAttributes {
        self.files[number].attributes
    }

    /// The number of names that a file has.
    pub(crate) fn links(&self, number: usize) -> u64 {
        self.names.values().filter(|named| **named == Some(number)).count() as u64
    }

    /// Sets the size of a file.
    pub(crate) fn set_size(&mut self, number: usize, size: u64) {
        self.files[number].size = size;
    }

    /// The paths where it has changed anything.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Arc<str>> {
        self.names.keys()
    }
}

/// Where the contents of a file are, from a position on. `end` is the end of the stack.
pub(crate) fn contents_at(space: SpaceId, end: u64, number: usize, position: u64) -> Location {
    let area = AREA.saturating_mul(number as u64 + 1);
    Location { space, offset: end.saturating_add(area).saturating_add(position) }
}

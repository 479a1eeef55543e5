//! Files that are input. Memory behind the stack, which the program cannot reach, holds their contents and sizes as initial input;
//! calls copy from there what they read. So each byte of a file is one input, however often and in whatever order it is read.

use super::settings::LinuxSettings;
use super::stream_size::StreamSize;
use crate::guest::GuestError;
use crate::input::InitialInput;
use everypath_ir::{Endian, Location, SpaceId};
use everypath_machine::{PAGE_SIZE, Permissions, Region, State};

/// The width of the size of a file, in bytes.
pub(crate) const SIZE_BYTES: usize = 4;

/// A file whose contents are input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InputFile {
    /// Its number, from zero on.
    pub(crate) number: usize,
    /// Its path, as the configuration gives it.
    pub(crate) path: String,
    /// How many bytes it may have.
    pub(crate) bounds: StreamSize,
    /// Where its contents are.
    pub(crate) contents: Location,
    /// Where its size is: a number that counts as the nearest size within the bounds.
    pub(crate) size: Location,
}

/// The name of the input that is the contents of a file.
pub fn file_name(path: &str) -> String {
    format!("file-{}", path.replace('/', "_"))
}

/// The bytes from a location on, whatever access the program has to them.
fn bytes_at(state: &State, location: Location, count: u64) -> Vec<u8> {
    (0..count)
        .map(|place| state.peek(Location { offset: location.offset + place, ..location }, 1) as u8)
        .collect()
}

impl InputFile {
    /// Lays the files of a configuration out behind an address.
    pub(super) fn lay_out(
        settings: &LinuxSettings,
        space: SpaceId,
        end: u64,
    ) -> Result<Vec<InputFile>, GuestError> {
        let page = PAGE_SIZE as u64;
        let mut next = end.saturating_add(page);
        let mut files: Vec<InputFile> = Vec::new();
        for file in &settings.files {
            if let Some(other) = files.iter().find(|other| file_name(&other.path) == file_name(&file.path)) {
                return Err(GuestError::new(format!(
                    "the names of the files `{}` and `{}` are too similar; the results could not tell them apart",
                    other.path, file.path
                )));
            }
            let size = next.saturating_add(u64::from(file.bytes.most)).next_multiple_of(SIZE_BYTES as u64);
            let at = |offset| Location { space, offset };
            files.push(InputFile {
                number: files.len(),
                path: file.path.clone(),
                bounds: file.bytes,
                contents: at(next),
                size: at(size),
            });
            next = size.saturating_add(2 * page) & !(page - 1);
        }
        Ok(files)
    }

    /// Maps the memory, to which the program has no access.
    pub(super) fn map(&self, state: &mut State) {
        let nothing = Permissions { read: false, write: false, execute: false };
        let last = self.size.offset + SIZE_BYTES as u64 - 1;
        let region = Region::memory(self.contents.offset, last, nothing).with_contents();
        state.map_zeros(self.contents.space, region);
    }

    /// The inputs that it is made of: its contents, and its size if that is open.
    pub(super) fn inputs(&self, endian: Endian) -> impl Iterator<Item = InitialInput> + use<> {
        let most = u64::from(self.bounds.most);
        let contents = InitialInput::in_memory(file_name(&self.path), self.contents, most, endian);
        let size = format!("{}-size", file_name(&self.path));
        let size = InitialInput::in_memory(size, self.size, SIZE_BYTES as u64, endian);
        let has_contents = self.bounds.most > 0;
        let has_size = self.bounds.least < self.bounds.most;
        has_contents.then_some(contents).into_iter().chain(has_size.then_some(size))
    }

    /// Its size in a state.
    pub(crate) fn size_in(&self, state: &State, endian: Endian) -> u64 {
        let size = endian.number(&bytes_at(state, self.size, SIZE_BYTES as u64));
        size.clamp(u64::from(self.bounds.least), u64::from(self.bounds.most))
    }

    /// Its contents in a state.
    pub(super) fn contents_in(&self, state: &State, endian: Endian) -> Vec<u8> {
        bytes_at(state, self.contents, self.size_in(state, endian))
    }

    /// Whether it has at least so many bytes, if the bounds say so.
    pub(crate) fn surely_has(&self, count: u64) -> Option<bool> {
        if count <= u64::from(self.bounds.least) {
            return Some(true);
        }
        (count > u64::from(self.bounds.most)).then_some(false)
    }
}

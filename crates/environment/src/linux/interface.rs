//! The system-call interface of a guest, as data: registers, calls by number, and what the process is given.

use super::caller::RegisterSlot;
use super::host_files::HostFiles;
use super::input_files::InputFile;
use super::settings::LinuxSettings;
use super::stream_size::StreamSize;
use everypath_image::Image;
use everypath_ir::{Endian, SpaceId};
use everypath_lift::{LinuxInterface, RegisterCondition};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A file that a path has mapped as code: first and last address, path and offset.
pub(crate) type MappedCode = (u64, u64, Arc<str>, u64);

/// The Linux environment of a guest.
pub(crate) struct Linux {
    pub(crate) interface: LinuxInterface,
    pub(crate) settings: LinuxSettings,
    pub(super) number: RegisterSlot,
    pub(crate) arguments: Vec<RegisterSlot>,
    pub(super) result: RegisterSlot,
    pub(super) error: Option<(RegisterSlot, RegisterCondition)>,
    /// The calls that set a thread pointer: their name, their code, and the register.
    pub(crate) thread_pointers: Vec<(String, Option<u64>, RegisterSlot)>,
    /// The modelled calls by number: indices into the table of calls.
    pub(super) calls: BTreeMap<u64, usize>,
    pub(crate) space: SpaceId,
    pub(crate) endian: Endian,
    /// The size of an address in bytes.
    pub(crate) word: usize,
    /// The contents of the standard input, if they are no input of a test.
    pub(crate) stdin: Option<Arc<[u8]>>,
    pub(crate) files: HostFiles,
    /// The files that are input.
    pub(crate) input_files: Vec<Arc<InputFile>>,
    /// The files that paths have mapped as code: first and last address, path and offset.
    pub(crate) code: Mutex<Vec<MappedCode>>,
    /// The dynamic linker, if the program needs one.
    pub(crate) linker: Option<Arc<Image>>,
}

impl Linux {
    /// Whether code may be mapped: another path must not have mapped other code there, because all paths share the blocks that
    /// the machine has lifted.
    pub(crate) fn may_map_code(&self, new: MappedCode) -> bool {
        let mut known = self.code.lock().unwrap_or_else(PoisonError::into_inner);
        if known.contains(&new) {
            return true;
        }
        let overlaps = known.iter().any(|(first, last, ..)| *first <= new.1 && new.0 <= *last);
        if !overlaps {
            known.push(new);
        }
        !overlaps
    }

    /// The size of the standard input, if it is input of a test.
    pub(crate) fn input_size(&self) -> Option<StreamSize> {
        self.settings.stdin.filter(|_| self.stdin.is_none())
    }
}

//! Mappings of files while the process writes the files: the memory would change with them, of which there is no model.

use super::SystemCall;
use crate::linux::caller::CallFailure;
use crate::linux::files::FileNode;
use crate::linux::process::MappedFile;

impl SystemCall<'_> {
    /// Records that a file was mapped.
    pub(super) fn note_mapped(&mut self, node: FileNode, first: u64, last: u64) {
        let new = MappedFile { node, first, last };
        if !self.process.mapped.contains(&new) {
            self.process.mapped.push(new);
        }
    }

    /// Ends the path where the process is about to change a file of the overlay that it has mapped. What is at the addresses now may be
    /// something else, which costs a path and no more.
    pub(super) fn refuse_mapped(&mut self, number: usize) -> Result<(), CallFailure> {
        let of_file = |mapped: &&MappedFile| mapped.node.kind.overlay_number() == Some(number);
        let ranges: Vec<_> =
            self.process.mapped.iter().filter(of_file).map(|mapped| (mapped.first, mapped.last)).collect();
        let is_mapped = ranges.into_iter().any(|(first, last)| !self.overlapping(first, last).is_empty());
        if is_mapped { self.unmodelled() } else { Ok(()) }
    }
}

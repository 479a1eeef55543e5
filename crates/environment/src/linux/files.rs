//! Files (inodes) as a process sees them: what they are, their attributes, and what is found at a path.

use super::input_files::InputFile;
use std::sync::Arc;

/// The user and the group of the process.
pub(crate) const USER: u64 = 1000;

/// A file (an inode): one of the host as it was when it was first looked up, one that is input, or one that the process has written.
#[derive(Clone, Debug)]
pub(crate) struct FileNode {
    /// Its path in the process, without links.
    pub(crate) path: Arc<str>,
    pub(crate) kind: NodeKind,
    pub(crate) attributes: FileAttributes,
}

/// The attributes of a file that stay as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileAttributes {
    pub(crate) inode: u64,
    /// The bits of its mode that `chmod` changes.
    pub(crate) permissions: u64,
    pub(crate) owner: u64,
    pub(crate) group: u64,
    /// The number of names of a file of the host, while the process has removed none.
    pub(crate) links: u64,
}

impl FileAttributes {
    /// Those of a file of the process's user.
    pub(crate) fn own(inode: u64, permissions: u64) -> FileAttributes {
        FileAttributes { inode, permissions, owner: USER, group: USER, links: 1 }
    }

    /// Whether the process may access the file so: 4 to read, 2 to write, 1 to execute, or a sum of them.
    pub(crate) fn allow(&self, wanted: u64) -> bool {
        let shift = match self {
            FileAttributes { owner: USER, .. } => 6,
            FileAttributes { group: USER, .. } => 3,
            _ => 0,
        };
        self.permissions >> shift & wanted == wanted
    }
}

/// The inode number of a file: the same for the same text (FNV-1a), so that results do not depend on the disk of the host.
pub(crate) fn inode(text: &str) -> u64 {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    hash >> 16
}

/// The kind of a file.
#[derive(Clone, Debug)]
pub(crate) enum NodeKind {
    /// A regular file with its contents.
    Regular(Arc<[u8]>),
    /// A file whose contents are input.
    Input(Arc<InputFile>),
    /// A file of the overlay, which the process has written, by its number.
    Overlay(usize),
    /// A directory.
    Directory,
}

impl NodeKind {
    /// The number of a file of the overlay.
    pub(crate) fn overlay_number(&self) -> Option<usize> {
        match self {
            NodeKind::Overlay(number) => Some(*number),
            NodeKind::Regular(_) | NodeKind::Input(_) | NodeKind::Directory => None,
        }
    }
}

impl PartialEq for FileNode {
    /// A file of the host is the same for the whole run, so that its contents need no comparison. One of the overlay is the same under
    /// another name.
    fn eq(&self, other: &FileNode) -> bool {
        match (self.kind.overlay_number(), other.kind.overlay_number()) {
            (None, None) => self.path == other.path,
            (own, other) => own == other,
        }
    }
}

impl Eq for FileNode {}

impl FileNode {
    /// The contents, if it is a regular file of the host.
    pub(crate) fn contents(&self) -> Option<&Arc<[u8]>> {
        match &self.kind {
            NodeKind::Regular(bytes) => Some(bytes),
            NodeKind::Input(_) | NodeKind::Overlay(_) | NodeKind::Directory => None,
        }
    }

    pub(crate) fn is_directory(&self) -> bool {
        matches!(self.kind, NodeKind::Directory)
    }
}

/// The object at a path.
#[derive(Clone, Debug)]
pub(crate) enum Found {
    /// A file.
    File(FileNode),
    /// Nothing.
    Nothing {
        /// Whether a process with the file systems of the kernel could find something there.
        made_up: bool,
    },
    /// Something of which there is no model: a device, or a file that cannot be read.
    Unmodelled,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_are_those_of_the_owner_the_group_or_the_others() {
        let of = |owner, group| FileAttributes { owner, group, ..FileAttributes::own(1, 0o640) };
        assert!(of(USER, 0).allow(4 | 2) && !of(USER, 0).allow(1));
        assert!(of(0, USER).allow(4) && !of(0, USER).allow(2));
        assert!(of(0, 0).allow(0) && !of(0, 0).allow(4));
    }
}

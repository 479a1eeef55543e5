//! The files that a process finds at its start: those of the host, and those that are input. What was looked up once is the same for the
//! whole run.

use super::input_files::InputFile;
use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A file (an inode): one of the host as it was when it was first looked up, one that is input, or one that the process has written.
#[derive(Clone, Debug)]
pub(crate) struct FileNode {
    /// Its path in the process.
    pub(crate) path: Arc<str>,
    pub(crate) kind: NodeKind,
    /// Its permissions.
    pub(crate) permissions: u64,
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
    /// A file of the host is the same for the whole run, so that its contents need no comparison.
    fn eq(&self, other: &FileNode) -> bool {
        let number = |node: &FileNode| node.kind.overlay_number();
        self.path == other.path && number(self) == number(other)
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

/// The files of the host.
pub(crate) struct HostFiles {
    root: Option<PathBuf>,
    directory: PathBuf,
    found: Mutex<HashMap<PathBuf, Found>>,
}

/// Directories that the system makes up, and which a process may lack.
const MADE_UP: [&str; 2] = ["/proc", "/sys"];
/// The directory of devices.
const DEVICES: &str = "/dev";
/// Larger files are not read.
const LARGEST: u64 = 1 << 30;

impl HostFiles {
    /// The files of the host under a root, with those that are input in their places.
    pub(crate) fn new(root: Option<PathBuf>, inputs: &[Arc<InputFile>]) -> HostFiles {
        let directory = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
        let found = inputs.iter().map(|input| {
            let path = normal(&directory.join(&input.path));
            let name: Arc<str> = path.to_string_lossy().into();
            (
                path,
                Found::File(FileNode {
                    path: name,
                    kind: NodeKind::Input(input.clone()),
                    permissions: 0o644,
                }),
            )
        });
        let found = Mutex::new(found.collect());
        HostFiles { root, directory, found }
    }

    /// The directory in which the process runs.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// A path from the root on, without `.` and `..`.
    pub(crate) fn absolute(&self, path: &str) -> Arc<str> {
        normal(&self.directory.join(path)).to_string_lossy().into()
    }

    /// Looks a path up.
    pub(crate) fn find(&self, path: &str) -> Found {
        let path = normal(&self.directory.join(path));
        let mut known = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(path).or_insert_with_key(|path| self.look_up(path)).clone()
    }

    /// The target of a symbolic link, if a path is one.
    pub(crate) fn link(&self, path: &str) -> Option<PathBuf> {
        fs::read_link(self.on_host(&normal(&self.directory.join(path)))).ok()
    }

    fn on_host(&self, path: &Path) -> PathBuf {
        match &self.root {
            Some(root) => root.join(path.strip_prefix("/").unwrap_or(path)),
            None => path.to_owned(),
        }
    }

    fn look_up(&self, path: &Path) -> Found {
        if MADE_UP.iter().any(|directory| path.starts_with(directory)) {
            return Found::Nothing { made_up: true };
        }
        if path.starts_with(DEVICES) {
            return Found::Unmodelled;
        }
        let host = self.on_host(path);
        let Ok(metadata) = fs::metadata(&host) else { return Found::Nothing { made_up: false } };
        let name: Arc<str> = path.to_string_lossy().into();
        if metadata.is_dir() {
            return Found::File(FileNode { path: name, kind: NodeKind::Directory, permissions: 0o755 });
        }
        if !metadata.is_file() || metadata.len() > LARGEST {
            return Found::Unmodelled;
        }
        let Ok(bytes) = fs::read(&host) else { return Found::Unmodelled };
        Found::File(FileNode { path: name, kind: NodeKind::Regular(bytes.into()), permissions: 0o755 })
    }
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::from("/");
    for component in path.components() {
        match component {
            Component::Normal(name) => normal.push(name),
            Component::ParentDir => {
                normal.pop();
            }
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    normal
}

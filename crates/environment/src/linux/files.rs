//! The files of the host, which a process reads and never writes. What was read once is the same for the whole run.

use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A file of the host as it was when it was first looked up.
#[derive(Clone, Debug)]
pub(crate) struct HostFile {
    /// Its path in the process.
    pub(crate) path: Arc<str>,
    pub(crate) kind: HostFileKind,
    /// Its permissions.
    pub(crate) permissions: u64,
}

/// The kind of a file.
#[derive(Clone, Debug)]
pub(crate) enum HostFileKind {
    /// A regular file with its contents.
    Regular(Arc<[u8]>),
    /// A folder.
    Folder,
}

impl HostFile {
    /// The contents, if it is a regular file.
    pub(crate) fn contents(&self) -> Option<&Arc<[u8]>> {
        match &self.kind {
            HostFileKind::Regular(bytes) => Some(bytes),
            HostFileKind::Folder => None,
        }
    }
}

/// The object at a path.
#[derive(Clone, Debug)]
pub(crate) enum Found {
    /// A file.
    File(HostFile),
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
    folder: PathBuf,
    found: Mutex<HashMap<PathBuf, Found>>,
}

/// Folders that the system makes up, and which a process may lack.
const MADE_UP: [&str; 2] = ["/proc", "/sys"];
/// The folder of devices.
const DEVICES: &str = "/dev";
/// Larger files are not read.
const LARGEST: u64 = 1 << 30;

impl HostFiles {
    pub(crate) fn new(root: Option<PathBuf>) -> HostFiles {
        let folder = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
        HostFiles { root, folder, found: Mutex::default() }
    }

    /// The folder in which the process runs.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Looks a path up.
    pub(crate) fn find(&self, path: &str) -> Found {
        let path = normal(&self.folder.join(path));
        let mut known = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(path).or_insert_with_key(|path| self.look_up(path)).clone()
    }

    /// The target of a symbolic link, if a path is one.
    pub(crate) fn link(&self, path: &str) -> Option<PathBuf> {
        fs::read_link(self.on_host(&normal(&self.folder.join(path)))).ok()
    }

    fn on_host(&self, path: &Path) -> PathBuf {
        match &self.root {
            Some(root) => root.join(path.strip_prefix("/").unwrap_or(path)),
            None => path.to_owned(),
        }
    }

    fn look_up(&self, path: &Path) -> Found {
        if MADE_UP.iter().any(|folder| path.starts_with(folder)) {
            return Found::Nothing { made_up: true };
        }
        if path.starts_with(DEVICES) {
            return Found::Unmodelled;
        }
        let host = self.on_host(path);
        let Ok(metadata) = fs::metadata(&host) else { return Found::Nothing { made_up: false } };
        let name: Arc<str> = path.to_string_lossy().into();
        if metadata.is_dir() {
            return Found::File(HostFile { path: name, kind: HostFileKind::Folder, permissions: 0o755 });
        }
        if !metadata.is_file() || metadata.len() > LARGEST {
            return Found::Unmodelled;
        }
        let Ok(bytes) = fs::read(&host) else { return Found::Unmodelled };
        Found::File(HostFile { path: name, kind: HostFileKind::Regular(bytes.into()), permissions: 0o755 })
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

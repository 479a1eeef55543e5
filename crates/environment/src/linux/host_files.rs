//! The files that a process finds at its start: those of the host, and those that are input. What was looked up once is the same for the
//! whole run.

use super::files::{FileAttributes, FileNode, Found, NodeKind, USER, inode};
use super::input_files::InputFile;
use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The files of the host.
pub(crate) struct HostFiles {
    root: Option<PathBuf>,
    directory: PathBuf,
    /// The user and the group that run Everypath, if the system has them.
    runner: Option<(u64, u64)>,
    found: Mutex<HashMap<PathBuf, Found>>,
    /// The targets of symbolic links that were looked up.
    links: Mutex<HashMap<PathBuf, Option<PathBuf>>>,
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
        let (found, links) = (Mutex::default(), Mutex::default());
        let mut files = HostFiles { root, directory, runner: runner(), found, links };
        inputs.iter().for_each(|input| files.place(input));
        files
    }

    /// Puts a file that is input in its place, and makes the folders above it that the host does not have.
    fn place(&mut self, input: &Arc<InputFile>) {
        let path = normal(&self.directory.join(&input.path));
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return };
        let parent = self.without_links(parent);
        let own = |path: &Path, kind, permissions| {
            let path: Arc<str> = path.to_string_lossy().into();
            let attributes = FileAttributes::own(inode(&path), permissions);
            Found::File(FileNode { path, kind, attributes })
        };
        for folder in parent.ancestors() {
            let is_there = matches!(self.find(folder), Found::File(node) if node.is_directory());
            if !is_there {
                self.insert(folder.to_owned(), own(folder, NodeKind::Directory, 0o755));
            }
        }
        let path = parent.join(name);
        let file = own(&path, NodeKind::Input(input.clone()), 0o644);
        self.insert(path, file);
    }

    fn insert(&mut self, path: PathBuf, found: Found) {
        self.found.get_mut().unwrap_or_else(PoisonError::into_inner).insert(path, found);
    }

    /// A directory without symbolic links in its path, as far as it is on the host.
    fn without_links(&self, directory: &Path) -> PathBuf {
        let real = |path: &Path| fs::canonicalize(self.on_host(path)).ok();
        let Some(root) = real(Path::new("/")) else { return directory.to_owned() };
        let known = directory.ancestors().find_map(|above| {
            let inside = real(above)?.strip_prefix(&root).ok()?.to_owned();
            Some(Path::new("/").join(inside).join(directory.strip_prefix(above).ok()?))
        });
        known.unwrap_or_else(|| directory.to_owned())
    }

    /// The directory in which the process runs.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Whether the user that runs Everypath is one whom permissions of files do not bind.
    pub(crate) fn runner_is_privileged(&self) -> bool {
        self.runner.is_some_and(|(user, _)| user == 0)
    }

    /// Looks a path up.
    pub(crate) fn find(&self, path: impl AsRef<Path>) -> Found {
        let path = normal(path.as_ref());
        let mut known = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(path).or_insert_with_key(|path| self.look_up(path)).clone()
    }

    /// The target of a symbolic link, if there is one at a path from the root on. Files that are input take the place of links.
    pub(crate) fn link(&self, path: &str) -> Option<PathBuf> {
        let is_below = |directory| Path::new(path).starts_with(directory);
        let placed = self.found.lock().unwrap_or_else(PoisonError::into_inner).get(Path::new(path)).cloned();
        let is_input = matches!(placed, Some(Found::File(FileNode { kind: NodeKind::Input(_), .. })));
        if is_input || is_below(DEVICES) || MADE_UP.into_iter().any(is_below) {
            return None;
        }
        let mut known = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        let target = known.entry(PathBuf::from(path));
        target.or_insert_with_key(|path| fs::read_link(self.on_host(path)).ok()).clone()
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
        let metadata = match fs::metadata(&host) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == ErrorKind::NotFound => return Found::Nothing { made_up: false },
            Err(_) => return Found::Unmodelled,
        };
        let name: Arc<str> = path.to_string_lossy().into();
        let attributes = self.attributes(&name, &metadata);
        if metadata.is_dir() {
            return Found::File(FileNode { path: name, kind: NodeKind::Directory, attributes });
        }
        if !metadata.is_file() || metadata.len() > LARGEST {
            return Found::Unmodelled;
        }
        let Ok(bytes) = fs::read(&host) else { return Found::Unmodelled };
        Found::File(FileNode { path: name, kind: NodeKind::Regular(bytes.into()), attributes })
    }

    /// The attributes of a file of the host. What belongs to the user that runs Everypath belongs to that of the process.
    #[cfg(unix)]
    fn attributes(&self, path: &str, metadata: &Metadata) -> FileAttributes {
        use std::os::unix::fs::MetadataExt;
        let (user, group) = self.runner.unzip();
        // The two numbers change places, so that no other user becomes that of the process.
        let seen = |number: u32, own: Option<u64>| match u64::from(number) {
            number if Some(number) == own => USER,
            USER => own.unwrap_or(USER),
            number => number,
        };
        // All names of a file have one number.
        let has_names = metadata.is_file() && metadata.nlink() > 1;
        let inode =
            if has_names { inode(&format!("{}:{}", metadata.dev(), metadata.ino())) } else { inode(path) };
        FileAttributes {
            inode,
            permissions: u64::from(metadata.mode()) & 0o7777,
            owner: seen(metadata.uid(), user),
            group: seen(metadata.gid(), group),
            links: metadata.nlink(),
        }
    }

    #[cfg(not(unix))]
    fn attributes(&self, path: &str, metadata: &Metadata) -> FileAttributes {
        let own = if metadata.permissions().readonly() { 0o555 } else { 0o755 };
        FileAttributes::own(inode(path), own)
    }
}

/// The user and the group that run Everypath, to whom the system shows its own folder of the process as theirs.
#[cfg(unix)]
fn runner() -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let metadata = fs::metadata("/proc/self").ok()?;
    Some((u64::from(metadata.uid()), u64::from(metadata.gid())))
}

#[cfg(not(unix))]
fn runner() -> Option<(u64, u64)> {
    None
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

//! Paths that calls name: relative to a directory, and the file at a path as the process sees it. A path is walked from folder to
//! folder, as the kernel does it, so that each of them must be there and symbolic links are followed where they are.

use super::context::errno;
use super::{CallResult, SystemCall};
use crate::linux::caller::CallFailure;
use crate::linux::files::{FileNode, Found, NodeKind};
use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

/// The descriptor that stands for the directory of the process.
const AT_FDCWD: u32 = -100_i32 as u32;
/// The maximum length of a name.
const LONGEST_NAME: usize = 255;
/// The maximum number of symbolic links in a path.
const MOST_LINKS: u32 = 40;
/// The assumption about the permissions and the owners of files.
pub(super) const PERMISSIONS: &str = "files were assumed to have the permissions that they have on this machine, and its user to be \
                                      that of the process";

/// Whether a path that ends with a symbolic link names its target or the link.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LastLink {
    Followed,
    Itself,
}

/// Where a path leads: to a name in a folder that exists.
pub(super) struct Place {
    /// The path from the root on, without links.
    pub(super) path: Arc<str>,
    /// Whether there must be a directory, because a slash is behind the name.
    pub(super) has_slash: bool,
}

/// The address of the path in the second argument, which is relative to the directory in the first one.
pub(super) fn path_at(call: &mut SystemCall<'_>) -> CallResult {
    let (directory, path) = (call.int(0)?, call.argument(1)?);
    let is_absolute = call.fixed_bytes(path, 1)?[0] == b'/';
    if directory != AT_FDCWD && !is_absolute { call.unmodelled() } else { Ok(path) }
}

/// Walks a path to its last name.
pub(super) fn place_of(call: &mut SystemCall<'_>, path: &str, last: LastLink) -> Result<Place, CallFailure> {
    if path.is_empty() {
        return Err(CallFailure::Errno(errno::ENOENT));
    }
    let names =
        |path: &str| path.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    let mut here = if path.starts_with('/') { String::new() } else { own_directory(call) };
    let (mut rest, mut links) = (VecDeque::from(names(path)), 0);
    while let Some(name) = rest.pop_front() {
        let folder = if here.is_empty() { "/" } else { &here };
        if !node_without_links(call, folder)?.is_directory() {
            return Err(CallFailure::Errno(errno::ENOTDIR));
        }
        if name.len() > LONGEST_NAME {
            return Err(CallFailure::Errno(errno::ENAMETOOLONG));
        }
        let next = match name.as_str() {
            "." => continue,
            ".." => here.rsplit_once('/').map_or("", |(parent, _)| parent).to_owned(),
            name => format!("{here}/{name}"),
        };
        let is_named = name != ".." && (!rest.is_empty() || last == LastLink::Followed);
        let Some(target) = link_at(call, &next).filter(|_| is_named) else {
            here = next;
            continue;
        };
        links += 1;
        if links > MOST_LINKS {
            return Err(CallFailure::Errno(errno::ELOOP));
        }
        if target.starts_with('/') {
            here = String::new();
        }
        for name in names(&target).into_iter().rev() {
            rest.push_front(name);
        }
    }
    let has_slash = path.ends_with('/');
    let path = if here.is_empty() { Arc::from("/") } else { Arc::from(here) };
    Ok(Place { path, has_slash })
}

/// The directory of the process, without a slash at its end.
fn own_directory(call: &SystemCall<'_>) -> String {
    call.linux.files.directory().to_string_lossy().trim_end_matches('/').to_owned()
}

/// The target of the symbolic link at a path without other links, if there is one. The process makes none.
pub(super) fn link_at(call: &SystemCall<'_>, path: &str) -> Option<String> {
    if call.process.overlay.at(path).is_some() {
        return None;
    }
    call.linux.files.link(path).map(|target| target.to_string_lossy().into_owned())
}

/// The file at a path, behind all links.
pub(super) fn node_at(call: &mut SystemCall<'_>, path: &str) -> Result<FileNode, CallFailure> {
    let place = place_of(call, path, LastLink::Followed)?;
    node_in(call, &place)
}

/// The file at a path that is itself no symbolic link: there is no model of them as files.
pub(super) fn own_node_at(call: &mut SystemCall<'_>, path: &str) -> Result<FileNode, CallFailure> {
    let place = place_of(call, path, LastLink::Itself)?;
    if link_at(call, &place.path).is_some() { call.unmodelled() } else { node_in(call, &place) }
}

/// The file in a place.
pub(super) fn node_in(call: &mut SystemCall<'_>, place: &Place) -> Result<FileNode, CallFailure> {
    let node = node_without_links(call, &place.path)?;
    if place.has_slash && !node.is_directory() {
        return Err(CallFailure::Errno(errno::ENOTDIR));
    }
    Ok(node)
}

/// The file at a path from the root on that has no links.
fn node_without_links(call: &mut SystemCall<'_>, path: &str) -> Result<FileNode, CallFailure> {
    match call.process.overlay.at(path) {
        Some(None) => return Err(CallFailure::Errno(errno::ENOENT)),
        Some(Some(number)) => {
            let attributes = call.process.overlay.attributes(number);
            return Ok(FileNode { path: path.into(), kind: NodeKind::Overlay(number), attributes });
        }
        None => {}
    }
    match call.linux.files.find(Path::new(path)) {
        Found::File(file) => Ok(file),
        Found::Nothing { made_up } => {
            call.caller.note(match made_up {
                true => "`/proc` and `/sys` were assumed not to be mounted",
                false => "files that are not on this machine were assumed not to appear",
            });
            Err(CallFailure::Errno(errno::ENOENT))
        }
        Found::Unmodelled => call.unmodelled(),
    }
}

/// Refuses an access that the permissions of a file do not allow: 4 to read, 2 to write, 1 to execute, or a sum of them.
pub(super) fn check_access(
    call: &mut SystemCall<'_>,
    node: &FileNode,
    wanted: u64,
) -> Result<(), CallFailure> {
    call.caller.note(PERMISSIONS);
    if node.attributes.allow(wanted) {
        return Ok(());
    }
    // The user of the process stands for the one that runs Everypath, whom they may not bind.
    if call.linux.files.runner_is_privileged() {
        return call.unmodelled();
    }
    Err(CallFailure::Errno(errno::EACCES))
}

//! The output folder of a suite: checked before the work begins, written file by file with atomic renames, and with a
//! manifest of the written files with the digest of each, so that no other file in it is ever changed or removed, and a
//! changed file is noticed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::FORMAT;
use crate::digest::sha256_hexadecimal;
use crate::suite::{SUMMARY, SuiteError, TESTS, problem};

/// The manifest: the list of the written files.
const MANIFEST: &str = "files.json";
/// The folder of certificates.
pub(crate) const CERTIFICATES: &str = "certificates";

/// A folder that is ready to be written to.
#[derive(Debug)]
pub struct OutputFolder {
    path: PathBuf,
    /// The files in it that an earlier run wrote, relative to it.
    ours: BTreeSet<String>,
    /// Whether it did not exist before.
    is_new: bool,
}

impl Drop for OutputFolder {
    /// Removes a folder that was created for a suite and is still empty.
    fn drop(&mut self) {
        if self.is_new {
            let _ = fs::remove_dir(&self.path);
        }
    }
}

/// A file to be written: its path relative to the folder, separated by `/`, and its contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputFile {
    /// The path.
    pub path: String,
    /// The contents.
    pub contents: Vec<u8>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    format: u32,
    files: ListedFiles,
}

/// The files of a manifest.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum ListedFiles {
    /// Each with the digest (SHA-256) of its contents.
    Digests(BTreeMap<String, String>),
    /// Their names alone, as earlier versions wrote them, and as they are while files are being replaced.
    Names(BTreeSet<String>),
}

impl ListedFiles {
    fn names(self) -> BTreeSet<String> {
        match self {
            ListedFiles::Digests(files) => files.into_keys().collect(),
            ListedFiles::Names(files) => files,
        }
    }
}

/// The files in the folder of a suite that differ from what Everypath wrote, each in words; `None` if that cannot be told,
/// because there is no manifest, or one without digests.
///
/// # Errors
/// If the manifest is damaged.
pub fn changed_files(folder: &Path) -> Result<Option<Vec<String>>, SuiteError> {
    let Some(Manifest { files: ListedFiles::Digests(files), .. }) = manifest(folder)? else {
        return Ok(None);
    };
    let mut changed = Vec::new();
    if !files.contains_key(SUMMARY) {
        changed.push(format!("{MANIFEST} does not list {SUMMARY}"));
    }
    for (path, recorded) in files.into_iter().filter(|(path, _)| is_inside(path)) {
        match fs::read(folder.join(&path)) {
            Ok(contents) if sha256_hexadecimal(&contents) == recorded => {}
            Ok(_) => changed.push(format!("{path} was changed after everypath wrote it")),
            Err(_) => changed.push(format!("{path}, which everypath wrote, cannot be read")),
        }
    }
    Ok(Some(changed))
}

impl OutputFolder {
    /// Creates the folder if it does not exist, and checks that it can be written to.
    ///
    /// # Errors
    /// If it cannot, or if a file of another program has a name that a suite uses.
    pub fn open(path: &Path) -> Result<OutputFolder, SuiteError> {
        let is_new = !path.exists();
        fs::create_dir_all(path).map_err(|error| problem(path, error))?;
        let folder = OutputFolder { path: path.to_owned(), ours: listed(path)?, is_new };
        if let Some(foreign) = folder.foreign() {
            return Err(problem(
                &path.join(foreign),
                "it was not written by everypath, and a suite has a file of this name; choose another folder with --output",
            ));
        }
        let stage = folder.stage()?;
        fs::remove_dir(&stage).map_err(|error| problem(&stage, error))?;
        Ok(folder)
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes these files, and removes others that an earlier run wrote. No reader ever sees half a file, and the last
    /// one is renamed after all others.
    ///
    /// # Errors
    /// If a file cannot be written, or somebody else wrote one of this name in the meantime.
    pub fn write(&mut self, files: &[OutputFile]) -> Result<(), SuiteError> {
        let stage = self.stage()?;
        let written = self.write_through(&stage, files);
        // The staging folder is removed whether or not writing succeeded.
        let _ = fs::remove_dir_all(&stage);
        written
    }

    fn write_through(&mut self, stage: &Path, files: &[OutputFile]) -> Result<(), SuiteError> {
        for (number, file) in files.iter().enumerate() {
            let staged = stage.join(number.to_string());
            fs::write(&staged, &file.contents).map_err(|error| problem(&staged, error))?;
        }
        let before = self.ours.clone();
        let new: BTreeSet<String> = files.iter().map(|file| file.path.clone()).collect();
        for path in new.difference(&before) {
            let path = self.path.join(path);
            if path.exists() {
                return Err(problem(&path, "somebody else wrote it in the meantime"));
            }
        }
        // The manifest always lists at least the files that exist.
        self.list(stage, ListedFiles::Names(before.union(&new).cloned().collect()))?;
        for (number, file) in files.iter().enumerate() {
            let to = self.path.join(&file.path);
            if let Some(parent) = to.parent() {
                fs::create_dir_all(parent).map_err(|error| problem(parent, error))?;
            }
            fs::rename(stage.join(number.to_string()), &to).map_err(|error| problem(&to, error))?;
        }
        for old in before.difference(&new) {
            let old = self.path.join(old);
            match fs::remove_file(&old) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(problem(&old, error)),
                _ => {}
            }
            // A subfolder is removed with its last file.
            if let Some(parent) = old.parent().filter(|parent| *parent != self.path) {
                let _ = fs::remove_dir(parent);
            }
        }
        let digests = files.iter().map(|file| (file.path.clone(), sha256_hexadecimal(&file.contents)));
        self.list(stage, ListedFiles::Digests(digests.collect()))
    }

    /// Writes the manifest.
    fn list(&mut self, stage: &Path, files: ListedFiles) -> Result<(), SuiteError> {
        let to = self.path.join(MANIFEST);
        let manifest = Manifest { format: FORMAT, files };
        let mut text = serde_json::to_string_pretty(&manifest).map_err(|error| problem(&to, error))?;
        text.push('\n');
        let fresh = stage.join(MANIFEST);
        fs::write(&fresh, text).map_err(|error| problem(&fresh, error))?;
        fs::rename(&fresh, &to).map_err(|error| problem(&to, error))?;
        self.ours = manifest.files.names();
        Ok(())
    }

    /// Creates a staging folder, in which files are written before they are renamed.
    fn stage(&self) -> Result<PathBuf, SuiteError> {
        for number in 0_u32.. {
            let stage = self.path.join(format!(".everypath-{}-{number}", std::process::id()));
            match fs::create_dir(&stage) {
                Ok(()) => return Ok(stage),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(problem(&self.path, format!("it cannot be written to: {error}"))),
            }
        }
        unreachable!("there are names enough")
    }

    /// A file of another program whose name a suite may use.
    fn foreign(&self) -> Option<String> {
        let mut names = vec![SUMMARY.to_owned()];
        for (folder, extension) in [(TESTS, "json"), (CERTIFICATES, "certificate")] {
            let entries = fs::read_dir(self.path.join(folder)).into_iter().flatten();
            for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let stem = path.file_stem().unwrap_or_default().to_string_lossy();
                let is_used = folder == CERTIFICATES || stem.bytes().all(|byte| byte.is_ascii_digit());
                if is_used && path.extension().is_some_and(|own| own == extension) {
                    names.push(format!("{folder}/{name}"));
                }
            }
        }
        names.sort_unstable();
        names.into_iter().find(|name| !self.ours.contains(name) && self.path.join(name).exists())
    }
}

/// The files that an earlier run wrote, by its manifest.
fn listed(folder: &Path) -> Result<BTreeSet<String>, SuiteError> {
    Ok(match manifest(folder)? {
        // Entries outside the folder are ignored.
        Some(manifest) => manifest.files.names().into_iter().filter(|path| is_inside(path)).collect(),
        None => before_lists(folder),
    })
}

/// The manifest of a folder; none if there is none.
fn manifest(folder: &Path) -> Result<Option<Manifest>, SuiteError> {
    let file = folder.join(MANIFEST);
    match fs::read_to_string(&file) {
        Ok(text) => serde_json::from_str(&text).map(Some).map_err(|_| {
            problem(&file, "it is no list of everypath's files; choose another folder with --output")
        }),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(problem(&file, error)),
    }
}

/// Whether a path of a manifest is one in its folder.
fn is_inside(path: &str) -> bool {
    Path::new(path).components().all(|part| matches!(part, std::path::Component::Normal(_)))
}

/// The field of a summary, of any format, that names the tests.
#[derive(Deserialize)]
struct TestNames {
    tests: Vec<String>,
}

/// The files of a suite that was written without a manifest, by an early version.
fn before_lists(folder: &Path) -> BTreeSet<String> {
    let summary = fs::read_to_string(folder.join(SUMMARY)).ok();
    let Some(names) = summary.and_then(|text| serde_json::from_str::<TestNames>(&text).ok()) else {
        return BTreeSet::new();
    };
    let tests = names.tests.iter().map(|name| format!("{TESTS}/{name}.json"));
    tests.chain([SUMMARY.to_owned()]).collect()
}

//! The workspace as the rules see it: its text files, its packages, and the settings of `tidy`.

use super::Settings;
use ignore::WalkBuilder;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// A snapshot of the workspace.
#[derive(Clone, Debug, Default)]
pub struct Project {
    /// Each file that version control does not ignore, by its path from the root; `None` for a file that is not text.
    pub files: BTreeMap<String, Option<String>>,
    /// The packages of the workspace.
    pub packages: Vec<Package>,
    /// The settings in `xtask/tidy-allow.toml`.
    pub settings: Settings,
}

/// A package of the workspace.
#[derive(Clone, Debug, Default)]
pub struct Package {
    /// Its published name.
    pub name: String,
    /// Its folder, from the root: `crates/ir`.
    pub folder: String,
    /// Its dependencies, internal and external.
    pub dependencies: Vec<Dependency>,
    /// Its version.
    pub version: String,
    /// Whether its manifest lets it be published.
    pub is_published: bool,
    /// The fields of its manifest that a reader of the registry sees: those that are there.
    pub fields: BTreeSet<String>,
}

/// A dependency of a package.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Dependency {
    /// Its published name.
    pub name: String,
    /// `dev` or `build`; nothing for a normal dependency.
    pub kind: Option<String>,
    /// The versions that fit, as cargo prints them: `^1.2`; `*` if the manifest names none.
    #[serde(rename = "req")]
    pub versions: String,
}

impl Project {
    /// Reads the workspace in this folder.
    pub fn read(root: &Path) -> Result<Self, String> {
        let files = files(root)?;
        let packages = packages(root)?;
        let settings = match files.get(Settings::FILE) {
            Some(Some(text)) => Settings::parse(text)?,
            _ => return Err(format!("{} is missing", Settings::FILE)),
        };
        Ok(Self { files, packages, settings })
    }

    /// The text files: path and text.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter_map(|(path, text)| Some((path.as_str(), text.as_deref()?)))
    }

    /// The Rust files: path and text.
    pub fn rust_files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts().filter(|(path, _)| path.ends_with(".rs"))
    }

    /// The text of one file.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path)?.as_deref()
    }

    /// The paths below a folder, from that folder on.
    pub fn below<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a str> {
        self.files.keys().filter_map(move |path| path.strip_prefix(folder)?.strip_prefix('/'))
    }
}

fn files(root: &Path) -> Result<BTreeMap<String, Option<String>>, String> {
    let mut files = BTreeMap::new();
    let walk = WalkBuilder::new(root)
        .hidden(false)
        // The rules of .gitignore also apply in an unpacked archive.
        .require_git(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    for entry in walk {
        let entry = entry.map_err(|error| error.to_string())?;
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            continue;
        }
        let path = entry.path();
        let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let name = path.strip_prefix(root).map_err(|error| error.to_string())?;
        let name = name.to_string_lossy().replace('\\', "/");
        files.insert(name, String::from_utf8(bytes).ok());
    }
    Ok(files)
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<MetadataPackage>,
    workspace_root: String,
}

#[derive(Deserialize)]
struct MetadataPackage {
    name: String,
    manifest_path: String,
    dependencies: Vec<Dependency>,
    version: String,
    /// The registries that it may go to; an empty list for `publish = false`.
    publish: Option<Vec<String>>,
    description: Option<String>,
    license: Option<String>,
    readme: Option<String>,
}

impl MetadataPackage {
    fn fields(&self) -> BTreeSet<String> {
        let fields =
            [("description", &self.description), ("license", &self.license), ("readme", &self.readme)];
        let given = fields.into_iter().filter(|(_, value)| value.is_some());
        given.map(|(name, _)| name.to_owned()).collect()
    }
}

fn packages(root: &Path) -> Result<Vec<Package>, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root)
        .output()
        .map_err(|error| format!("cargo metadata: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let metadata: Metadata =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))?;
    let folder = |manifest: &str| {
        let path = Path::new(manifest).strip_prefix(&metadata.workspace_root).ok()?.parent()?;
        Some(path.to_string_lossy().replace('\\', "/"))
    };
    let mut packages = Vec::new();
    for package in metadata.packages {
        let folder = folder(&package.manifest_path)
            .ok_or_else(|| format!("{} lies outside of the workspace", package.manifest_path))?;
        let (fields, is_published) = (package.fields(), package.publish != Some(Vec::new()));
        let MetadataPackage { name, dependencies, version, .. } = package;
        packages.push(Package { name, folder, dependencies, version, is_published, fields });
    }
    Ok(packages)
}

#[cfg(test)]
impl Project {
    /// A project of these text files.
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), Some((*text).to_owned())));
        Self { files: files.collect(), ..Self::default() }
    }

    /// The same with one more package; a dependency is a name, or a kind and a name.
    pub(crate) fn with_package(mut self, name: &str, folder: &str, dependencies: &[&str]) -> Self {
        let dependencies = dependencies.iter().map(|words| match words.split_once(' ') {
            Some((kind, name)) => {
                Dependency { name: name.to_owned(), kind: Some(kind.to_owned()), ..Dependency::default() }
            }
            None => Dependency { name: (*words).to_owned(), ..Dependency::default() },
        });
        self.packages.push(Package {
            name: name.to_owned(),
            folder: folder.to_owned(),
            dependencies: dependencies.collect(),
            ..Package::default()
        });
        self
    }

    /// The faults that a rule finds in this project, as text.
    pub(crate) fn faults(&self, rule: super::Rule) -> Vec<String> {
        rule(self).iter().map(ToString::to_string).collect()
    }
}

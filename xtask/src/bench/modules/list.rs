//! The schema of `tests/modules/list.toml`.

use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A module of a Debian source package, with the harness that calls it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ModuleEntry {
    /// Its name, which is that of the harness.
    pub(super) name: String,
    /// The source package.
    pub(super) package: String,
    /// The beginning of the name of the folder into which the package is unpacked.
    folder: String,
    /// The files to compile, in that folder.
    #[serde(default)]
    pub(super) sources: Vec<String>,
    /// The folders of headers, in that folder.
    pub(super) include: Vec<String>,
    /// Macros, as `NAME` or `NAME=VALUE`.
    #[serde(default)]
    pub(super) defines: Vec<String>,
    /// The folder in `tests/modules/config` with the files that the package's build would generate.
    pub(super) config: Option<String>,
}

/// A target of tests/guests/targets.toml with an optimisation level.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ModuleTarget {
    /// Its name.
    pub(super) name: String,
    /// The name in tests/guests/targets.toml.
    pub(super) guest: String,
    /// The optimisation level.
    pub(super) level: String,
}

/// The modules and targets of the scoreboard.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ModuleList {
    /// The targets.
    #[serde(rename = "target")]
    pub(super) targets: Vec<ModuleTarget>,
    /// The modules.
    #[serde(rename = "module")]
    pub(super) modules: Vec<ModuleEntry>,
}

impl ModuleList {
    /// Reads the list of the project at `root`.
    pub(super) fn read(root: &Path) -> Result<ModuleList, String> {
        let file = root.join("tests/modules/list.toml");
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        toml::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))
    }

    /// An error that names the choices, if a module or target is unknown.
    pub(super) fn check_names(&self, module: Option<&str>, target: Option<&str>) -> Result<(), String> {
        let modules: Vec<&str> = self.modules.iter().map(|module| module.name.as_str()).collect();
        let targets: Vec<&str> = self.targets.iter().map(|target| target.name.as_str()).collect();
        for (what, wanted, known) in [("module", module, modules), ("target", target, targets)] {
            if let Some(name) = wanted.filter(|name| !known.contains(name)) {
                return Err(format!("there is no {what} {name}; there are {}", known.join(", ")));
            }
        }
        Ok(())
    }
}

impl ModuleEntry {
    /// The folder of the unpacked package in `sources`; the last by name, if there are several versions.
    pub(super) fn folder(&self, sources: &Path) -> Result<PathBuf, String> {
        let entries =
            std::fs::read_dir(sources).map_err(|error| format!("{}: {error}", sources.display()))?;
        let is_it = |path: &PathBuf| {
            path.is_dir()
                && path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&self.folder))
        };
        let found = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_it).max();
        let found = found.ok_or_else(|| {
            format!(
                "{} has no {}*; run `apt-get source {}` there",
                sources.display(),
                self.folder,
                self.package
            )
        })?;
        found.canonicalize().map_err(|error| format!("{}: {error}", found.display()))
    }

    /// The compiler's arguments for the module in `folder`: macros, folders of headers, source files.
    pub(super) fn arguments(&self, root: &Path, folder: &Path, bytes: u32) -> Vec<String> {
        let own = root.join("tests/modules");
        let mut arguments = vec![format!("-DN={bytes}"), "-DNDEBUG".to_owned()];
        arguments.extend(self.defines.iter().map(|define| format!("-D{define}")));
        let config = self.config.iter().map(|config| own.join("config").join(config));
        let include = self.include.iter().map(|include| folder.join(include));
        let headers = [own.clone()].into_iter().chain(config).chain(include);
        arguments.extend(headers.map(|headers| format!("-I{}", headers.display())));
        arguments.extend(self.sources.iter().map(|source| folder.join(source).display().to_string()));
        // A module is a library: unused functions are dropped, and with them what they would need.
        arguments
            .extend(["-w", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"].map(str::to_owned));
        arguments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace")
    }

    #[test]
    fn every_module_has_a_harness_and_every_target_a_guest_target() {
        let list = ModuleList::read(root()).unwrap();
        let guests = everypath_testkit::guests::targets(root()).unwrap();
        for module in &list.modules {
            let own = root().join("tests/modules");
            assert!(own.join(format!("{}.c", module.name)).is_file(), "{}", module.name);
            assert!(module.config.as_ref().is_none_or(|config| own.join("config").join(config).is_dir()));
        }
        for target in &list.targets {
            assert!(guests.iter().any(|guest| guest.name == target.guest), "{}", target.name);
        }
    }

    #[test]
    fn a_missing_package_is_named_with_the_command_that_unpacks_it() {
        let list = ModuleList::read(root()).unwrap();
        let empty = tempfile::tempdir().unwrap();
        let error = list.modules[0].folder(empty.path()).unwrap_err();
        assert!(error.contains(&format!("`apt-get source {}`", list.modules[0].package)), "{error}");
    }
}

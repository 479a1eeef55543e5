//! A compiled guest, loaded with the configuration that declares its volatile cells.

use super::{Built, GuestTarget, build};
use everypath_environment::{Configuration, Guest};
use everypath_image::{Image, ReadOptions};
use everypath_lift::{Architecture, Library};
use std::path::Path;
use std::sync::Arc;

/// A guest with its configuration.
pub struct Subject {
    /// The guest.
    pub guest: Guest,
    /// Its configuration, from `everypath.toml`.
    pub configuration: Configuration,
}

impl Subject {
    /// Compiles a source file for a target at an optimisation level, and loads it. `more` is added to the
    /// configuration.
    ///
    /// # Errors
    /// If it cannot be compiled or loaded, or the configuration cannot be read.
    pub fn compile(source: &Path, target: &GuestTarget, level: &str, more: &str) -> Result<Subject, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        Subject::load(&build(source, target, level, folder.path())?, target, more)
    }

    /// Loads a guest compiled for a target. `more` is added to the configuration.
    ///
    /// # Errors
    /// If it cannot be loaded, or the configuration cannot be read.
    pub fn load(built: &Built, target: &GuestTarget, more: &str) -> Result<Subject, String> {
        let architecture = Library::built_in().load(&target.name).map_err(|error| error.to_string())?;
        Subject::with_architecture(built, architecture, more)
    }

    /// The same, for an architecture that is loaded already.
    ///
    /// # Errors
    /// If it cannot be loaded, or the configuration cannot be read.
    pub fn with_architecture(
        built: &Built,
        architecture: Arc<Architecture>,
        more: &str,
    ) -> Result<Subject, String> {
        let file = std::fs::read(&built.file).map_err(|error| error.to_string())?;
        let image = Image::read(file, &ReadOptions::default()).map_err(|error| error.to_string())?;
        let guest = Guest::new(architecture, image).map_err(|error| error.to_string())?;
        let configuration = Configuration::parse(&format!("{}{more}", built.configuration))?;
        Ok(Subject { guest, configuration })
    }
}

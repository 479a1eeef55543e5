//! Finds the source of a built-in architecture's specification: in its folder, or in the package, corrected.

use super::overlay::Overlay;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The package that carries Ghidra's specifications.
const PACKAGE: &str = "sleigh-config";

#[derive(Deserialize)]
struct Description {
    sleigh: Sleigh,
}

#[derive(Deserialize)]
struct Sleigh {
    package: Option<String>,
    source: Option<String>,
    overrides: Option<String>,
}

/// The specification to compile for an architecture; `None` if the package's compiled one is used unchanged.
pub(crate) fn source(folder: &Path, name: &str, output: &Path) -> Option<PathBuf> {
    let file = folder.join(format!("{name}.toml"));
    let text = fs::read_to_string(&file).expect("a description can be read");
    let description: Description =
        toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let Sleigh { package, source, overrides } = description.sleigh;
    match (package, source, overrides) {
        (None, Some(source), None) => Some(folder.join(source)),
        (Some(_), None, None) => None,
        (Some(package), None, Some(overrides)) => {
            let target = output.join(format!("{name}-source"));
            Some(corrected(&package, &folder.join(overrides), &target, output))
        }
        _ => panic!("{}: `sleigh` has a `source`, or a `package` and perhaps `overrides`", file.display()),
    }
}

/// Writes the package's specification with our overrides, and those of the files that they include, to a folder;
/// returns the file to compile.
fn corrected(package: &str, overrides: &Path, target: &Path, output: &Path) -> PathBuf {
    let (languages, stem) = languages_of(package, output);
    let folder = overrides.parent().expect("a file lies in a folder");
    let first = overrides.file_name().unwrap_or_default().to_string_lossy();
    let mut overlays: Vec<(String, Overlay)> = Vec::new();
    for name in included(folder, &first) {
        let text = fs::read_to_string(folder.join(&name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let overlay = Overlay::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        overlays.push((name, overlay));
    }
    let files = included(&languages, &format!("{stem}.slaspec"));
    let _ = fs::remove_dir_all(target);
    fs::create_dir_all(target).expect("a folder can be made in the output folder");
    for file in &files {
        let original = fs::read(languages.join(file)).expect("a specification can be read");
        let mut text = String::from_utf8_lossy(&original).into_owned();
        for (name, overlay) in &mut overlays {
            text = overlay.apply(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        fs::write(target.join(file), text).expect("a specification can be written");
    }
    for (name, overlay) in &overlays {
        overlay.finish().unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    target.join(format!("{stem}.slaspec"))
}

/// A specification's file and those that it includes, in reading order.
fn included(folder: &Path, first: &str) -> Vec<String> {
    let mut files = vec![first.to_owned()];
    let mut next = 0;
    while next < files.len() {
        let bytes = fs::read(folder.join(&files[next])).expect("an included file is there");
        for line in String::from_utf8_lossy(&bytes).lines() {
            let Some(rest) = line.trim().strip_prefix("@include") else { continue };
            let file = rest.split('"').nth(1).expect("an include names a file").to_owned();
            if !files.contains(&file) {
                files.push(file);
            }
        }
        next += 1;
    }
    files
}

/// The folder of the package's specification `processor_x::SLA_Y`, and the stem of its file.
fn languages_of(name: &str, output: &Path) -> (PathBuf, String) {
    let wanted = name.rsplit("::SLA_").next().unwrap_or(name);
    let processors = package_folder(output).join("ghidra/Ghidra/Processors");
    for processor in fs::read_dir(&processors).expect("the package has a folder of processors") {
        let languages = processor.expect("an entry").path().join("data/languages");
        let Ok(entries) = fs::read_dir(&languages) else { continue };
        for entry in entries {
            let path = entry.expect("an entry").path();
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let constant = stem.replace(['-', '.'], "_").to_uppercase();
            if constant == wanted && path.extension().is_some_and(|extension| extension == "slaspec") {
                return (languages, stem);
            }
        }
    }
    panic!("the package {PACKAGE} has no specification {name}");
}

/// The folder of the package's files on this machine, as cargo reports it.
///
/// Cargo is asked about a manifest with this one dependency, not about the one that is being built: that one may be in
/// another workspace, and its lock file may name packages that are not on this machine. The package itself is, since it
/// is a dependency of this crate, so that no network is needed.
fn package_folder(output: &Path) -> PathBuf {
    let variable = |name: &str| env::var_os(name).unwrap_or_else(|| panic!("cargo sets {name}"));
    let folder = output.join("locate-package");
    fs::create_dir_all(folder.join("src")).expect("a folder can be made in the output folder");
    fs::write(folder.join("src/lib.rs"), "").expect("a file can be written to the output folder");
    let manifest = folder.join("Cargo.toml");
    let version = required_version(&Path::new(&variable("CARGO_MANIFEST_DIR")).join("Cargo.toml"));
    let text = format!(
        "[package]\nname = \"locate-package\"\n\n[dependencies]\n\
         {PACKAGE} = {{ version = \"{version}\", default-features = false }}\n\n[workspace]\n"
    );
    fs::write(&manifest, text).expect("a file can be written to the output folder");
    let mut command = Command::new(variable("CARGO"));
    command.args(["metadata", "--format-version", "1", "--offline", "--filter-platform"]);
    command.arg(variable("TARGET")).arg("--manifest-path").arg(&manifest);
    let run = command.output().expect("cargo can be started");
    assert!(run.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&run.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&run.stdout).expect("cargo metadata is JSON");
    let packages = metadata["packages"].as_array().expect("the metadata lists packages");
    let package = packages.iter().find(|package| package["name"] == PACKAGE);
    let manifest = package.expect("the package is a dependency")["manifest_path"].as_str();
    let manifest = PathBuf::from(manifest.expect("a package has a manifest"));
    manifest.parent().expect("a file lies in a folder").to_owned()
}

/// The version of the package that a manifest requires.
fn required_version(manifest: &Path) -> String {
    let text = fs::read_to_string(manifest).expect("a crate has a manifest");
    let manifest: toml::Table = text.parse().expect("a manifest is TOML");
    let version = manifest["dependencies"][PACKAGE]["version"].as_str();
    version.expect("the dependency has a version").to_owned()
}

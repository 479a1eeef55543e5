//! Each published crate can be packaged: `cargo package` would find its metadata, its dependencies and its files.
//!
//! A package holds the files of the crate's folder only, and its dependencies come from a registry. So an internal
//! dependency needs a version. A development dependency without a version is left out of the package; one with a
//! version must not lead back to the crate, since neither could then be published first.

use super::{Dependency, Fault, Package, Project};
use std::collections::BTreeSet;

/// The fields that the manifest of each published crate has.
const FIELDS: [&str; 2] = ["description", "license"];

/// The crates that users depend on or install. The others are their stages.
const FOR_USERS: [&str; 2] = ["everypath", "everypath-cli"];

pub(super) fn check(project: &Project) -> Vec<Fault> {
    let mut faults = Vec::new();
    for package in project.packages.iter().filter(|package| package.is_published) {
        let manifest = format!("{}/Cargo.toml", package.folder);
        let messages = missing_fields(package)
            .chain(package.dependencies.iter().filter_map(|dependency| wrong(project, package, dependency)));
        faults.extend(messages.map(|message| Fault::new(&manifest, 1, message)));
        faults.extend(files_outside(project, package));
    }
    faults
}

fn missing_fields(package: &Package) -> impl Iterator<Item = String> {
    let readme = FOR_USERS.contains(&package.name.as_str()).then_some("readme");
    let missing = FIELDS.into_iter().chain(readme).filter(|field| !package.fields.contains(*field));
    missing.map(|field| format!("a published crate without `{field}`: add it, or `publish = false`"))
}

/// The fault of a dependency, if it is internal.
fn wrong(project: &Project, package: &Package, dependency: &Dependency) -> Option<String> {
    let name = &dependency.name;
    let other = project.packages.iter().find(|other| other.name == *name)?;
    let is_dev = dependency.kind.as_deref() == Some("dev");
    let wanted = format!("^{}", other.version);
    match dependency.versions.as_str() {
        "*" if is_dev => None,
        _ if !other.is_published => {
            Some(format!("`{name}` is not published: make it a dev-dependency without a version"))
        }
        versions if versions != wanted => Some(format!(
            "`{name}` is required as `{versions}`: a package needs `version = \"{}\"` beside the path",
            other.version
        )),
        _ if is_dev && reaches(project, name, &package.name) => {
            Some(format!("`{name}` uses this crate: as a dev-dependency it must have a path and no version"))
        }
        _ => None,
    }
}

/// Whether the package of a crate requires that of another, directly or not.
fn reaches(project: &Project, from: &str, to: &str) -> bool {
    let mut pending = vec![from];
    let mut seen = BTreeSet::new();
    while let Some(name) = pending.pop() {
        if name == to {
            return true;
        }
        if !seen.insert(name) {
            continue;
        }
        let package = project.packages.iter().find(|package| package.name == name);
        let dependencies = package.into_iter().flat_map(|package| &package.dependencies);
        let kept = dependencies.filter(|dependency| dependency.versions != "*");
        pending.extend(kept.map(|dependency| dependency.name.as_str()));
    }
    false
}

/// Files that the crate's build reads, and that are not in its folder. Tests may read such files: they run here only.
fn files_outside(project: &Project, package: &Package) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (path, text) in project.rust_files() {
        let Some(file) = path.strip_prefix(&package.folder).and_then(|rest| rest.strip_prefix('/')) else {
            continue;
        };
        let is_build_script = file == "build.rs" || file.starts_with("build/");
        if !is_build_script && !file.starts_with("src/") {
            continue;
        }
        for (number, line) in (1..).zip(text.lines()) {
            let included = ["include_str!(\"", "include_bytes!(\""].iter().find_map(|call| {
                let (_, rest) = line.split_once(call)?;
                rest.split('"').next()
            });
            // Of a script's other paths, those that begin with a step up are seen from the crate's folder.
            let leaves = included.is_some_and(|included| steps_up(included) > file.matches('/').count())
                || (is_build_script && line.contains("\"../"));
            if leaves {
                let message = "this file is not in the crate's folder, and so not in its package: \
                               move it there, or link it";
                faults.push(Fault::new(path, number, message));
            }
        }
    }
    faults
}

fn steps_up(path: &str) -> usize {
    path.split('/').take_while(|part| *part == "..").count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A crate that can be published, with dependencies of the form `kind name versions`.
    fn package(name: &str, dependencies: &[&str]) -> Package {
        let dependency = |text: &&str| {
            let words: Vec<&str> = text.split(' ').collect();
            let kind = (words[0] != "normal").then(|| words[0].to_owned());
            Dependency { name: words[1].to_owned(), kind, versions: words[2].to_owned() }
        };
        Package {
            name: name.to_owned(),
            folder: format!("crates/{name}"),
            dependencies: dependencies.iter().map(dependency).collect(),
            version: "0.1.0".to_owned(),
            is_published: true,
            fields: ["description", "license"].map(str::to_owned).into(),
        }
    }

    fn project(packages: Vec<Package>) -> Project {
        Project { packages, ..Project::default() }
    }

    #[test]
    fn a_crate_that_can_be_packaged_is_fine() {
        let first = package("a", &["normal serde ^1", "dev b *", "dev kit *"]);
        let second = package("b", &["normal a ^0.1.0", "build a ^0.1.0"]);
        let kit = Package { is_published: false, ..package("kit", &["normal a *"]) };
        assert_eq!(project(vec![first, second, kit]).faults(check), [""; 0]);
    }

    #[test]
    fn missing_fields_are_named() {
        let bare = Package { fields: BTreeSet::new(), ..package("a", &[]) };
        let faults = project(vec![bare.clone()]).faults(check);
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(faults[0].starts_with("crates/a/Cargo.toml:1: a published crate without `description`"));
        let unpublished = Package { is_published: false, ..bare };
        assert_eq!(project(vec![unpublished]).faults(check), [""; 0]);
        let library = project(vec![package("everypath", &[])]).faults(check);
        assert!(library.len() == 1 && library[0].contains("without `readme`"), "{library:?}");
    }

    #[test]
    fn internal_dependencies_have_the_version() {
        for (dependency, message) in [
            ("normal b *", "`b` is required as `*`: a package needs `version = \"0.1.0\"`"),
            ("normal b ^0.0.9", "`b` is required as `^0.0.9`"),
            ("normal kit ^0.1.0", "`kit` is not published"),
            ("dev kit ^0.1.0", "`kit` is not published"),
            ("dev c ^0.1.0", "`c` uses this crate"),
        ] {
            let kit = Package { is_published: false, ..package("kit", &[]) };
            let others = [package("b", &["normal a ^0.1.0"]), package("c", &["normal b ^0.1.0"]), kit];
            let packages = [package("a", &[dependency])].into_iter().chain(others);
            let faults = project(packages.collect()).faults(check);
            assert!(faults.len() == 1 && faults[0].contains(message), "{dependency}: {faults:?}");
        }
    }

    #[test]
    fn files_outside_of_the_crate_are_named() {
        let files = [
            ("crates/a/src/deep/in.rs", "const A: &str = include_str!(\"../../data.txt\");\n"),
            ("crates/a/src/out.rs", "\nconst A: &[u8] = include_bytes!(\"../../data.txt\");\n"),
            ("crates/a/build/main.rs", "manifest.join(\"../../architectures\")\n"),
            ("crates/a/tests/out.rs", "const A: &str = include_str!(\"../../../data.txt\");\n"),
        ];
        let mut project = Project::of(&files);
        project.packages.push(package("a", &[]));
        let faults = project.faults(check);
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(faults[0].starts_with("crates/a/build/main.rs:1: this file is not in"), "{faults:?}");
        assert!(faults[1].starts_with("crates/a/src/out.rs:2: this file is not in"), "{faults:?}");
    }
}

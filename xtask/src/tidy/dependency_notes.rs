//! Each external dependency has a line that states its purpose.

use super::{Fault, Project, markdown};
use std::collections::BTreeSet;
use toml::{Table, Value};

const NOTES: &str = "docs/why/dependencies.md";

pub(super) fn check(project: &Project) -> Vec<Fault> {
    let mut faults = Vec::new();
    let notes = project.text(NOTES).unwrap_or_default();
    let mut seen = BTreeSet::new();
    let is_manifest = |path: &str| path == "Cargo.toml" || path.ends_with("/Cargo.toml");
    for (path, text) in project.texts().filter(|(path, _)| is_manifest(path)) {
        let manifest: Table = match text.parse() {
            Ok(manifest) => manifest,
            Err(error) => {
                faults.push(Fault::new(path, 1, format!("this is not TOML: {}", error.message())));
                continue;
            }
        };
        for (key, name) in external(&manifest) {
            if !markdown::names(notes, &name) && seen.insert(name.clone()) {
                let message =
                    format!("`{name}` has no line in {NOTES}: say what it does and what was passed over");
                faults.push(Fault::new(path, line_of(text, &key), message));
            }
        }
    }
    faults
}

/// Key and published name of each dependency that is neither a path nor taken from the workspace's list.
fn external(table: &Table) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (key, value) in table {
        let Value::Table(inner) = value else { continue };
        match key.as_str() {
            "dependencies" | "dev-dependencies" | "build-dependencies" => {
                found.extend(
                    inner.iter().filter_map(|(key, value)| Some((key.clone(), published(key, value)?))),
                );
            }
            // [workspace.dependencies] and [target.'...'.dependencies]
            "workspace" | "target" => found.extend(external(inner)),
            _ if key.starts_with("cfg(") || inner.keys().any(|key| key.ends_with("dependencies")) => {
                found.extend(external(inner));
            }
            _ => {}
        }
    }
    found
}

fn published(key: &str, value: &Value) -> Option<String> {
    let Value::Table(options) = value else { return Some(key.to_owned()) };
    if options.contains_key("path") || options.contains_key("workspace") {
        return None;
    }
    Some(options.get("package").and_then(Value::as_str).unwrap_or(key).to_owned())
}

fn line_of(text: &str, key: &str) -> usize {
    let begins = |line: &str| {
        let rest = line.trim_start().trim_start_matches('"').strip_prefix(key);
        rest.is_some_and(|rest| rest.starts_with([' ', '=', '.', '"']))
    };
    let heading = format!("dependencies.{key}]");
    text.lines().position(|line| begins(line) || line.contains(&heading)).map_or(1, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "\
[package]
name = \"a\"
version.workspace = true

[dependencies]
everypath-ir.workspace = true
beside = { path = \"../beside\" }
plain = \"1\"

[dev-dependencies.tabled]
version = \"1\"

[target.'cfg(unix)'.build-dependencies]
renamed = { package = \"real\", version = \"1\" }
";

    #[test]
    fn each_dependency_of_others_needs_a_line() {
        let notes = "| `plain` | does it |\nreal tabled\n";
        let workspace = "[workspace.dependencies]\nshared = \"1\"\neverypath-ir = { path = \"crates/ir\" }\n";
        let project =
            Project::of(&[("Cargo.toml", workspace), ("crates/a/Cargo.toml", MANIFEST), (NOTES, notes)]);
        let faults = project.faults(check);
        let expected = [
            "Cargo.toml:2: `shared` ",
            "crates/a/Cargo.toml:10: `tabled` ",
            "crates/a/Cargo.toml:14: `real` ",
        ];
        assert_eq!(faults.len(), expected.len(), "{faults:?}");
        for (fault, expected) in faults.iter().zip(expected) {
            assert!(fault.starts_with(expected), "{fault}");
        }
    }
}

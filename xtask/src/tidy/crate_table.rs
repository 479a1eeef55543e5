//! The crates use each other as the table in `ARCHITECTURE.md` allows.
//!
//! The table is `| crate | one sentence | may use |`, with the crate's name in backticks. The last column is `-`,
//! `all`, `all above`, `all above but` and names, or names. A crate may be in the table before it is on disk, but not
//! vice versa.

use super::{Dependency, Fault, Package, Project, markdown};
use std::collections::{BTreeMap, BTreeSet};

const FILE: &str = "ARCHITECTURE.md";

/// Published names have this in front of the folder's name.
const PREFIX: &str = "everypath-";

/// The entry point for library users: its folder and its published name are that of the project.
const LIBRARY: &str = "everypath";

/// Crates named in a sentence under the table: one is for tests, the other is not part of the product.
const TESTKIT: &str = "testkit";
const XTASK: &str = "xtask";

pub(super) fn check(project: &Project) -> Vec<Fault> {
    let Some(text) = project.text(FILE) else {
        return vec![Fault::new(FILE, 1, "the table of crates is missing: write it")];
    };
    let mut faults = Vec::new();
    let table = Table::read(text, &mut faults);
    for package in &project.packages {
        let manifest = format!("{}/Cargo.toml", package.folder);
        let name = package.folder.rsplit('/').next().unwrap_or_default();
        let mut fault = |message: String| faults.push(Fault::new(&manifest, 1, message));
        let published = if name == LIBRARY { LIBRARY.to_owned() } else { format!("{PREFIX}{name}") };
        if name != XTASK && package.name != published {
            fault(format!("`{}` is not called after its folder: name it `{published}`", package.name));
        }
        if ![TESTKIT, XTASK].contains(&name) && !table.allowed.contains_key(name) {
            fault(format!("`{name}` is not in the table of {FILE}: add it with what it may use"));
            continue;
        }
        let text = project.text(&manifest).unwrap_or_default();
        faults.extend(check_package(&table, &project.packages, package, name, text));
    }
    faults
}

fn check_package(
    table: &Table,
    packages: &[Package],
    package: &Package,
    name: &str,
    manifest: &str,
) -> Vec<Fault> {
    let mut faults = Vec::new();
    let is_ours = |dependency: &&Dependency| packages.iter().any(|other| other.name == dependency.name);
    for dependency in package.dependencies.iter().filter(is_ours) {
        let used = dependency.name.strip_prefix(PREFIX).unwrap_or(&dependency.name);
        let message = match dependency.kind.as_deref() {
            Some("dev") => continue,
            _ if name == XTASK => continue,
            _ if used == TESTKIT => format!("`{TESTKIT}` is for tests: make it a dev-dependency of `{name}`"),
            _ if name == TESTKIT => continue,
            _ if table.allowed[name].contains(used) => continue,
            _ => format!("`{name}` may not use `{used}`: see the table in {FILE}"),
        };
        let names_it = |line: &str| line.trim_start().starts_with(&dependency.name);
        let line = manifest.lines().position(names_it).map_or(1, |index| index + 1);
        faults.push(Fault::new(&format!("{}/Cargo.toml", package.folder), line, message));
    }
    faults
}

/// The allowed dependencies of each crate of the table.
struct Table {
    allowed: BTreeMap<String, BTreeSet<String>>,
}

impl Table {
    fn read(text: &str, faults: &mut Vec<Fault>) -> Self {
        let rows: Vec<(usize, String, String)> = (1..)
            .zip(text.lines())
            .skip_while(|(_, line)| !is_heading(line))
            .skip(2)
            .map_while(|(line, text)| row(text).map(|(name, uses)| (line, name, uses)))
            .collect();
        if rows.is_empty() {
            faults.push(Fault::new(
                FILE,
                1,
                "no table `| crate | one sentence | may use |` was found: write it",
            ));
        }
        let all: Vec<&str> = rows.iter().map(|(_, name, _)| name.as_str()).collect();
        let mut allowed = BTreeMap::new();
        for (index, (line, name, uses)) in rows.iter().enumerate() {
            let (set, unknown) = uses_of(uses, &all, &all[..index]);
            for word in unknown {
                faults.push(Fault::new(
                    FILE,
                    *line,
                    format!("`{word}` in the last column is no crate of the table"),
                ));
            }
            if allowed.insert(name.clone(), set).is_some() {
                faults.push(Fault::new(FILE, *line, format!("`{name}` is in the table twice: remove one")));
            }
        }
        Self { allowed }
    }
}

fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    Some(inner.split('|').map(str::trim).collect())
}

fn is_heading(line: &str) -> bool {
    cells(line).is_some_and(|cells| matches!(cells[..], ["crate", _, "may use"]))
}

fn row(line: &str) -> Option<(String, String)> {
    let cells = cells(line)?;
    let [name, _, uses] = cells[..] else { return None };
    Some((markdown::quoted(name).next()?.to_owned(), uses.to_owned()))
}

/// The crates that a last column allows, and the words in it that name no crate.
fn uses_of(cell: &str, all: &[&str], above: &[&str]) -> (BTreeSet<String>, Vec<String>) {
    let cell = cell.replace(['`', ','], " ");
    let words: Vec<&str> = cell.split_whitespace().collect();
    let (chosen, named, excluded) = match words[..] {
        ["-"] => (&[][..], &[][..], &[][..]),
        ["all"] => (all, &[][..], &[][..]),
        ["all", "above"] => (above, &[][..], &[][..]),
        ["all", "above", "but", ..] => (above, &[][..], &words[3..]),
        _ => (&[][..], &words[..], &[][..]),
    };
    let unknown = named.iter().chain(excluded).filter(|word| !all.contains(word));
    let unknown = unknown.map(|word| (*word).to_owned()).collect();
    let allowed = chosen.iter().chain(named).filter(|word| !excluded.contains(word));
    (allowed.map(|word| (*word).to_owned()).collect(), unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
# Crates

| crate | one sentence | may use |
|---|---|---|
| `ir` | Meaning. | - |
| `image` | Files. | ir |
| `term` | Terms. | `ir`, `image` |
| `campaign` | Runs. | all above but term |
| `later` | Not yet on disk. | all above |
| `cli` | Command. | all |

Plus `testkit` (tests only) and `xtask`.
";

    /// The faults of a package in a folder of its own name.
    fn faults(name: &str, dependencies: &[&str]) -> Vec<String> {
        let mut project = Project::of(&[(FILE, TABLE)]);
        for other in ["ir", "image", "term", "campaign", "cli", "testkit"] {
            if other != name {
                project =
                    project.with_package(&format!("everypath-{other}"), &format!("crates/{other}"), &[]);
            }
        }
        let folder = if name == XTASK { name.to_owned() } else { format!("crates/{name}") };
        let published = if name == XTASK { name.to_owned() } else { format!("everypath-{name}") };
        project.with_package(&published, &folder, dependencies).faults(check)
    }

    #[test]
    fn what_the_table_allows_is_fine() {
        let (ir, image, term) = ("everypath-ir", "everypath-image", "everypath-term");
        assert_eq!(faults("image", &[ir, "serde"]), [""; 0]);
        assert_eq!(faults("term", &[ir, image]), [""; 0]);
        assert_eq!(faults("campaign", &[ir, image]), [""; 0]);
        assert_eq!(faults("cli", &[ir, image, term, "everypath-campaign"]), [""; 0]);
        assert_eq!(faults("ir", &["dev everypath-testkit"]), [""; 0]);
        assert_eq!(faults("xtask", &[ir, "everypath-testkit"]), [""; 0]);
        assert_eq!(faults("testkit", &[ir]), [""; 0]);
    }

    #[test]
    fn what_it_does_not_allow_is_named() {
        let cases = [
            ("ir", "everypath-image", "crates/ir/Cargo.toml:1: `ir` may not use `image`"),
            ("image", "everypath-term", "crates/image/Cargo.toml:1: `image` may not use `term`"),
            ("image", "build everypath-term", "crates/image/Cargo.toml:1: `image` may not use `term`"),
            ("campaign", "everypath-term", "crates/campaign/Cargo.toml:1: `campaign` may not use `term`"),
            ("cli", "everypath-testkit", "crates/cli/Cargo.toml:1: `testkit` is for tests"),
            ("extra", "serde", "crates/extra/Cargo.toml:1: `extra` is not in the table"),
        ];
        for (name, dependency, message) in cases {
            let faults = faults(name, &[dependency]);
            assert_eq!(faults.len(), 1, "{faults:?}");
            assert!(faults[0].starts_with(message), "{faults:?}");
        }
    }

    #[test]
    fn the_line_of_the_dependency_is_named() {
        let manifest = "[package]\n[dependencies]\neverypath-image.workspace = true\n";
        let project = Project::of(&[(FILE, TABLE), ("crates/ir/Cargo.toml", manifest)])
            .with_package("everypath-image", "crates/image", &[])
            .with_package("everypath-ir", "crates/ir", &["everypath-image"]);
        assert_eq!(check(&project)[0].line, 3);
    }

    #[test]
    fn a_broken_table_is_reported() {
        let cases = [
            (TABLE.replace("may use", "uses"), "ARCHITECTURE.md:1: no table"),
            (TABLE.replace("but term", "but terms"), "ARCHITECTURE.md:8: `terms` in the last column"),
            (TABLE.replace("`later`", "`ir`"), "ARCHITECTURE.md:9: `ir` is in the table twice"),
        ];
        for (text, message) in cases {
            let faults = Project::of(&[(FILE, &text)]).faults(check);
            assert!(faults.len() == 1 && faults[0].starts_with(message), "{faults:?}");
        }
        assert!(
            Project::of(&[]).faults(check)[0]
                .starts_with("ARCHITECTURE.md:1: the table of crates is missing")
        );
    }

    #[test]
    fn packages_are_called_after_their_folders() {
        let project = Project::of(&[(FILE, TABLE)]).with_package("intermediate", "crates/ir", &[]);
        assert!(project.faults(check)[0].contains("name it `everypath-ir`"));
    }

    #[test]
    fn the_library_is_called_after_the_project() {
        let table = TABLE.replace("| `cli`", "| `everypath` | Library. | all above |\n| `cli`");
        let project = |name| Project::of(&[(FILE, &table)]).with_package(name, "crates/everypath", &[]);
        assert_eq!(project("everypath").faults(check), [""; 0]);
        assert!(project("everypath-everypath").faults(check)[0].contains("name it `everypath`"));
    }
}

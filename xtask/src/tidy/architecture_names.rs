//! Architectures are data: no code outside of `architectures/` knows one by name.
//!
//! The names are the folders there and the `aliases` in their TOML files. They are searched in identifiers
//! and literals, word by word, where `_` and `-` are the same and case does not matter.

use super::rust_code::Code;
use super::{Fault, Project, Settings};
use std::collections::BTreeSet;

pub(super) fn check(project: &Project) -> Vec<Fault> {
    let mut faults = Vec::new();
    let names = names(project, &mut faults);
    let mut used = BTreeSet::new();
    for (path, text) in project.rust_files().filter(|(path, _)| is_searched(path)) {
        let code = match Code::without_tests(text) {
            Ok(code) => code,
            Err(message) => {
                faults.push(Fault::new(path, 1, message));
                continue;
            }
        };
        // A literal may span several lines.
        let lines = code.pieces.iter().flat_map(|piece| (piece.line..).zip(piece.text.lines()));
        for (line, text) in lines {
            for name in names.iter().filter(|name| contains_word(&normal(text), name)) {
                if is_allowed(project, path, name) {
                    used.insert((path, name.as_str()));
                } else {
                    let message = format!(
                        "`{name}` is an architecture: move what is specific to it into \
                         architectures/, or add the file with a reason to {}",
                        Settings::FILE
                    );
                    faults.push(Fault::new(path, line, message));
                }
            }
        }
    }
    faults.extend(unused_allowances(project, &used));
    faults
}

fn names(project: &Project, faults: &mut Vec<Fault>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for path in project.below("architectures") {
        let Some((folder, file)) = path.split_once('/') else { continue };
        names.insert(normal(folder));
        if file != format!("{folder}.toml") {
            continue;
        }
        let path = format!("architectures/{path}");
        let table = project.text(&path).unwrap_or_default().parse::<toml::Table>();
        match table {
            Ok(table) => {
                let aliases = table.get("aliases").and_then(toml::Value::as_array);
                names.extend(aliases.into_iter().flatten().filter_map(toml::Value::as_str).map(normal));
            }
            Err(error) => faults.push(Fault::new(&path, 1, format!("this is not TOML: {}", error.message()))),
        }
    }
    names
}

/// The sources of crates and tasks, without modules that hold tests only.
fn is_searched(path: &str) -> bool {
    let parts: Vec<_> = path.split('/').collect();
    let inside = match parts[..] {
        ["crates", _, "src", ..] => &parts[3..],
        ["xtask", "src", ..] => &parts[2..],
        _ => return false,
    };
    !inside.iter().any(|part| *part == "tests" || *part == "tests.rs")
}

fn is_allowed(project: &Project, path: &str, name: &str) -> bool {
    let mut allowances = project.settings.architecture_names.iter();
    allowances.any(|allowance| {
        allowance.file == path && allowance.names.iter().any(|allowed| normal(allowed) == name)
    })
}

fn unused_allowances(project: &Project, used: &BTreeSet<(&str, &str)>) -> Vec<Fault> {
    let mut faults = Vec::new();
    for allowance in &project.settings.architecture_names {
        for name in &allowance.names {
            if !used.contains(&(allowance.file.as_str(), normal(name).as_str())) {
                let message = format!("`{}` does not name `{name}`: remove the exception", allowance.file);
                faults.push(Fault::new(Settings::FILE, 1, message));
            }
        }
    }
    faults
}

fn normal(text: &str) -> String {
    text.to_lowercase().replace('_', "-")
}

/// Whether a text contains this name with no letter or digit on either side.
fn contains_word(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(position, _)| {
        let before = text[..position].chars().next_back();
        let after = text[position + name.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::super::NameAllowance;
    use super::*;

    const FOLDERS: [(&str, &str); 2] = [
        ("architectures/quux-64/quux-64.toml", "aliases = ['qx64']\n"),
        ("architectures/4711/4711.slaspec", "define endian=big;\n"),
    ];

    fn project(path: &str, text: &str) -> Project {
        Project::of(&[FOLDERS[0], FOLDERS[1], (path, text)])
    }

    #[test]
    fn names_and_aliases_are_found_in_code() {
        let cases = [
            ("fn quux_64_flags() {}", "quux-64"),
            ("const NAME: &str = \"my QX64 board\";", "qx64"),
            ("const PORT: u16 = 4711;", "4711"),
        ];
        let faults =
            project("crates/a/src/b.rs", "const HELP: &str = \"\n\nfor the 4711\n\";\n").faults(check);
        assert!(faults[0].starts_with("crates/a/src/b.rs:3: "), "{faults:?}");
        for (code, name) in cases {
            let faults = project("crates/a/src/b.rs", &format!("//! B.\n{code}\n")).faults(check);
            assert_eq!(faults.len(), 1, "{code}: {faults:?}");
            let place = format!("crates/a/src/b.rs:2: `{name}` is an architecture");
            assert!(faults[0].starts_with(&place), "{faults:?}");
        }
    }

    #[test]
    fn comments_tests_and_parts_of_words_do_not_count() {
        let code = "//! For the 4711.\n// quux-64\nconst X: u32 = 47110;\n\
                    #[cfg(test)]\nmod tests { const NAME: &str = \"quux-64\"; }\n";
        assert_eq!(project("crates/a/src/b.rs", code).faults(check), [""; 0]);
        for path in ["crates/a/src/b/tests.rs", "crates/a/tests/b.rs", "crates/a/build.rs"] {
            assert_eq!(project(path, "const X: u32 = 4711;").faults(check), [""; 0], "{path}");
        }
        assert_eq!(project("xtask/src/main.rs", "const X: u32 = 4711;").faults(check).len(), 1);
    }

    #[test]
    fn an_exception_holds_for_its_file_and_name_and_must_be_needed() {
        let mut project = project("crates/a/src/b.rs", "const X: u32 = 4711;");
        let allowance = |name: &str| NameAllowance {
            file: "crates/a/src/b.rs".to_owned(),
            names: vec![name.to_owned()],
            reason: "a number".to_owned(),
        };
        project.settings.architecture_names = vec![allowance("4711")];
        assert_eq!(project.faults(check), [""; 0]);
        project.settings.architecture_names = vec![allowance("QX64")];
        let faults = project.faults(check);
        assert!(faults[0].contains("`4711` is an architecture"), "{faults:?}");
        assert!(faults[1].contains("does not name `QX64`: remove the exception"), "{faults:?}");
    }

    #[test]
    fn a_broken_description_is_reported() {
        let project = Project::of(&[("architectures/q/q.toml", "aliases = [\n")]);
        assert!(project.faults(check)[0].starts_with("architectures/q/q.toml:1: this is not TOML"));
    }
}

//! One name, one type: no public type name is defined in two crates.
//!
//! A type that two crates need is one type, and the second crate re-exports it; two different things get two names.

use super::rust_code::Code;
use super::{Fault, Project};
use std::collections::BTreeMap;

const KINDS: &[&str] = &["struct", "enum", "trait", "type", "union"];

pub(super) fn check(project: &Project) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut first: BTreeMap<String, (String, String)> = BTreeMap::new();
    for (path, text) in project.rust_files() {
        let Some((of, _)) = path.strip_prefix("crates/").and_then(|path| path.split_once("/src/")) else {
            continue;
        };
        let code = match Code::without_tests(text) {
            Ok(code) => code,
            Err(message) => {
                faults.push(Fault::new(path, 1, message));
                continue;
            }
        };
        for window in code.pieces.windows(3) {
            let [visibility, kind, name] = window else { continue };
            if visibility.text != "pub" || !KINDS.contains(&kind.text.as_str()) {
                continue;
            }
            let (crate_of_first, file_of_first) =
                first.entry(name.text.clone()).or_insert_with(|| (of.to_owned(), path.to_owned()));
            if crate_of_first != of {
                let message = format!(
                    "`{}` is also a public type in {file_of_first}: re-export that one, or rename one of the two",
                    name.text
                );
                faults.push(Fault::new(path, name.line, message));
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_names_of_two_crates_collide() {
        let project = Project::of(&[
            ("crates/a/src/lib.rs", "//! A.\npub struct Place;\npub(crate) enum Step {}\n"),
            ("crates/a/src/more.rs", "//! M.\npub mod inner {\n    pub struct Place;\n}\n"),
            ("crates/b/src/lib.rs", "//! B.\npub enum Step {}\nstruct Place;\n"),
            ("crates/c/src/lib.rs", "//! C.\n\npub type Place = u8;\n#[cfg(test)]\npub struct Step;\n"),
            ("crates/c/tests/d.rs", "//! D.\npub struct Place;\n"),
        ]);
        let found: Vec<_> = check(&project).into_iter().map(|fault| (fault.file, fault.line)).collect();
        assert_eq!(found, [("crates/c/src/lib.rs".to_owned(), 3)]);
    }
}

//! No file, folder or module has a meaningless name.

use super::rust_code::{Code, Piece};
use super::{Fault, Project};

const FORBIDDEN: &[&str] = &["utils", "common", "helpers", "manager"];

pub(super) fn check(project: &Project) -> Vec<Fault> {
    let mut faults = Vec::new();
    for path in project.files.keys() {
        let stem = |part: &str| part.split('.').next().unwrap_or_default().to_owned();
        if let Some(name) = path.split('/').map(stem).find(|name| FORBIDDEN.contains(&name.as_str())) {
            faults.push(Fault::new(path, 1, format!("`{name}` says nothing: name it after what it does")));
        }
    }
    for (path, text) in project.rust_files() {
        // Files that are not Rust are reported by `architecture_names`, and by the compiler.
        let Ok(code) = Code::with_tests(text) else { continue };
        for pair in code.pieces.windows(2) {
            let [Piece { text: keyword, .. }, Piece { text: name, line }] = pair else { continue };
            if keyword == "mod" && FORBIDDEN.contains(&name.as_str()) {
                let message = format!("module `{name}` says nothing: name it after what it does");
                faults.push(Fault::new(path, *line, message));
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_folders_and_modules_are_checked() {
        let project = Project::of(&[
            ("crates/a/src/utils.rs", "//! x\n"),
            ("crates/a/tests/common/mod.rs", "//! x\n"),
            ("crates/a/src/state_manager.rs", "//! A full name.\n"),
            ("crates/a/src/b.rs", "//! mod helpers\n\npub mod helpers { fn common() {} }\n"),
            ("docs/manager.md", "text"),
        ]);
        let expected = [
            "crates/a/src/utils.rs:1: `utils` says nothing: name it after what it does",
            "crates/a/tests/common/mod.rs:1: `common` says nothing: name it after what it does",
            "docs/manager.md:1: `manager` says nothing: name it after what it does",
            "crates/a/src/b.rs:3: module `helpers` says nothing: name it after what it does",
        ];
        assert_eq!(project.faults(check), expected);
    }
}

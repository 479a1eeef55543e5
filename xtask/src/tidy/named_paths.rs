//! Each path that `ARCHITECTURE.md` names exists.
//!
//! A path is a word in backticks with a slash. It may leave out leading folders (`op/float.rs`); one with a placeholder
//! (`<name>`) or a pattern is not checked.

use super::{Fault, Project, markdown};

const FILE: &str = "ARCHITECTURE.md";

pub(super) fn check(project: &Project) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (number, line) in project.text(FILE).unwrap_or_default().lines().enumerate() {
        for path in markdown::quoted(line).filter(|quoted| is_path(quoted)) {
            if !exists(project, path) {
                let message = format!("there is no `{path}`: name the file or folder that took its place");
                faults.push(Fault::new(FILE, number + 1, message));
            }
        }
    }
    faults
}

fn is_path(quoted: &str) -> bool {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "/._-".contains(character);
    quoted.contains('/') && quoted.chars().all(is_plain)
}

fn exists(project: &Project, path: &str) -> bool {
    let path = format!("/{}/", path.trim_matches('/'));
    project.files.keys().any(|file| format!("/{file}/").contains(&path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_folders_and_tails_of_paths_are_found() {
        let text = "`crates/a/src/op/`, `op/float.rs`, `a/src`, `crates/<name>/src`\n`op/flo` and `x -> y/z`\n`b/gone.rs`\n";
        let project = Project::of(&[(FILE, text), ("crates/a/src/op/float.rs", "//! F.\n")]);
        let found: Vec<_> = check(&project).into_iter().map(|fault| fault.line).collect();
        assert_eq!(found, [2, 3]);
    }
}

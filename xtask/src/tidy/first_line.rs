//! Each Rust file begins with a `//!` sentence that says what it is.

use super::{Fault, Project};

pub(super) fn check(project: &Project) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (path, text) in project.rust_files() {
        let sentence = text.lines().next().and_then(|line| line.strip_prefix("//!"));
        if sentence.is_none_or(|sentence| sentence.trim().is_empty()) {
            faults.push(Fault::new(path, 1, "begin the file with a `//!` sentence that says what it is"));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_sentence_in_the_first_line_will_do() {
        let project = Project::of(&[
            ("crates/a/build.rs", "//! Builds.\n"),
            ("crates/a/src/b.rs", "\n//! Late.\n"),
            ("crates/a/src/c.rs", "//!\n//! Late.\n"),
            ("crates/a/src/d.rs", "// Not a doc comment.\n"),
            ("crates/a/src/e.rs", ""),
            ("crates/a/notes.md", "no Rust"),
            ("fuzz/fuzz_targets/f.rs", "use a;\n"),
        ]);
        let files: Vec<_> = check(&project).into_iter().map(|fault| (fault.file, fault.line)).collect();
        let at = |path: &str| (path.to_owned(), 1);
        let bad = ["crates/a/src/b.rs", "crates/a/src/c.rs", "crates/a/src/d.rs", "crates/a/src/e.rs"];
        let mut expected: Vec<_> = bad.map(at).to_vec();
        expected.push(at("fuzz/fuzz_targets/f.rs"));
        assert_eq!(files, expected);
    }
}

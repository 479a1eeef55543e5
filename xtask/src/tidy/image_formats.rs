//! Each executable format in the list `ALL` has a section in the guide and an example that tests read.

use super::rust_code::Code;
use super::{Fault, Project, markdown};

const FOLDER: &str = "crates/image/src/format";
const LIST: &str = "crates/image/src/format/mod.rs";
const GUIDE: &str = "docs/guide/images.md";
const EXAMPLES: &str = "tests/images/";

pub(super) fn check(project: &Project) -> Vec<Fault> {
    let Some(list) = project.text(LIST) else { return Vec::new() };
    let listed = match listed_words(list) {
        Ok(words) => words,
        Err(message) => return vec![Fault::new(LIST, 1, message)],
    };
    let mut faults = Vec::new();
    for (name, file) in modules(project) {
        // A module that the list does not mention is not a format itself.
        if !listed.contains(&name) {
            continue;
        }
        if !project.text(GUIDE).is_some_and(|text| markdown::has_heading(text, &name)) {
            let message = format!("the format `{name}` has no section in {GUIDE}: add one with its name");
            faults.push(Fault::new(&file, 1, message));
        }
        if !has_example(project, &name) {
            let message = format!(
                "the format `{name}` has no example: add a file to {EXAMPLES} and beside it its \
                 description, a .expect file with the line `format {name}`"
            );
            faults.push(Fault::new(&file, 1, message));
        }
    }
    faults
}

/// Whether the description of an example names this format.
fn has_example(project: &Project, name: &str) -> bool {
    let is_description = |path: &str| path.starts_with(EXAMPLES) && path.ends_with(".expect");
    let says_so = |line: &str| line.strip_prefix("format ").is_some_and(|format| format.trim() == name);
    project.texts().any(|(path, text)| is_description(path) && text.lines().any(says_so))
}

/// The words of the list: the text from the definition of `ALL` to the next item.
fn listed_words(text: &str) -> Result<Vec<String>, String> {
    const ITEMS: &[&str] = &["pub", "fn", "mod", "use", "struct", "enum", "impl", "const", "static", "trait"];
    let code = Code::without_tests(text)?;
    let words = code.pieces.into_iter().map(|piece| piece.text);
    let listed: Vec<_> = words
        .skip_while(|word| word != "ALL")
        .skip(1)
        .take_while(|word| !ITEMS.contains(&word.as_str()))
        .collect();
    if listed.is_empty() { Err("the list `ALL` of formats is missing".to_owned()) } else { Ok(listed) }
}

/// The modules beside the list, each a file or a folder: name and file.
fn modules(project: &Project) -> Vec<(String, String)> {
    let mut modules: Vec<(String, String)> = Vec::new();
    for path in project.below(FOLDER).filter(|path| path.ends_with(".rs")) {
        let first = path.split('/').next().unwrap_or(path);
        let name = first.strip_suffix(".rs").unwrap_or(first).to_owned();
        if modules.iter().all(|(known, _)| *known != name) {
            modules.push((name, format!("{FOLDER}/{path}")));
        }
    }
    modules
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMATS: &str =
        "//! F.\nmod hex;\nmod record;\npub const ALL: &[Format] = &[hex::FORMAT];\nfn record() {}\n";

    #[test]
    fn a_complete_format_is_fine_and_each_gap_is_named() {
        let complete = [
            (LIST, FORMATS),
            ("crates/image/src/format/hex.rs", "//! H.\n"),
            ("crates/image/src/format/record.rs", "//! Used by formats.\n"),
            (GUIDE, "## HEX\n"),
            ("tests/images/blink.dat.expect", "format hex\n"),
        ];
        assert_eq!(Project::of(&complete).faults(check), [""; 0]);
        for (gap, message) in [(3, "has no section in docs/guide/images.md"), (4, "has no example")] {
            let mut files = complete.to_vec();
            files.remove(gap);
            let faults = Project::of(&files).faults(check);
            assert_eq!(faults.len(), 1, "{faults:?}");
            let place = "crates/image/src/format/hex.rs:1: the format `hex` ";
            assert!(faults[0].starts_with(place) && faults[0].contains(message), "{faults:?}");
        }
    }

    #[test]
    fn the_list_must_be_there() {
        let project = Project::of(&[(LIST, "//! F.\nmod hex;\n")]);
        assert_eq!(
            project.faults(check),
            ["crates/image/src/format/mod.rs:1: the list `ALL` of formats is missing"]
        );
        assert_eq!(Project::of(&[]).faults(check), [""; 0]);
    }
}

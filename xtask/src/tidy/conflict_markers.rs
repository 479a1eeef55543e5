//! No file contains the markers of an unresolved merge conflict.

use super::{Fault, Project};

pub(super) fn check(project: &Project) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (path, text) in project.texts() {
        for (index, line) in text.lines().enumerate() {
            if is_marker(line) {
                let message =
                    "a merge conflict was committed here: decide for one side, or combine them".to_owned();
                faults.push(Fault::new(path, index + 1, message));
            }
        }
    }
    faults
}

/// The separator, seven equality signs, is left out: Markdown underlines headings with it, and it never stands alone.
fn is_marker(line: &str) -> bool {
    ["<", ">", "|"].iter().any(|sign| {
        line.strip_prefix(&sign.repeat(7)).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_side_of_a_conflict_is_found() {
        let (begin, base, end) = ("<".repeat(7), "|".repeat(7), ">".repeat(7));
        let text =
            format!("# Title\n{begin} HEAD\nours\n{base} base\n=======\ntheirs\n{end} 1234567 (Subject)\n");
        let faults = Project::of(&[("a.md", &text), ("b.md", "Heading\n=======\n<<<<<<<<\n")]).faults(check);
        let lines: Vec<_> = faults.iter().filter_map(|fault| fault.split(' ').next()).collect();
        assert_eq!(lines, ["a.md:2:", "a.md:4:", "a.md:7:"]);
    }
}

//! Rust files have a maximum length: a longer one has several responsibilities.

use super::{Fault, Project};

/// About 200 lines are usual, 500 are a reason to think; more than this is a fault.
const LIMIT: usize = 900;

pub(super) fn check(project: &Project) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (path, text) in project.rust_files() {
        let lines = text.lines().count();
        if lines > LIMIT {
            let message = format!("{lines} lines are more than {LIMIT}: split the file by what it does");
            faults.push(Fault::new(path, LIMIT + 1, message));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_the_last_good_size() {
        let project = Project::of(&[
            ("a.rs", &"//\n".repeat(LIMIT)),
            ("b.rs", &"//\n".repeat(LIMIT + 1)),
            ("c.md", &"\n".repeat(2 * LIMIT)),
        ]);
        let expected = "b.rs:901: 901 lines are more than 900: split the file by what it does";
        assert_eq!(project.faults(check), [expected]);
    }
}

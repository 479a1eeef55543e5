//! Each architecture has its description, its instruction vectors, and a mention in the guide.

use super::{Fault, Project, markdown};
use std::collections::BTreeSet;

const GUIDE: &str = "docs/guide/architectures.md";

pub(super) fn check(project: &Project) -> Vec<Fault> {
    let folders: BTreeSet<&str> = project
        .below("architectures")
        .filter_map(|path| path.split_once('/').map(|(folder, _)| folder))
        .collect();
    folders.into_iter().flat_map(|name| check_folder(project, name)).collect()
}

fn check_folder(project: &Project, name: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    let description = format!("architectures/{name}/{name}.toml");
    if !project.files.contains_key(&description) {
        faults.push(Fault::new(&description, 1, format!("the description of `{name}` is missing: write it")));
    }
    let vectors = format!("tests/vectors/{name}");
    if !project.below(&vectors).any(|path| path.ends_with(".vec")) {
        let message = format!("`{name}` has no instruction vectors: write at least one .vec file");
        faults.push(Fault::new(&vectors, 1, message));
    }
    if !project.text(GUIDE).is_some_and(|text| markdown::names(text, name)) {
        faults.push(Fault::new(GUIDE, 1, format!("mention the architecture `{name}` (in backticks)")));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complete_architecture_is_fine_and_each_gap_is_named() {
        let complete = [
            ("architectures/README.md", "not an architecture"),
            ("architectures/4711/4711.toml", ""),
            ("architectures/4711/4711.slaspec", ""),
            ("tests/vectors/4711/add.vec", ""),
            (GUIDE, "There is `4711`."),
        ];
        assert_eq!(Project::of(&complete).faults(check), [""; 0]);
        for (gap, message) in [
            (1, "architectures/4711/4711.toml:1: the description of `4711` is missing"),
            (3, "tests/vectors/4711:1: `4711` has no instruction vectors"),
            (4, "docs/guide/architectures.md:1: mention the architecture `4711`"),
        ] {
            let mut files = complete.to_vec();
            files.remove(gap);
            let faults = Project::of(&files).faults(check);
            assert_eq!(faults.len(), 1, "{faults:?}");
            assert!(faults[0].starts_with(message), "{faults:?}");
        }
    }
}

//! Each planted fault can be planted: the text that it replaces is in its file exactly once.
//!
//! The faults themselves are built only now and then, so a list that no longer fits the code would go unnoticed.

use super::{Fault, Project};
use serde::Deserialize;

const LISTS: &[&str] = &["tests/adversary/planted.toml", "tests/traces/faults.toml"];

#[derive(Deserialize)]
struct List {
    fault: Vec<Planted>,
}

#[derive(Deserialize)]
struct Planted {
    name: String,
    file: String,
    old: String,
}

pub(super) fn check(project: &Project) -> Vec<Fault> {
    let mut faults = Vec::new();
    for list in LISTS {
        let Some(text) = project.text(list) else { continue };
        let planted = match toml::from_str::<List>(text) {
            Ok(list) => list.fault,
            Err(error) => {
                faults.push(Fault::new(list, 1, error.to_string()));
                continue;
            }
        };
        for Planted { name, file, old } in planted {
            let times = project.text(&file).map_or(0, |text| text.matches(&old).count());
            if times != 1 {
                let line = text.lines().position(|line| line.contains(&name)).map_or(1, |line| line + 1);
                let message = format!("the text of `{name}` is {times} times in {file}, not once");
                faults.push(Fault::new(list, line, message));
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_that_no_longer_fits_is_found() {
        let list = "[[fault]]\nname = \"fits\"\nfile = \"a.rs\"\nold = \"x + 1\"\nnew = \"x\"\n\
                    [[fault]]\nname = \"gone\"\nfile = \"a.rs\"\nold = \"y\"\nnew = \"x\"\n\
                    [[fault]]\nname = \"twice\"\nfile = \"a.rs\"\nold = \"x\"\nnew = \"z\"\n";
        let project = Project::of(&[(LISTS[0], list), ("a.rs", "//! A.\nfn a(x: u8) -> u8 { x + 1 }\n")]);
        let found: Vec<_> = check(&project).into_iter().map(|fault| fault.line).collect();
        assert_eq!(found, [7, 12]);
    }
}

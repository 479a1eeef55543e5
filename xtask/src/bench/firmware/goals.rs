//! The goals of a suite of firmware images: addresses that a run must execute, one after the other.

use everypath_image::Image;
use std::path::{Path, PathBuf};

/// An image with its goals.
pub(super) struct ImageEntry {
    pub(super) file: PathBuf,
    pub(super) name: String,
    /// The name and the text of each goal.
    pub(super) goals: Vec<(String, String)>,
}

/// A goal: alternatives, each of which is a sequence of addresses.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Goal(Vec<Vec<u64>>);

impl Goal {
    /// Parses a goal such as `main->0x80012 || callback`. The name of a symbol stands for its address.
    pub(super) fn parse(text: &str, address: impl Fn(&str) -> Option<u64>) -> Result<Goal, String> {
        let step = |step: &str| match step.trim().strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).map_err(|error| format!("{step}: {error}")),
            None => address(step.trim()).ok_or_else(|| format!("no symbol `{}`", step.trim())),
        };
        let sequence = |text: &str| text.split("->").map(step).collect::<Result<Vec<u64>, String>>();
        text.split("||").map(sequence).collect::<Result<_, _>>().map(Goal)
    }

    /// Whether a run executes one of the sequences, with anything between.
    pub(super) fn is_reached(&self, trace: &[u64]) -> bool {
        self.0.iter().any(|sequence| {
            let mut executed = trace.iter();
            sequence.iter().all(|goal| executed.any(|address| address == goal))
        })
    }
}

/// The goals of an image.
pub(super) fn goals_of(entry: &ImageEntry, image: &Image) -> Result<Vec<(String, Goal)>, String> {
    let address = |name: &str| image.symbol_named(name).map(|symbol| symbol.address);
    let parse = |(name, text): &(String, String)| Ok((name.clone(), Goal::parse(text, address)?));
    entry.goals.iter().map(parse).collect()
}

/// The list of goals of a suite.
pub(super) fn list(suite: &Path) -> PathBuf {
    suite.join("groundtruth.csv")
}

/// Reads `groundtruth.csv` of a suite: columns divided by tabs, the file only in the first row of an image. The image
/// `DIR/NAME.elf` is in the folder `DIR/NAME`.
pub(super) fn read(suite: &Path) -> Result<Vec<ImageEntry>, String> {
    let path = list(suite);
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(entries(suite, &text))
}

fn entries(suite: &Path, text: &str) -> Vec<ImageEntry> {
    let mut entries: Vec<ImageEntry> = Vec::new();
    for row in text.lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').map(str::trim).collect();
        let [file, goal, requirement, ..] = columns[..] else { continue };
        if let Some((folder, name)) = file.trim_end_matches(".elf").rsplit_once('/') {
            let file = suite.join(folder).join(name).join(format!("{name}.elf"));
            entries.push(ImageEntry { file, name: name.to_owned(), goals: Vec::new() });
        }
        if let Some(entry) = entries.last_mut() {
            entry.goals.push((goal.to_owned(), requirement.to_owned()));
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_without_a_file_belong_to_the_one_before() {
        let text =
            "File\tTestcase\tRequirements\tComment\nA/one.elf\tADC\tmain->0x10\tx\n\tPWM\t0x20 || 0x30\n";
        let found = entries(Path::new("/suite"), text);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].file, Path::new("/suite/A/one/one.elf"));
        assert_eq!(found[0].goals.len(), 2);
    }

    #[test]
    fn a_goal_is_reached_in_its_order() {
        let goal = Goal::parse("main -> 0x10 || 0x30", |name| (name == "main").then_some(4)).expect("a goal");
        assert_eq!(goal, Goal(vec![vec![4, 0x10], vec![0x30]]));
        assert!(goal.is_reached(&[4, 8, 0x10]));
        assert!(goal.is_reached(&[0x30]));
        assert!(!goal.is_reached(&[0x10, 4]));
        assert!(Goal::parse("other", |_| None).is_err());
    }

    #[test]
    fn a_repeated_step_must_be_executed_again() {
        let goal = Goal::parse("0x10->0x10", |_| None).expect("a goal");
        assert!(!goal.is_reached(&[0x10]));
        assert!(goal.is_reached(&[0x10, 8, 0x10]));
    }
}

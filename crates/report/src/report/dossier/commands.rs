//! The commands that reproduce the results, from the settings that the summary records.

use everypath_record::Summary;
use serde_json::Value;

/// The commands for one program.
pub(super) struct Commands {
    program: String,
    folder: String,
    /// The flags of `everypath test` that the settings map to.
    flags: Vec<String>,
}

/// The folder that a repeated run writes to.
const AGAIN: &str = "repeated.tests";

/// The settings that are numbers, and their flags.
const NUMBERS: [(&str, &str); 4] = [
    ("/bounds/path_instructions", "--budget"),
    ("/bounds/paths", "--paths"),
    ("/bounds/seconds", "--seconds"),
    ("/bounds/memory", "--memory"),
];

impl Commands {
    /// The commands for the program of a summary. The tests are expected in the default folder.
    pub(super) fn new(summary: &Summary) -> Commands {
        let plan = &summary.plan;
        let at = |pointer: &str| plan.pointer(pointer);
        let mut flags = vec![format!("--architecture {}", quoted(&summary.architecture))];
        for name in ["criterion", "strategy"] {
            if let Some(value) = at(&format!("/{name}")).and_then(Value::as_str) {
                flags.push(format!("--{name} {}", quoted(value)));
            }
        }
        let seed = ("/seed", "--seed");
        for (pointer, flag) in [seed].into_iter().chain(NUMBERS) {
            if let Some(value) = at(pointer).and_then(Value::as_u64) {
                flags.push(format!("{flag} {value}"));
            }
        }
        for (pointer, flag) in [("/keep_all", "--keep-all"), ("/merge", "--merge")] {
            if at(pointer).and_then(Value::as_bool) == Some(true) {
                flags.push(flag.to_owned());
            }
        }
        if let Some(work) = at("/prove").and_then(Value::as_u64) {
            flags.push(format!("--prove={work}"));
        }
        flags.push("--certificates".to_owned());
        let program = quoted(&summary.program);
        Commands { folder: quoted(&format!("{}.tests", summary.program)), program, flags }
    }

    /// The identifier of the command that repeats the run.
    pub(super) fn repeat_identifier(&self) -> String {
        super::document::identifier("CMD", 0)
    }

    /// Repeats the run, and compares the tests with those of this document.
    pub(super) fn repeat(&self) -> Vec<String> {
        vec![
            format!("everypath test {} {} --output {AGAIN}", self.program, self.flags.join(" ")),
            format!("diff -r {}/tests {AGAIN}/tests", self.folder),
        ]
    }

    /// Runs all tests again from the entry.
    pub(super) fn replay(&self) -> String {
        format!("everypath replay {} {}", self.program, self.folder)
    }

    /// Writes this document again.
    pub(super) fn report(&self) -> String {
        format!("everypath report {} {} --as dossier", self.program, self.folder)
    }

    /// Checks a certificate.
    pub(super) fn check_certificate(&self, name: &str) -> String {
        format!("everypath check-certificate {}/certificates/{}", self.folder, quoted(name))
    }

    /// Checks the certificates whose names begin like this, up to the first that is refused.
    pub(super) fn check_certificates(&self, beginning: &str) -> String {
        let beginning = if beginning.is_empty() { String::new() } else { format!("{}.", quoted(beginning)) };
        format!(
            "(set -e; for file in {}/certificates/{beginning}*; do everypath check-certificate \"$file\"; done)",
            self.folder
        )
    }
}

/// A word for a shell, in quotes if it needs them.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_./:=,+-".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

//! The commands that reproduce the results, from the settings that the summary records.

use crate::shell::shell_quoted;
use serde_json::Value;

use super::index::DossierIndex;

/// The commands for one program.
pub(super) struct Commands {
    program: String,
    folder: String,
    /// For each run, the flags of the command that its settings map to. There are several if their results were merged.
    runs: Vec<Vec<String>>,
    /// The flags that commands on the results need, with a space before each.
    flags: String,
    /// Whether traces alone were judged, by `everypath cover`.
    is_cover: bool,
}

/// The beginning of the folder that a repeated run writes to.
const AGAIN: &str = "repeated";

/// The settings that are numbers, and their flags.
const NUMBERS: [(&str, &str); 4] = [
    ("/bounds/path_instructions", "--budget"),
    ("/bounds/paths", "--paths"),
    ("/bounds/seconds", "--seconds"),
    ("/bounds/memory", "--memory"),
];

impl Commands {
    /// The commands for the program of these results.
    pub(super) fn new(index: &DossierIndex<'_>) -> Commands {
        let summary = index.summary();
        let traces: Vec<String> =
            index.traces().keys().map(|name| format!("--trace {}", shell_quoted(name))).collect();
        // `everypath cover` explores no path and writes no tests.
        let is_cover = !traces.is_empty()
            && index.data.suite.tests.is_empty()
            && summary.plan.pointer("/bounds/paths").and_then(Value::as_u64) == Some(0);
        let program = shell_quoted(&summary.program);
        let folder = shell_quoted(index.data.folder.trim_end_matches('/'));
        let given = index.data.flags;
        // The flags that were given may name the architecture already, and no flag can be given twice.
        let mut setup: Vec<String> = given.to_vec();
        if !given.iter().any(|flag| flag.starts_with("--architecture ")) {
            setup.insert(0, format!("--architecture {}", shell_quoted(&summary.architecture)));
        }
        if is_cover {
            let runs = vec![[setup, traces].concat()];
            return Commands { folder, program, runs, flags: index.data.flags_text(), is_cover };
        }
        let flags = |plan: &Value| [setup.clone(), plan_flags(plan), traces.clone()].concat();
        let runs = match summary.merged_from.as_slice() {
            [] => vec![flags(&summary.plan)],
            merged => merged.iter().map(|run| flags(&run.plan)).collect(),
        };
        Commands { folder, program, runs, flags: index.data.flags_text(), is_cover }
    }

    /// The identifier of the command that repeats the run.
    pub(super) fn repeat_identifier(&self) -> String {
        super::document::identifier("CMD", 0)
    }

    /// Whether the command that repeats the run is `everypath cover`, which writes neither tests nor certificates.
    pub(super) fn is_cover(&self) -> bool {
        self.is_cover
    }

    /// Repeats the run, or each run and their merging, and compares the tests, or the verdicts if there are none, with those of
    /// this document.
    pub(super) fn repeat(&self) -> Vec<String> {
        let Commands { program, folder, runs, is_cover, .. } = self;
        let command = |flags: &[String], output: &str| {
            let command = if *is_cover { "cover" } else { "test" };
            format!("everypath {command} {program} {} --output {output}", flags.join(" "))
        };
        match runs.as_slice() {
            [flags] if *is_cover => vec![
                command(flags, &format!("{AGAIN}.coverage")),
                format!("everypath diff {folder} {AGAIN}.coverage"),
            ],
            [flags] => vec![
                command(flags, &format!("{AGAIN}.tests")),
                format!("diff -r {folder}/tests {AGAIN}.tests/tests"),
            ],
            runs => {
                let output = |number: usize| format!("{AGAIN}-{}.tests", number + 1);
                let mut commands: Vec<String> =
                    runs.iter().enumerate().map(|(number, flags)| command(flags, &output(number))).collect();
                let outputs: Vec<String> = (0..runs.len()).map(output).collect();
                commands.push(format!("everypath merge {} --output {AGAIN}.tests", outputs.join(" ")));
                commands.push(format!("diff -r {folder}/tests {AGAIN}.tests/tests"));
                commands
            }
        }
    }

    /// Runs all tests again from the entry.
    pub(super) fn replay(&self) -> String {
        format!("everypath replay {} {}{}", self.program, self.folder, self.flags)
    }

    /// Writes this document again.
    pub(super) fn report(&self) -> String {
        format!("everypath report {} {} --as dossier{}", self.program, self.folder, self.flags)
    }

    /// Checks a certificate.
    pub(super) fn check_certificate(&self, name: &str) -> String {
        format!("everypath check-certificate {}/certificates/{}", self.folder, shell_quoted(name))
    }

    /// Checks the certificates of these results whose names begin like this, up to the first that is refused.
    pub(super) fn check_certificates(&self, beginning: &str) -> String {
        check_certificates_in(&self.folder, beginning)
    }

    /// Checks all certificates of the repeated run.
    pub(super) fn check_repeated_certificates(&self) -> String {
        check_certificates_in(&format!("{AGAIN}.tests"), "")
    }
}

fn check_certificates_in(folder: &str, beginning: &str) -> String {
    let beginning =
        if beginning.is_empty() { String::new() } else { format!("{}.", shell_quoted(beginning)) };
    format!(
        "(set -e; for file in {folder}/certificates/{beginning}*; do everypath check-certificate \"$file\"; done)"
    )
}

/// The flags of `everypath test` that the settings of a run map to.
fn plan_flags(plan: &Value) -> Vec<String> {
    let at = |pointer: &str| plan.pointer(pointer);
    let mut flags = Vec::new();
    for name in ["criterion", "strategy"] {
        if let Some(value) = at(&format!("/{name}")).and_then(Value::as_str) {
            flags.push(format!("--{name} {}", shell_quoted(value)));
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
    flags
}

//! `everypath replay`: replays tests from the entry, and compares each run with its record, and the files with what was written.

use crate::arguments::{GlobalOptions, ReplayOptions, RunResults};
use crate::failure::Failure;
use crate::{document, results, subject};
use everypath_record::{ExitCode, Finding, Suite, TestCase};
use everypath_report::with_separators;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

/// The result of the command.
#[derive(Serialize)]
struct Replay {
    /// How program and configuration differ from those that the tests were made for. The tests are then not run, unless the
    /// user wants that.
    other_setup: Vec<String>,
    /// The files of the suite that are not as they were written; none if that cannot be told.
    changed_files: Option<Vec<String>>,
    tests: Vec<ReplayedTest>,
    /// The verdicts and findings of the suite that the runs refute.
    refuted_verdicts: Vec<String>,
}

#[derive(Serialize)]
struct ReplayedTest {
    name: String,
    /// Number of executed instructions.
    instructions: u64,
    end: String,
    /// How the run differs from its record; empty if it does not.
    differences: Vec<String>,
}

pub(super) fn run(
    options: &ReplayOptions,
    global: &GlobalOptions,
    out: &mut dyn Write,
) -> Result<ExitCode, Failure> {
    let ReplayOptions { results: RunResults { file, tests, setting }, anyway } = options;
    let binary = subject::load(file, setting, global)?;
    let is_suite = tests.is_dir();
    let changed_files = changed_files(tests)?;
    let (mut tests, suite) = read(tests)?;
    let differences = |suite: &Suite| subject::differences(&binary, &suite.summary);
    let other_setup = suite.as_ref().map_or_else(Vec::new, differences);
    let mut replay = Replay { other_setup, changed_files, tests: Vec::new(), refuted_verdicts: Vec::new() };
    let is_run = *anyway || replay.other_setup.is_empty();
    if !is_run {
        // Nothing can be concluded from how they differ.
        tests.clear();
    }
    let mut taken = BTreeMap::new();
    for test in &tests {
        let (run, differences) = everypath_explore::verify(binary.guest(), binary.configuration(), test)
            .map_err(|error| subject::refused(file, setting, &error))?;
        let findings = suite.iter().flat_map(|suite| &suite.summary.findings);
        for finding in findings.filter(|finding| finding.test == test.name && run.refutes(finding)) {
            let Finding { address, message, test, .. } = finding;
            replay.refuted_verdicts.push(format!(
                "the summary says that test {test} shows a fault at {address} ({message}), which the test does not show"
            ));
        }
        taken.insert(test.name.clone(), run.directions);
        replay.tests.push(ReplayedTest {
            name: test.name.clone(),
            instructions: run.instructions,
            // The replay of a test that is cut off ends by the number of instructions; the test says why.
            end: test.end.clone(),
            differences,
        });
    }
    if let Some(suite) = suite.filter(|_| is_suite && is_run) {
        replay.refuted_verdicts.extend(suite.refuted_verdicts(&taken));
    }
    if global.json {
        document::write(out, "everypath.replay", &replay)?;
    } else {
        print(&replay, is_run, out)?;
    }
    Ok(if replay.is_good() { ExitCode::Good } else { ExitCode::Findings })
}

/// The changed files of a suite, or of that in whose folder a single test is.
fn changed_files(tests: &Path) -> Result<Option<Vec<String>>, Failure> {
    if tests.is_dir() {
        return everypath_record::changed_files(tests).map_err(|error| Failure::Input(error.to_string()));
    }
    let suite = tests.parent().and_then(Path::parent);
    Ok(suite.and_then(|folder| everypath_record::changed_files(folder).ok()).flatten())
}

/// The tests of a folder, or a single test, which belongs to the suite in whose folder it is; and the suite.
fn read(tests: &Path) -> Result<(Vec<TestCase>, Option<Suite>), Failure> {
    if tests.is_dir() || !tests.exists() && tests.extension().is_none_or(|extension| extension != "json") {
        let suite = results::read_suite(tests)?;
        return Ok((suite.tests.clone(), Some(suite)));
    }
    let suite = tests.parent().and_then(Path::parent);
    let suite = suite.and_then(|folder| Suite::read(folder).ok());
    let test = TestCase::read(tests).map_err(|error| Failure::Input(error.to_string()))?;
    Ok((vec![test], suite))
}

impl Replay {
    fn is_good(&self) -> bool {
        self.other_setup.is_empty()
            && self.changed_files.as_ref().is_none_or(Vec::is_empty)
            && self.refuted_verdicts.is_empty()
            && self.different() == 0
    }

    fn different(&self) -> usize {
        self.tests.iter().filter(|test| !test.differences.is_empty()).count()
    }
}

fn print(replay: &Replay, is_run: bool, out: &mut dyn Write) -> Result<(), Failure> {
    for difference in replay.other_setup.iter().chain(replay.changed_files.iter().flatten()) {
        writeln!(out, "{difference}")?;
    }
    if replay.changed_files.is_none() {
        writeln!(out, "whether a file was changed cannot be told: there is no files.json with digests")?;
    }
    if !is_run {
        let advice = "give the same file and flags as to `everypath test`, or `--anyway`";
        writeln!(out, "no test was run: {advice}")?;
        return Ok(());
    }
    for ReplayedTest { name, instructions, end, differences } in &replay.tests {
        if differences.is_empty() {
            let instructions = with_separators(*instructions);
            writeln!(out, "{name}: as recorded, {instructions} instructions: {end}")?;
        } else {
            writeln!(out, "{name}: not as recorded: {}", differences.join("; "))?;
        }
    }
    for refuted in &replay.refuted_verdicts {
        writeln!(out, "{refuted}")?;
    }
    let plural = if replay.tests.len() == 1 { "" } else { "s" };
    writeln!(out, "{} test{plural}, {} not as recorded", replay.tests.len(), replay.different())?;
    Ok(())
}

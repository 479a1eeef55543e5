//! `everypath replay`: replays tests from the entry, and compares each run with its record.

use crate::arguments::{File, Setting};
use crate::failure::Failure;
use crate::subject;
use everypath_lift::Library;
use everypath_record::{ExitCode, Suite, TestCase};
use std::io::Write;
use std::path::Path;

pub(crate) fn run(
    file: &File,
    tests: &Path,
    setting: &Setting,
    library: &Library,
    out: &mut dyn Write,
) -> Result<ExitCode, Failure> {
    let binary = subject::load(file, setting, library)?;
    let unreadable = |error: everypath_record::SuiteError| Failure::Input(error.to_string());
    // A single test belongs to the suite in whose folder it is.
    let (tests, summary) = if tests.is_dir() {
        let Suite { summary, tests } = Suite::read(tests).map_err(unreadable)?;
        (tests, Some(summary))
    } else {
        let suite = tests.parent().and_then(Path::parent);
        let summary = suite.and_then(|folder| Suite::read(folder).ok()).map(|suite| suite.summary);
        (vec![TestCase::read(tests).map_err(unreadable)?], summary)
    };
    let mut is_other = false;
    for difference in summary.iter().flat_map(|summary| subject::differences(&binary, summary)) {
        is_other = true;
        writeln!(out, "{difference}")?;
    }
    let (guest, configuration) = (binary.guest(), binary.configuration());
    let mut different = 0;
    for test in &tests {
        let (run, differences) = everypath_explore::verify(guest, configuration, test)
            .map_err(|error| subject::refused(file, &error))?;
        // The replay of a test that is cut off ends by the number of instructions; the test says why.
        let (name, end) = (&test.name, &test.end);
        if differences.is_empty() {
            writeln!(out, "{name}: as recorded, {} instructions: {end}", run.instructions)?;
        } else {
            different += 1;
            writeln!(out, "{name}: not as recorded: {}", differences.join("; "))?;
        }
    }
    writeln!(out, "{} tests, {different} not as recorded", tests.len())?;
    Ok(if different == 0 && !is_other { ExitCode::Good } else { ExitCode::Findings })
}

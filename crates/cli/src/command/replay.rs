//! `everypath replay`: tests run again from the start.

use crate::arguments::{File, Setting};
use crate::failure::Failure;
use crate::subject::Subject;
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
    let Subject { guest, configuration } = Subject::load(file, setting, library)?;
    let unreadable = |error: everypath_record::SuiteError| Failure::Input(error.to_string());
    let tests = if tests.is_dir() {
        Suite::read(tests).map_err(unreadable)?.tests
    } else {
        vec![TestCase::read(tests).map_err(unreadable)?]
    };
    let mut different = 0;
    for test in &tests {
        let replayed = everypath_explore::replay(&guest, &configuration, test)
            .map_err(|error| Subject::refused(file, &error))?;
        let (name, end) = (&test.name, guest.explain(&replayed.end));
        // Where a bound broke the run off, it could go on.
        if replayed.path == test.path && (end == test.end || test.broken_off) {
            writeln!(out, "{name}: as recorded, {} instructions: {end}", replayed.instructions)?;
        } else {
            different += 1;
            let why = if replayed.path == test.path { "ends differently" } else { "takes another path" };
            writeln!(out, "{name}: {why}: {end}; recorded: {}", test.end)?;
        }
    }
    writeln!(out, "{} tests, {different} not as recorded", tests.len())?;
    Ok(if different == 0 { ExitCode::Good } else { ExitCode::Findings })
}

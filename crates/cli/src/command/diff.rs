//! `everypath diff`: compares the results of two runs.

use crate::arguments::GlobalOptions;
use crate::colour;
use crate::failure::Failure;
use crate::results::read_suite;
use everypath_record::ExitCode;
use everypath_report::SuiteDifference;
use std::io::Write;
use std::path::Path;

/// Prints the differences. The exit code says whether the second run is worse.
pub(super) fn run(
    before: &Path,
    after: &Path,
    global: &GlobalOptions,
    out: &mut dyn Write,
) -> Result<ExitCode, Failure> {
    let difference = SuiteDifference::between(&read_suite(before)?, &read_suite(after)?);
    if global.json {
        serde_json::to_writer_pretty(&mut *out, &difference)?;
        writeln!(out)?;
    } else {
        let [before, after] = [before, after].map(|folder| folder.display().to_string());
        colour::print(global.color, out, |out| difference.write(&before, &after, out))?;
    }
    Ok(match difference.contradictions {
        0 if difference.is_worse => ExitCode::Findings,
        0 => ExitCode::Good,
        // One of the two verdicts is wrong.
        _ => ExitCode::Fault,
    })
}

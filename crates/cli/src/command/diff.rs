//! `everypath diff`: compares the results of two runs.

use crate::failure::Failure;
use crate::results::read_suite;
use everypath_record::ExitCode;
use everypath_report::SuiteDifference;
use std::io::Write;
use std::path::Path;

/// Prints the differences. The exit code says whether the second run is worse.
pub(crate) fn run(before: &Path, after: &Path, json: bool, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let difference = SuiteDifference::between(&read_suite(before)?, &read_suite(after)?);
    if json {
        serde_json::to_writer_pretty(&mut *out, &difference)?;
        writeln!(out)?;
    } else {
        difference.write(&before.display().to_string(), &after.display().to_string(), out)?;
    }
    Ok(match difference.contradictions {
        0 if difference.is_worse => ExitCode::Findings,
        0 => ExitCode::Good,
        // One of the two verdicts is wrong.
        _ => ExitCode::Fault,
    })
}

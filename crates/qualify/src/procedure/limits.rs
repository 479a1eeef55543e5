//! Bounds of the exploration: they hold, and a result that a bound cut off says so.

use super::ProgramCheck;
use super::exploration::Explored;
use crate::qualification::CheckResult;
use everypath::ExitCode;

/// At most so many paths are run, and what they leave open is reported.
pub(super) fn paths(check: &ProgramCheck<'_>, result: &mut CheckResult) -> Result<(), String> {
    let explored = check.explore(&["--paths", "1"], "tests", result)?;
    let paths = explored.suite.summary.paths;
    result.observed = format!("{paths} paths, exit code {}", explored.code);
    if paths > 1 {
        result.faults.push(format!("{paths} paths were run, 1 was allowed"));
    }
    incomplete(&explored, result);
    Ok(())
}

/// A run has at most so many instructions, and what that leaves open is reported.
pub(super) fn instructions(check: &ProgramCheck<'_>, result: &mut CheckResult) -> Result<(), String> {
    const BUDGET: u64 = 3;
    // The bound is checked where a basic block ends (known problem KP-13); no block of the programs is longer.
    const BLOCK: u64 = 4;
    let explored = check.explore(&["--budget", "3"], "tests", result)?;
    let most = explored.suite.tests.iter().map(|test| test.instructions).max().unwrap_or(0);
    result.observed = format!("at most {most} instructions in a test, exit code {}", explored.code);
    if most >= BUDGET + BLOCK {
        result
            .faults
            .push(format!("a test has {most} instructions, {BUDGET} and the rest of a block were allowed"));
    }
    incomplete(&explored, result);
    Ok(())
}

/// A run that was cut off is neither complete nor successful, and says why.
fn incomplete(explored: &Explored, result: &mut CheckResult) {
    let summary = &explored.suite.summary;
    if summary.complete || summary.incomplete_reasons.is_empty() {
        result.faults.push("the summary does not say that the exploration is incomplete".to_owned());
    }
    if explored.code != ExitCode::Open as i32 {
        result.faults.push(format!("the exit code is {}, expected 4", explored.code));
    }
}

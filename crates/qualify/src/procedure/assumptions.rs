//! The assumption ledger and the findings: what a result depends on is listed, and faults are reported.

use super::ProgramCheck;
use crate::qualification::CheckResult;

/// An assumption that the program forces names the instruction, and a result that depends on it is not called complete.
pub(super) fn assumptions(check: &ProgramCheck<'_>, result: &mut CheckResult) -> Result<(), String> {
    let explored = check.explore(&[], "tests", result)?;
    let wanted = check.program.expected.assumption.ok_or("the program expects no assumption")?;
    let summary = &explored.suite.summary;
    let named = summary.assumptions.iter().find(|assumption| assumption.address.0 == wanted);
    match named {
        Some(assumption) => result.observed = format!("at {wanted:#x}: {}", assumption.message),
        None => result.faults.push(format!("no assumption names the instruction at {wanted:#x}")),
    }
    if named.is_some_and(|assumption| assumption.loses_paths) && summary.complete {
        result
            .faults
            .push("the exploration is called complete, although an assumption loses paths".to_owned());
    }
    Ok(())
}

/// The fault of the program is a finding, with a test that shows it.
pub(super) fn findings(check: &ProgramCheck<'_>, result: &mut CheckResult) -> Result<(), String> {
    let explored = check.explore(&[], "tests", result)?;
    let wanted = check.program.expected.finding.as_ref().ok_or("the program expects no finding")?;
    let (oracle, address) = (&wanted.oracle, wanted.address);
    let findings = &explored.suite.summary.findings;
    let found = findings.iter().find(|one| one.oracle == *oracle && one.address.0 == address);
    match found {
        Some(finding) => {
            result.observed = format!("at {address:#x}: {}", finding.message);
            if !explored.suite.tests.iter().any(|test| test.name == finding.test) {
                result.faults.push(format!("there is no test {} of the finding", finding.test));
            }
        }
        None => {
            result.faults.push(format!("the oracle {oracle} reports no finding at {address:#x}"));
        }
    }
    let code = explored.code;
    if code != check.program.expected.exit_code {
        let expected = check.program.expected.exit_code;
        result.faults.push(format!("the exit code is {code}, expected {expected}"));
    }
    Ok(())
}

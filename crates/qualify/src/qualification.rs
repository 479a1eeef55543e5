//! The results of a kit, as plain data: the cases with their checks, and the overall outcome.

use crate::environment::HostEnvironment;
use crate::markdown;
use crate::requirement::{KnownProblem, Requirement};
use everypath::ExitCode;
use serde::Serialize;

/// The name of the format of the JSON document, and its version, which goes up when a field changes its meaning.
const FORMAT: &str = "everypath.qualification";
const VERSION: u32 = 1;

/// The results of a qualification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Qualification {
    /// The tool and the host.
    pub environment: HostEnvironment,
    /// The date, as the user gave it; empty if he did not.
    pub date: String,
    /// The architectures that were qualified.
    pub architectures: Vec<String>,
    /// Those of them for which only instruction vectors were run.
    pub without_programs: Vec<String>,
    /// The requirements, with their cases.
    pub requirements: Vec<Requirement>,
    /// The results of the cases, in the order of the requirements.
    pub cases: Vec<CaseResult>,
    /// The known problems.
    pub known_problems: Vec<KnownProblem>,
}

/// The result of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CaseResult {
    /// The requirement.
    pub requirement: String,
    /// The case.
    pub case: String,
    /// The checks of the case, one for each program or architecture.
    pub checks: Vec<CheckResult>,
}

/// The result of a case on one program or architecture.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CheckResult {
    /// The program, the architecture, or what else it is about.
    pub subject: String,
    /// The command lines that were run, relative to the folder of the results.
    pub commands: Vec<String>,
    /// The observed result, in words.
    pub observed: String,
    /// How it differs from the expected result; empty if it passed.
    pub faults: Vec<String>,
}

/// The outcome of a case, of a requirement or of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CaseOutcome {
    /// Every check passed, and there was at least one.
    Passed,
    /// There was nothing to check, so that nothing is shown.
    NotRun,
    /// A check failed.
    Failed,
}

impl CaseOutcome {
    /// The outcome in words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            CaseOutcome::Passed => "passed",
            CaseOutcome::NotRun => "not run",
            CaseOutcome::Failed => "failed",
        }
    }

    /// The worst outcome of several; nothing is shown by none.
    fn worst(outcomes: impl Iterator<Item = CaseOutcome>) -> CaseOutcome {
        outcomes.max().unwrap_or(CaseOutcome::NotRun)
    }
}

impl CaseResult {
    /// The outcome.
    #[must_use]
    pub fn outcome(&self) -> CaseOutcome {
        CaseOutcome::worst(self.checks.iter().map(|check| match check.faults.is_empty() {
            true => CaseOutcome::Passed,
            false => CaseOutcome::Failed,
        }))
    }
}

#[derive(Serialize)]
struct Document<'q> {
    format: &'static str,
    version: u32,
    outcome: CaseOutcome,
    #[serde(flatten)]
    qualification: &'q Qualification,
}

impl Qualification {
    /// The outcome of all cases.
    #[must_use]
    pub fn outcome(&self) -> CaseOutcome {
        CaseOutcome::worst(self.cases.iter().map(CaseResult::outcome))
    }

    /// The outcome of the cases of a requirement.
    #[must_use]
    pub fn outcome_of(&self, requirement: &str) -> CaseOutcome {
        let cases = self.cases.iter().filter(|case| case.requirement == requirement);
        CaseOutcome::worst(cases.map(CaseResult::outcome))
    }

    /// The exit code of `everypath qualify`.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        match self.outcome() {
            CaseOutcome::Passed => ExitCode::Good,
            CaseOutcome::NotRun => ExitCode::Open,
            CaseOutcome::Failed => ExitCode::Findings,
        }
    }

    /// The number of checks, and of those that failed.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        let checks = || self.cases.iter().flat_map(|case| &case.checks);
        (checks().count(), checks().filter(|check| !check.faults.is_empty()).count())
    }

    /// The results as a JSON document.
    ///
    /// # Errors
    /// None of the fields fails to serialise, but a serialiser may.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        let document =
            Document { format: FORMAT, version: VERSION, outcome: self.outcome(), qualification: self };
        Ok(serde_json::to_string_pretty(&document)? + "\n")
    }

    /// The results as a document for people, with places to sign.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        markdown::render(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(faults: &[&[&str]]) -> CaseResult {
        let checks = faults.iter().map(|faults| CheckResult {
            faults: faults.iter().map(|fault| (*fault).to_owned()).collect(),
            ..CheckResult::default()
        });
        let checks = checks.collect();
        CaseResult { requirement: "TOR-1".to_owned(), case: "TC-1.1".to_owned(), checks }
    }

    #[test]
    fn one_fault_fails_a_case_and_no_check_shows_nothing() {
        assert_eq!(case(&[&[], &[]]).outcome(), CaseOutcome::Passed);
        assert_eq!(case(&[&[], &["it differs"]]).outcome(), CaseOutcome::Failed);
        assert_eq!(case(&[]).outcome(), CaseOutcome::NotRun);
    }
}

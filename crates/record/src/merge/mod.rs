//! Merging of suites: the results of several runs over the same program and configuration become one suite.
//!
//! Nothing in the merged suite claims more than a run shows: a direction is covered if a test of a run takes it, and infeasible if
//! a run shows that and none covers it. A direction that is both is a fault of Everypath.

mod claims;
mod contents;
mod error;
mod merged_tests;
mod verdicts;

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::folder::CERTIFICATES;
use crate::suite::problem;
use crate::{CoveredBy, FORMAT, Judged, OutputFile, Suite, SuiteError, Summary, Verdict};
pub use error::{Contradiction, MergeError, SetupDifference};
use merged_tests::MergedTests;
use verdicts::MergedVerdicts;

/// A run whose suite was merged with those of others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MergedRun {
    /// Its name: the folder of its suite, as it was given.
    pub name: String,
    /// The settings of the run.
    pub plan: serde_json::Value,
    /// Whether it reached the criterion of its plan.
    pub criterion_reached: bool,
    /// Whether it explored every feasible path.
    pub complete: bool,
    /// Number of its paths.
    pub paths: u64,
    /// Number of its tests.
    pub tests: u64,
}

/// A suite to be merged, and its name in messages and verdicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedSuite {
    /// The name, such as the folder of the suite.
    pub name: String,
    /// The suite.
    pub suite: Suite,
}

/// A merged suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedSuite {
    /// The suite.
    pub suite: Suite,
    /// The certificates that its verdicts refer to.
    pub certificates: Vec<CertificateSource>,
}

/// A certificate of a merged suite: the run that has it, and the name of its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateSource {
    /// Index of the run among those that were merged.
    pub run: usize,
    /// The name of the file in the folder of certificates.
    pub name: String,
}

impl CertificateSource {
    /// Reads the certificate from the folder of its run.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read(&self, folder: &Path) -> Result<OutputFile, SuiteError> {
        // A name with a folder in it would be a file elsewhere.
        let name = Path::new(&self.name).file_name().unwrap_or_default();
        let file = folder.join(CERTIFICATES).join(name);
        let contents = fs::read(&file).map_err(|error| problem(&file, error))?;
        Ok(OutputFile { path: format!("{CERTIFICATES}/{}", self.name), contents })
    }
}

impl MergedSuite {
    /// Merges suites of the same program, architecture and configuration, the first one first: where several have a result, that
    /// of the first one is taken.
    ///
    /// Tests are numbered anew. Those that add nothing are dropped as `everypath test` does, if no run was asked to keep them.
    ///
    /// # Errors
    /// If there are fewer than two suites, their setups differ, one of them is damaged, or one covers what another one calls
    /// infeasible.
    pub fn merge(runs: &[NamedSuite]) -> Result<MergedSuite, MergeError> {
        error::check_setups(runs)?;
        let tests = MergedTests::of(runs)?;
        let verdicts = MergedVerdicts::of(runs, &tests)?;
        let summary = summary(runs, &tests, &verdicts);
        let suite = Suite { summary, tests: tests.tests };
        Ok(MergedSuite { suite, certificates: verdicts.certificates })
    }
}

/// The summary; at least one run is there.
fn summary(runs: &[NamedSuite], tests: &MergedTests, verdicts: &MergedVerdicts) -> Summary {
    let first = &runs[0].suite.summary;
    let summaries = || runs.iter().map(|run| &run.suite.summary);
    let mut summary = Summary {
        format: FORMAT,
        program: first.program.clone(),
        program_hash: first.program_hash.clone(),
        configuration_hash: first.configuration_hash.clone(),
        configuration: first.configuration.clone(),
        architecture: first.architecture.clone(),
        plan: contents::common_plan(runs),
        criterion_reached: false,
        complete: false,
        incomplete_reasons: Vec::new(),
        paths: summaries().map(|summary| summary.paths).sum(),
        // The instructions of the runs are not recorded one by one: so many were executed at least.
        instructions: summaries().map(|summary| summary.instructions).max().unwrap_or(0),
        queries: contents::queries(runs),
        directions: verdicts.directions.clone(),
        directions_exact: false,
        indirect_exits: contents::indirect_exits(runs),
        tests: tests.tests.iter().map(|test| test.name.clone()).collect(),
        findings: tests.findings.clone(),
        targets: Vec::new(),
        assumptions: contents::assumptions(runs),
        undeclared_registers: contents::undeclared_registers(runs),
        divergences: contents::divergences(runs),
        locations: contents::locations(runs),
        justifications: contents::justifications(runs, &verdicts.directions),
        function_digests: contents::function_digests(runs),
        merged_from: contents::merged_from(runs),
        unreached: contents::unreached(runs),
        traced_code: contents::traced_code(runs),
        coverage_curve: Vec::new(),
    };
    claims::conclude(&mut summary, runs, tests, verdicts.refutation.as_deref());
    summary
}

/// Whether a verdict is coverage by a test, which can be replayed.
fn is_tested(judged: &Judged) -> bool {
    matches!(judged.verdict, Verdict::Covered { by: CoveredBy::Test, .. })
}

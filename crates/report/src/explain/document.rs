//! An explanation as data: what the story tells, for other programs.

use everypath_record::{Assumption, CodeLocation, Finding, InputDecision, Judged, Suite, TestCase, Verdict};
use serde::Serialize;

use super::disassembly::known_locations;
use super::{Explained, Explanation};
use crate::cause::Cause;
use crate::report::ReportData;
use crate::shell::shell_quoted;

/// The JSON document of an explanation: of one subject, so that exactly one of its lists has entries, or of everything, with
/// the open directions.
#[derive(Clone, Debug, Serialize)]
pub struct ExplanationDocument<'e> {
    /// The tests.
    pub tests: Vec<ExplainedTest<'e>>,
    /// The branch directions.
    pub directions: Vec<ExplainedDirection<'e>>,
    /// The findings.
    pub findings: Vec<ExplainedFinding<'e>>,
}

/// A test, and what its replay executes and reads.
#[derive(Clone, Debug, Serialize)]
pub struct ExplainedTest<'e> {
    /// The test.
    pub test: &'e TestCase,
    /// The functions that it executes, in the order of their addresses.
    pub functions: Vec<ExecutedFunction<'e>>,
    /// Its first reads of inputs, in the order of the run.
    pub reads: Vec<LocatedRead<'e>>,
    /// Number of all its reads of inputs.
    pub all_reads: u64,
    /// The directions that no earlier test takes, in the order of the run, each with the inputs that decide it.
    pub decisions: &'e [InputDecision],
    /// The findings that it shows, counted from 1.
    pub findings: Vec<usize>,
    /// The command that replays it.
    pub replay: String,
}

/// A function of which a test executes instructions.
#[derive(Clone, Debug, Serialize)]
pub struct ExecutedFunction<'e> {
    /// Its name.
    pub name: &'e str,
    /// Number of its instructions that are executed.
    pub executed: usize,
    /// Number of its instructions.
    pub instructions: usize,
}

/// A read of an input.
#[derive(Clone, Debug, Serialize)]
pub struct LocatedRead<'e> {
    /// Number of instructions executed before it.
    pub after: u64,
    /// The instruction that reads.
    pub at: CodeLocation,
    /// The input.
    pub input: &'e str,
    /// The value.
    pub value: u64,
}

/// A branch direction with its verdict, and what is known of the place.
#[derive(Clone, Debug, Serialize)]
pub struct ExplainedDirection<'e> {
    /// The direction and its verdict.
    #[serde(flatten)]
    pub judged: &'e Judged,
    /// The location of the branch.
    pub branch_location: CodeLocation,
    /// The location of the target.
    pub target_location: CodeLocation,
    /// The replayed tests that execute the branch.
    pub executed_by: Vec<&'e str>,
    /// The certificates of an infeasible direction.
    pub certificates: Vec<&'e str>,
    /// The assumptions that were made at the branch.
    pub assumptions: Vec<&'e Assumption>,
    /// Number of other directions that are open for the same reason.
    pub same_reason: usize,
    /// Advice for an open direction, if something is known to help.
    pub advice: Option<&'static str>,
    /// The command that replays the test that covers it.
    pub replay: Option<String>,
}

/// A finding with its location.
#[derive(Clone, Debug, Serialize)]
pub struct ExplainedFinding<'e> {
    /// Its number, counted from 1.
    pub number: usize,
    /// The finding.
    #[serde(flatten)]
    pub finding: &'e Finding,
    /// Its location.
    pub location: CodeLocation,
    /// The command that replays the test that shows it.
    pub replay: Option<String>,
}

impl<'e> Explanation<'e> {
    /// The explanation as a document to be serialised.
    #[must_use]
    pub fn document(&self) -> ExplanationDocument<'e> {
        let known = known_locations(&self.data);
        let mut document =
            ExplanationDocument { tests: Vec::new(), directions: Vec::new(), findings: Vec::new() };
        let Suite { summary, tests } = self.data.suite;
        let test = |test: &'e TestCase| self.explained_test(test, &known);
        let finding = |index: usize| self.explained_finding(index, &known);
        let causes = Cause::all(summary);
        let direction = |judged: &'e Judged| self.explained_direction(judged, &causes, &known);
        match self.explained {
            Explained::Test(index) => document.tests.push(test(&tests[*index])),
            Explained::Directions(indices) => {
                document
                    .directions
                    .extend(indices.iter().map(|index| direction(&summary.directions[*index])));
            }
            Explained::Finding(index) => document.findings.push(finding(*index)),
            Explained::Contents => {
                document.tests.extend(tests.iter().map(test));
                document.findings.extend((0..summary.findings.len()).map(finding));
                let is_open = |judged: &&Judged| {
                    matches!(judged.verdict, Verdict::Open { .. } | Verdict::Unsupported { .. })
                };
                document.directions.extend(summary.directions.iter().filter(is_open).map(direction));
            }
        }
        document
    }

    fn explained_finding(&self, index: usize, known: &[CodeLocation]) -> ExplainedFinding<'e> {
        let finding = &self.data.suite.summary.findings[index];
        ExplainedFinding {
            number: index + 1,
            finding,
            location: CodeLocation::find(known, finding.address).into_owned(),
            replay: self.replay_of(&finding.test),
        }
    }

    fn explained_test(&self, test: &'e TestCase, known: &[CodeLocation]) -> ExplainedTest<'e> {
        let ReportData { suite, listing, executed, .. } = self.data;
        let code = executed.iter().find(|code| code.test == test.name);
        let is_run = |address| {
            code.is_some_and(|code| code.instructions.binary_search_by_key(&address, |(own, _)| *own).is_ok())
        };
        let functions = listing.functions.iter().map(|function| ExecutedFunction {
            name: &function.name,
            executed: function.instructions().filter(|instruction| is_run(instruction.address)).count(),
            instructions: function.instructions().count(),
        });
        let reads = code.into_iter().flat_map(|code| &code.reads).map(|read| LocatedRead {
            after: read.after,
            at: CodeLocation::find(known, read.at).into_owned(),
            input: &read.input,
            value: read.value,
        });
        let findings = suite.summary.findings.iter().enumerate();
        let own = findings.filter(|(_, finding)| finding.test == test.name);
        ExplainedTest {
            test,
            functions: functions.filter(|function| function.executed > 0).collect(),
            reads: reads.collect(),
            all_reads: code.map_or(0, |code| code.all_reads),
            decisions: code.map_or(&[], |code| &code.decisions),
            findings: own.map(|(index, _)| index + 1).collect(),
            replay: self.replay_of(&test.name).unwrap_or_default(),
        }
    }

    fn explained_direction(
        &self,
        judged: &'e Judged,
        causes: &[Cause],
        known: &[CodeLocation],
    ) -> ExplainedDirection<'e> {
        let ReportData { suite, executed, .. } = self.data;
        let (direction, verdict) = (judged.direction, &judged.verdict);
        let location = |address| CodeLocation::find(known, address).into_owned();
        let at_branch = executed.iter().filter(|code| {
            code.instructions.binary_search_by_key(&direction.branch, |(own, _)| *own).is_ok()
        });
        let cause = causes.iter().find(|cause| cause.directions.contains(&direction));
        let assumptions = suite.summary.assumptions.iter().filter(|one| one.address == direction.branch);
        let test = match verdict {
            Verdict::Covered { test, .. } => Some(test),
            _ => None,
        };
        ExplainedDirection {
            judged,
            branch_location: location(direction.branch),
            target_location: location(direction.target),
            executed_by: at_branch.map(|code| code.test.as_str()).collect(),
            certificates: verdict.certificates().iter().map(String::as_str).collect(),
            assumptions: assumptions.collect(),
            same_reason: cause.map_or(0, |cause| cause.directions.len() - 1),
            advice: cause.and_then(|cause| cause.advice),
            replay: test.and_then(|test| self.replay_of(test)),
        }
    }

    /// The command that replays a test of the suite.
    fn replay_of(&self, test: &str) -> Option<String> {
        self.data.suite.tests.iter().find(|own| own.name == test)?;
        let (file, folder) = (shell_quoted(self.file), shell_quoted(self.folder.trim_end_matches('/')));
        let flags = self.data.flags_text();
        Some(format!("everypath replay {file} {folder}/tests/{test}.json{flags}"))
    }
}

//! The outcome of an exploration: the test suite, assembled from the result, and its files.

use crate::binary::Binary;
use crate::error::Error;
use crate::justify::justify;
use crate::locator::Locator;
use crate::native_tests::native_tests;
use crate::trace::{ExecutionTrace, TraceCoverage, TraceMap, credit};
use everypath_explore::{Certified, Exploration, Plan, Replayed, verify};
use everypath_record::{
    FORMAT, Finding, Judged, OutputFile, OutputFolder, Suite, Summary, TargetAnswer, TestCase, Verdict,
};
use everypath_solve::SolverProgram;
use std::fmt;
use std::path::Path;

/// The outcome of an exploration: a test suite, and the certificates that its verdicts refer to.
#[derive(Clone)]
pub struct Outcome {
    /// The program, with the inputs that the builder declared.
    binary: Binary,
    suite: Suite,
    certificates: Vec<OutputFile>,
}

impl fmt::Debug for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Outcome").field("suite", &self.suite).finish_non_exhaustive()
    }
}

impl Outcome {
    /// Assembles the suite of a program. The second solver, if there is one, is asked about each certificate.
    ///
    /// # Errors
    /// If the first path ended before it read any input, so that the setup must be wrong.
    pub(crate) fn assemble(
        binary: &Binary,
        plan: &Plan,
        mut found: Exploration,
        second: Option<&SolverProgram>,
    ) -> Result<Outcome, Error> {
        let refused = |message| Error::Exploration { program: binary.label.clone(), message };
        if let Some(setup) = found.gaps.setup.take() {
            return Err(refused(setup));
        }
        let certificates = certificates(plan, &mut found, second);
        let mut summary = Summary {
            format: FORMAT,
            program: binary.name.clone(),
            program_hash: binary.program_hash.clone(),
            configuration_hash: binary.configuration_hash.clone(),
            configuration: binary.recorded_configuration(),
            architecture: binary.architecture().name().to_owned(),
            plan: serde_json::to_value(plan).map_err(|error| refused(error.to_string()))?,
            criterion_reached: found.reached,
            complete: found.is_complete(),
            incomplete_reasons: found.incomplete_reasons,
            paths: found.effort.paths,
            instructions: found.effort.instructions as u64,
            queries: found.effort.queries,
            directions: found.directions,
            directions_exact: found.control_flow.lists_all_code
                && found.control_flow.is_resolved()
                && !found.ledger.is_world_assumed(),
            indirect_exits: found.control_flow.indirect_exits,
            tests: found.tests.iter().map(|test| test.name.clone()).collect(),
            findings: found.findings,
            targets: found.targets,
            assumptions: found.ledger.assumptions(),
            undeclared_registers: found.gaps.undeclared,
            divergences: found.divergences,
            locations: Vec::new(),
            justifications: Vec::new(),
            function_digests: Vec::new(),
            merged_from: Vec::new(),
            unreached: None,
            traced_code: Vec::new(),
            coverage_curve: found.effort.coverage_curve,
        };
        annotate(binary, &mut summary);
        let suite = Suite { summary, tests: found.tests };
        Ok(Outcome { binary: binary.clone(), suite, certificates })
    }

    /// Replays a test from the entry, on the concrete machine, with the inputs that the exploration had. Returns the run,
    /// and each difference from what the test records, in words.
    ///
    /// ```
    /// # fn main() -> Result<(), everypath::Error> {
    /// // movx a,@dptr; jz 3; sjmp 3
    /// let binary = everypath::Binary::options().architecture("8051").raw(0).read(b"\xe0\x60\x00\x80\xfe")?;
    /// let outcome = binary.explore().volatile_in("EXTMEM", "port", 0, 1).run()?;
    /// for test in outcome.tests() {
    ///     let (run, differences) = outcome.replay(test)?;
    ///     assert_eq!((run.instructions, differences), (test.instructions, Vec::<String>::new()));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the test does not fit the program.
    pub fn replay(&self, test: &TestCase) -> Result<(Replayed, Vec<String>), Error> {
        let Binary { guest, configuration, .. } = &self.binary;
        verify(guest, configuration, test).map_err(|error| self.binary.misfit(&error))
    }

    /// Credits the branch directions that traces take to them. What remains of the suite are the tests that add to them.
    ///
    /// # Errors
    /// If a trace has no instruction of the program, or the architecture has no code space.
    pub fn credit(&mut self, traces: &[ExecutionTrace]) -> Result<(), Error> {
        let map = TraceMap::new(&self.binary.graph_with_symbols()?, &self.suite.summary);
        let coverage: Vec<(&ExecutionTrace, TraceCoverage)> =
            traces.iter().map(|trace| (trace, map.coverage(trace))).collect();
        if let Some((trace, _)) = coverage.iter().find(|(_, coverage)| coverage.first.is_none()) {
            let message = "no address in it is an instruction of the program; was it recorded with another build, or at another \
                           base address?";
            return Err(Error::Trace { file: trace.name.clone(), message: message.to_owned() });
        }
        credit(&mut self.suite, &coverage);
        annotate(&self.binary, &mut self.suite.summary);
        Ok(())
    }

    /// Drops the tests, so that each direction that is not infeasible is open for this reason.
    pub(crate) fn forget_tests(&mut self, reason: &str) {
        let Suite { summary, tests } = &mut self.suite;
        for judged in &mut summary.directions {
            if !matches!(judged.verdict, Verdict::Infeasible { .. }) {
                judged.verdict = Verdict::Open { reason: reason.to_owned() };
            }
        }
        summary.incomplete_reasons = vec!["only traces were read; no path was explored".to_owned()];
        (summary.complete, summary.criterion_reached, summary.paths) = (false, false, 0);
        // The first path, which runs whatever the bound is, says little of what the program reads.
        summary.assumptions.retain(|assumption| assumption.kind != "unused");
        summary.tests.clear();
        summary.coverage_curve.clear();
        summary.findings.clear();
        tests.clear();
    }

    /// The tests of the minimised suite.
    #[must_use]
    pub fn tests(&self) -> &[TestCase] {
        &self.suite.tests
    }

    /// The faults of the guest that oracles found, each confirmed by a concrete run.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.suite.summary.findings
    }

    /// Every discovered branch direction with its verdict.
    #[must_use]
    pub fn verdicts(&self) -> &[Judged] {
        &self.suite.summary.directions
    }

    /// The targets of a directed search with their answers, in the order of the plan.
    #[must_use]
    pub fn targets(&self) -> &[TargetAnswer] {
        &self.suite.summary.targets
    }

    /// The summary, with assumptions and statistics.
    #[must_use]
    pub fn summary(&self) -> &Summary {
        &self.suite.summary
    }

    /// The whole suite.
    #[must_use]
    pub fn suite(&self) -> &Suite {
        &self.suite
    }

    /// Writes the suite and the certificates to a folder, as `everypath test` does. The folder is created if it does
    /// not exist; an earlier suite in it is replaced.
    ///
    /// # Errors
    /// If a file cannot be written, or is not one that an earlier run wrote.
    pub fn write(&self, folder: impl AsRef<Path>) -> Result<(), Error> {
        self.write_to(&mut OutputFolder::open(folder.as_ref())?)
    }

    /// Writes the suite and the certificates to an opened folder.
    ///
    /// # Errors
    /// As of [`Outcome::write`].
    pub fn write_to(&self, folder: &mut OutputFolder) -> Result<(), Error> {
        let mut files = self.certificates.clone();
        files.extend(native_tests(&self.binary, self.tests())?);
        Ok(self.suite.write_with(folder, files)?)
    }
}

/// Fills in what depends on the verdicts: code locations, the standing of justifications, and the code that nothing reaches.
fn annotate(binary: &Binary, summary: &mut Summary) {
    let locator = Locator::new(binary);
    locator.locate(summary);
    justify(&binary.configuration.justifications, &locator, summary);
    summary.unreached = binary.unreached_code(summary);
}

/// The certificates that verdicts refer to, each with the answer of the second solver.
fn certificates(plan: &Plan, found: &mut Exploration, second: Option<&SolverProgram>) -> Vec<OutputFile> {
    let mut files = Vec::new();
    for Certified { name, certificate } in &mut found.certificates {
        if let Some(program) = second {
            certificate.ask(program, &plan.bounds.query_limits());
        }
        let contents = certificate.to_string().into_bytes();
        files.push(OutputFile { path: format!("certificates/{name}"), contents });
    }
    files
}

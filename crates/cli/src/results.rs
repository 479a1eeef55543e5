//! Results that commands read back: a suite with the listing of its program and the code that its tests execute.

use crate::arguments::{GlobalOptions, RunResults};
use crate::failure::Failure;
use crate::subject;
use everypath::Binary;
use everypath_record::{CodeListing, ExecutedCode, Suite};
use everypath_report::{ReportData, shell_quoted};
use std::collections::BTreeSet;
use std::path::Path;

/// The results of a run, read back from its folder.
pub(crate) struct Results {
    suite: Suite,
    listing: CodeListing,
    executed: Vec<ExecutedCode>,
    folder: String,
    flags: Vec<String>,
}

impl Results {
    /// Reads a suite, and runs its tests again to see what they execute. Source files are looked up in a folder, too: that of
    /// the program if none is given.
    pub(crate) fn read(
        results: &RunResults,
        sources: Option<&Path>,
        global: &GlobalOptions,
    ) -> Result<Results, Failure> {
        let RunResults { file, tests, setting } = results;
        if let Some(missing) = sources.filter(|folder| !folder.is_dir()) {
            let missing = missing.display();
            return Err(Failure::Input(format!(
                "{missing}: no such folder, in which `--sources` looks up source files"
            )));
        }
        let binary = subject::load(file, setting, global)?;
        let suite = read_suite(tests)?;
        subject::check_same_setup(&binary, &suite.summary)?;
        let executed = executed(&binary, results, &suite)?;
        let beside = file.path.parent().unwrap_or(Path::new(""));
        let listing = binary
            .listing(&addresses(&suite, &executed), &suite.summary, sources.unwrap_or(beside))
            .map_err(|error| crate::input::failure(&error))?;
        // Reports give commands for the folder of the program.
        let flags = subject::flags(file, setting, Some(beside));
        let folder = subject::relative(beside, tests).display().to_string();
        Ok(Results { suite, listing, executed, folder, flags })
    }

    /// The results as reports read them.
    pub(crate) fn data(&self) -> ReportData<'_> {
        let Results { suite, listing, executed, folder, flags } = self;
        ReportData { suite, listing, executed, folder, flags }
    }
}

/// Reads the suite in a folder.
pub(crate) fn read_suite(tests: &Path) -> Result<Suite, Failure> {
    let summary = tests.join("summary.json");
    if !summary.exists() {
        let written = shell_quoted(&tests.display().to_string());
        return Err(Failure::Input(format!(
            "{}: there is no such file; write it with `everypath test FILE -o {written}`",
            summary.display()
        )));
    }
    Suite::read(tests).map_err(|error| Failure::Input(error.to_string()))
}

fn executed(binary: &Binary, results: &RunResults, suite: &Suite) -> Result<Vec<ExecutedCode>, Failure> {
    let run = |test| {
        everypath_explore::executed_code(binary.guest(), binary.configuration(), test)
            .map_err(|error| subject::refused(&results.file, &results.setting, &error))
    };
    suite.tests.iter().map(run).collect()
}

/// The instructions whose functions are listed.
fn addresses(suite: &Suite, executed: &[ExecutedCode]) -> BTreeSet<u64> {
    let branches = suite.summary.directions.iter().map(|judged| judged.direction.branch);
    let findings = suite.summary.findings.iter().map(|finding| finding.address);
    let run = executed.iter().flat_map(|code| code.instructions.iter().map(|(address, _)| *address));
    branches.chain(findings).chain(run).map(|address| address.0).collect()
}

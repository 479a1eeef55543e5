//! `everypath merge`: the results of several runs as those of one.

use crate::arguments::GlobalOptions;
use crate::failure::Failure;
use crate::results::read_suite;
use everypath_record::{ExitCode, MergeError, MergedSuite, NamedSuite, OutputFolder, SuiteError};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Merges the results in folders, writes them to another one, and prints the summary.
pub(super) fn run(
    folders: &[PathBuf],
    output: &Path,
    global: &GlobalOptions,
    out: &mut dyn Write,
) -> Result<ExitCode, Failure> {
    refuse_same_folder(folders, output)?;
    let read = |folder: &PathBuf| {
        let (name, suite) = (folder.display().to_string(), read_suite(folder)?);
        match everypath_record::changed_files(folder) {
            Ok(Some(changed)) if !changed.is_empty() => {
                Err(Failure::Input(format!("{name}: {}; run `everypath test` again", changed.join("; "))))
            }
            Ok(_) => Ok(NamedSuite { name, suite }),
            Err(error) => Err(Failure::Input(error.to_string())),
        }
    };
    let runs = folders.iter().map(read).collect::<Result<Vec<_>, Failure>>()?;
    let merged = MergedSuite::merge(&runs).map_err(|error| match error {
        MergeError::Contradictions(_) => Failure::Bug(error.to_string()),
        _ => Failure::Input(error.to_string()),
    })?;
    let unusable = |error: SuiteError| Failure::Input(error.to_string());
    let certificates = merged.certificates.iter().map(|one| one.read(&folders[one.run]));
    let certificates = certificates.collect::<Result<Vec<_>, SuiteError>>().map_err(unusable)?;
    let mut folder = OutputFolder::open(output).map_err(unusable)?;
    merged.suite.write_with(&mut folder, certificates).map_err(unusable)?;
    super::test::print_summary("everypath.merge", &merged.suite.summary, (output, output), global, out)
}

/// Refuses to replace the results of a run that is merged, and a folder that is given under two names.
fn refuse_same_folder(folders: &[PathBuf], output: &Path) -> Result<(), Failure> {
    let real = |folder: &Path| fs::canonicalize(folder).ok();
    for (number, folder) in folders.iter().enumerate() {
        let (own, name) = (real(folder), folder.display());
        if own.is_some() && own == real(output) {
            return Err(Failure::Input(format!(
                "{name} is one of the runs, and would be replaced by the merged results; choose another folder with --output"
            )));
        }
        if own.is_some() && folders[..number].iter().any(|other| real(other) == own) {
            return Err(Failure::Input(format!("{name} is given twice; name the folder of each run once")));
        }
    }
    Ok(())
}

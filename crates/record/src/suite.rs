//! A test suite on disk: a folder with a summary and a file for each test.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{CoveredBy, Direction, FORMAT, Judged, OutputFile, OutputFolder, Summary, TestCase, Verdict};

/// A test suite: the summary of a run, and the tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suite {
    /// The summary.
    pub summary: Summary,
    /// The tests, in order.
    pub tests: Vec<TestCase>,
}

/// Why a suite cannot be read or written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteError {
    /// The file.
    pub file: PathBuf,
    /// The problem, in words.
    pub problem: String,
}

impl fmt::Display for SuiteError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.file.display(), self.problem)
    }
}

impl std::error::Error for SuiteError {}

pub(crate) const SUMMARY: &str = "summary.json";
pub(crate) const TESTS: &str = "tests";

impl Suite {
    /// The verdicts that runs of the tests refute, in words: a direction that is called covered by a test that the suite does not
    /// have, or that does not take it, and one that is not called covered, or not listed, although a test takes it. `taken` has
    /// the directions of each run by the name of the test.
    #[must_use]
    pub fn refuted_verdicts(&self, taken: &BTreeMap<String, BTreeSet<Direction>>) -> Vec<String> {
        let mut refuted = Vec::new();
        for Judged { direction, verdict, .. } in &self.summary.directions {
            let test = match verdict {
                Verdict::Covered { test, by: CoveredBy::Test } => test,
                Verdict::Covered { by: CoveredBy::Trace | CoveredBy::Suite, .. } => continue,
                Verdict::Infeasible { .. } | Verdict::Open { .. } | Verdict::Unsupported { .. } => {
                    if let Some((test, _)) =
                        taken.iter().find(|(_, directions)| directions.contains(direction))
                    {
                        refuted.push(format!(
                            "the summary does not call {direction} covered, and test {test} takes it"
                        ));
                    }
                    continue;
                }
            };
            match taken.get(test) {
                None => refuted.push(format!(
                    "the summary says that test {test} covers {direction}, and there is no such test"
                )),
                Some(directions) if !directions.contains(direction) => refuted.push(format!(
                    "the summary says that test {test} covers {direction}, which the test does not take"
                )),
                Some(_) => {}
            }
        }
        let listed: BTreeSet<Direction> =
            self.summary.directions.iter().map(|judged| judged.direction).collect();
        for (test, directions) in taken {
            refuted.extend(
                directions.difference(&listed).map(|direction| {
                    format!("the summary does not list {direction}, and test {test} takes it")
                }),
            );
        }
        refuted
    }

    /// Writes the suite to a folder, which is created if it does not exist, and replaces an earlier suite in it.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), SuiteError> {
        self.write_with(&mut OutputFolder::open(folder)?, Vec::new())
    }

    /// Writes the suite and further files to an opened folder, and replaces what an earlier run wrote there.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write_with(
        &self,
        folder: &mut OutputFolder,
        mut files: Vec<OutputFile>,
    ) -> Result<(), SuiteError> {
        for test in &self.tests {
            files.push(as_file(folder.path(), format!("{TESTS}/{}.json", test.name), test)?);
        }
        // Last, so that a summary never names tests that do not exist.
        files.push(as_file(folder.path(), SUMMARY.to_owned(), &self.summary)?);
        folder.write(&files)
    }

    /// Reads a suite.
    ///
    /// # Errors
    /// If a file is missing, damaged, or of another format.
    pub fn read(folder: &Path) -> Result<Suite, SuiteError> {
        let file = folder.join(SUMMARY);
        let mut summary: Summary = read(&file)?;
        summary.directions.iter_mut().for_each(|judged| judged.verdict.complete_older());
        let tests = summary
            .tests
            .iter()
            .map(|name| TestCase::read(&file_of(folder, name)))
            .collect::<Result<_, _>>()?;
        Ok(Suite { summary, tests })
    }
}

impl TestCase {
    /// Reads one test.
    ///
    /// # Errors
    /// If the file is missing, damaged, or of another format.
    pub fn read(file: &Path) -> Result<TestCase, SuiteError> {
        let test: TestCase = read(file)?;
        if file.file_stem().is_none_or(|stem| stem.to_string_lossy() != test.name) {
            return Err(problem(file, format!("it says that its name is `{}`", test.name)));
        }
        Ok(test)
    }
}

fn file_of(folder: &Path, test: &str) -> PathBuf {
    folder.join(TESTS).join(format!("{test}.json"))
}

pub(crate) fn problem(file: &Path, error: impl fmt::Display) -> SuiteError {
    SuiteError { file: file.to_owned(), problem: error.to_string() }
}

fn check(file: &Path, format: u32) -> Result<(), SuiteError> {
    if format == FORMAT {
        return Ok(());
    }
    Err(problem(file, format!("it has format {format}; this version reads format {FORMAT}")))
}

fn as_file(folder: &Path, path: String, value: &impl Serialize) -> Result<OutputFile, SuiteError> {
    let text = serde_json::to_string_pretty(value).map_err(|error| problem(&folder.join(&path), error))?;
    Ok(OutputFile { path, contents: (text + "\n").into_bytes() })
}

/// The format of a file, which is read before the rest: another format has other fields.
#[derive(serde::Deserialize)]
struct Version {
    format: u32,
}

fn read<T: DeserializeOwned>(file: &Path) -> Result<T, SuiteError> {
    let text = fs::read_to_string(file).map_err(|error| problem(file, error))?;
    let Version { format } = serde_json::from_str(&text).map_err(|error| problem(file, error))?;
    check(file, format)?;
    serde_json::from_str(&text).map_err(|error| problem(file, error))
}

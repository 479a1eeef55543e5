//! A test suite on disk: a folder with a summary and a file for each test.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{FORMAT, Summary, TestCase};

/// A suite: what was found out, and the tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suite {
    /// What was found out.
    pub summary: Summary,
    /// The tests, in order.
    pub tests: Vec<TestCase>,
}

/// Why a suite cannot be read or written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteError {
    /// The file.
    pub file: PathBuf,
    /// What is wrong.
    pub problem: String,
}

impl fmt::Display for SuiteError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.file.display(), self.problem)
    }
}

impl std::error::Error for SuiteError {}

const SUMMARY: &str = "summary.json";
const TESTS: &str = "tests";

impl Suite {
    /// Writes the suite to a folder, which is made if it is not there; tests of an earlier suite in it are removed.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), SuiteError> {
        let tests = folder.join(TESTS);
        fs::create_dir_all(&tests).map_err(|error| problem(&tests, error))?;
        let wanted: Vec<PathBuf> = self.tests.iter().map(|test| file_of(folder, &test.name)).collect();
        let entries = fs::read_dir(&tests).map_err(|error| problem(&tests, error))?;
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            let is_test = path.extension().is_some_and(|extension| extension == "json");
            if is_test && !wanted.contains(&path) {
                fs::remove_file(&path).map_err(|error| problem(&path, error))?;
            }
        }
        for (test, file) in self.tests.iter().zip(&wanted) {
            write(file, test)?;
        }
        // Last, so that a summary never speaks of tests that are not there.
        write(&folder.join(SUMMARY), &self.summary)
    }

    /// Reads a suite.
    ///
    /// # Errors
    /// If a file is missing, damaged, or of another format.
    pub fn read(folder: &Path) -> Result<Suite, SuiteError> {
        let file = folder.join(SUMMARY);
        let summary: Summary = read(&file)?;
        check(&file, summary.format)?;
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
        check(file, test.format)?;
        Ok(test)
    }
}

fn file_of(folder: &Path, test: &str) -> PathBuf {
    folder.join(TESTS).join(format!("{test}.json"))
}

fn problem(file: &Path, error: impl fmt::Display) -> SuiteError {
    SuiteError { file: file.to_owned(), problem: error.to_string() }
}

fn check(file: &Path, format: u32) -> Result<(), SuiteError> {
    if format == FORMAT {
        return Ok(());
    }
    Err(problem(file, format!("it has format {format}; this version reads format {FORMAT}")))
}

/// Written beside and renamed, so that nobody ever reads half a file.
fn write(file: &Path, value: &impl Serialize) -> Result<(), SuiteError> {
    let mut text = serde_json::to_string_pretty(value).map_err(|error| problem(file, error))?;
    text.push('\n');
    let fresh = file.with_extension("json.new");
    fs::write(&fresh, text).map_err(|error| problem(&fresh, error))?;
    fs::rename(&fresh, file).map_err(|error| problem(file, error))
}

fn read<T: DeserializeOwned>(file: &Path) -> Result<T, SuiteError> {
    let text = fs::read_to_string(file).map_err(|error| problem(file, error))?;
    serde_json::from_str(&text).map_err(|error| problem(file, error))
}

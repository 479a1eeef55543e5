//! The tests and findings of merged runs: numbered anew, each once.

use std::collections::{BTreeMap, BTreeSet};

use super::{MergeError, NamedSuite, is_tested};
use crate::{Address, Direction, Finding, TestCase, Verdict};

/// The tests of all runs.
pub(super) struct MergedTests {
    /// The tests, under their new names.
    pub(super) tests: Vec<TestCase>,
    /// The findings, each with the new name of its test.
    pub(super) findings: Vec<Finding>,
    /// For each direction that a test takes, the new name of the first one.
    pub(super) covered: BTreeMap<Direction, String>,
}

impl MergedTests {
    /// Takes the tests of the runs in order.
    ///
    /// # Errors
    /// If a verdict names a test that its run does not have.
    pub(super) fn of(runs: &[NamedSuite]) -> Result<MergedTests, MergeError> {
        let minimised = runs.iter().all(is_minimised);
        let (shown, findings) = findings(runs);
        let mut merged = MergedTests { tests: Vec::new(), findings, covered: BTreeMap::new() };
        for (number, run) in runs.iter().enumerate() {
            let mut taken = taken(run)?;
            for test in &run.suite.tests {
                let own = taken.remove(test.name.as_str()).unwrap_or_default();
                let finding = shown.get(&(number, test.name.as_str()));
                merged.add(test, own, minimised, finding.map_or(&[][..], Vec::as_slice));
            }
        }
        Ok(merged)
    }

    /// Adds a test that takes directions, and shows the findings with these indexes.
    fn add(&mut self, test: &TestCase, taken: BTreeSet<Direction>, minimised: bool, shows: &[usize]) {
        let new: Vec<Direction> =
            taken.into_iter().filter(|direction| !self.covered.contains_key(direction)).collect();
        // A program without branches has a test, too.
        if minimised && new.is_empty() && shows.is_empty() && !self.tests.is_empty() {
            return;
        }
        let same = self.tests.iter().find(|other| is_same_run(other, test)).map(|other| other.name.clone());
        let name = same.clone().unwrap_or_else(|| format!("{:04}", self.tests.len() + 1));
        shows.iter().for_each(|index| self.findings[*index].test.clone_from(&name));
        self.covered.extend(new.iter().map(|direction| (*direction, name.clone())));
        match same.and_then(|name| self.tests.iter_mut().find(|other| other.name == name)) {
            Some(other) => other.new_directions.extend(new),
            None => self.tests.push(TestCase { name, new_directions: new, ..test.clone() }),
        }
    }
}

/// Whether two tests have the same input and the same run.
fn is_same_run(one: &TestCase, other: &TestCase) -> bool {
    // The hash first: it differs most often.
    one.path_hash == other.path_hash && {
        let renamed =
            TestCase { name: one.name.clone(), new_directions: one.new_directions.clone(), ..other.clone() };
        renamed == *one
    }
}

/// Whether a run dropped tests that take no branch direction of their own.
fn is_minimised(run: &NamedSuite) -> bool {
    let plan = &run.suite.summary.plan;
    plan["criterion"] == "branch" && plan["keep_all"] != true
}

/// The directions that each test of a run is the first to take, by its verdicts and by the test itself.
fn taken(run: &NamedSuite) -> Result<BTreeMap<&str, BTreeSet<Direction>>, MergeError> {
    let tests = run.suite.tests.iter();
    let mut taken: BTreeMap<&str, BTreeSet<Direction>> =
        tests.map(|test| (test.name.as_str(), test.new_directions.iter().copied().collect())).collect();
    for judged in run.suite.summary.directions.iter().filter(|judged| is_tested(judged)) {
        let Verdict::Covered { test, .. } = &judged.verdict else { continue };
        let Some(directions) = taken.get_mut(test.as_str()) else {
            let (run, direction, test) = (run.name.clone(), judged.direction, test.clone());
            return Err(MergeError::NoTest { run, direction, test });
        };
        directions.insert(judged.direction);
    }
    Ok(taken)
}

/// The indexes of the findings that a test shows, by the number of its run and its name there.
type Shown<'r> = BTreeMap<(usize, &'r str), Vec<usize>>;

/// The findings of all runs, each once: the same oracle reports the same instruction. One whose test is not there keeps its name,
/// with that of the run.
fn findings(runs: &[NamedSuite]) -> (Shown<'_>, Vec<Finding>) {
    let mut known: BTreeSet<(&str, Address)> = BTreeSet::new();
    let (mut shown, mut findings) = (Shown::new(), Vec::new());
    for (number, run) in runs.iter().enumerate() {
        for finding in &run.suite.summary.findings {
            if !known.insert((&finding.oracle, finding.address)) {
                continue;
            }
            shown.entry((number, finding.test.as_str())).or_default().push(findings.len());
            findings.push(Finding { test: format!("{}/{}", run.name, finding.test), ..finding.clone() });
        }
    }
    (shown, findings)
}

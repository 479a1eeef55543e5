//! Why suites cannot be merged: setups that differ, damaged suites, and contradictions between verdicts.

use std::collections::BTreeSet;
use std::fmt;

use super::NamedSuite;
use crate::{Direction, Summary};

/// Why suites cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeError {
    /// There are fewer than two suites.
    TooFew,
    /// A suite is given twice.
    Twice {
        /// Its name.
        run: String,
    },
    /// A suite does not record its configuration.
    NoConfiguration {
        /// Its name.
        run: String,
    },
    /// Two suites are not of the same program, architecture or configuration.
    Setup(SetupDifference),
    /// A verdict of a suite names a test that it does not have.
    NoTest {
        /// The name of the suite.
        run: String,
        /// The direction.
        direction: Direction,
        /// The test.
        test: String,
    },
    /// A run covers what another one calls infeasible: a fault of Everypath. There is at least one such direction.
    Contradictions(Vec<Contradiction>),
}

/// A part of the setup in which two suites differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetupDifference {
    /// The part: `programs`, `architectures` or `configurations`.
    pub what: &'static str,
    /// The name of the one suite, and what it records.
    pub first: (String, String),
    /// The name of the other, and what it records.
    pub other: (String, String),
}

/// A direction that one run covers by a test and another one calls infeasible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// The direction.
    pub direction: Direction,
    /// The run that covers it, and its test.
    pub covered: (String, String),
    /// The run that calls it infeasible, and the evidence.
    pub infeasible: (String, String),
}

impl fmt::Display for Contradiction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Contradiction { direction, covered: (covers, test), infeasible: (denies, evidence) } = self;
        write!(
            formatter,
            "{direction} is covered by test {test} of {covers}, and infeasible in {denies}: {evidence}"
        )
    }
}

impl fmt::Display for MergeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MergeError::TooFew => formatter.write_str("at least two suites are needed"),
            MergeError::Twice { run } => write!(formatter, "{run} is given twice; name each folder once"),
            MergeError::NoConfiguration { run } => write!(
                formatter,
                "{run} does not record its configuration, so that it may differ from that of the others; run `everypath test` again"
            ),
            MergeError::Setup(SetupDifference { what, first, other }) => write!(
                formatter,
                "the runs are of different {what}: {} has {}, {} has {}; merge runs of the same file with the same \
                 configuration and flags, or compare them with `everypath diff`",
                first.0, first.1, other.0, other.1
            ),
            MergeError::NoTest { run, direction, test } => write!(
                formatter,
                "{run} is damaged: it says that test {test} covers {direction}, and has no such test; run `everypath test` again"
            ),
            MergeError::Contradictions(list) => {
                formatter.write_str("the runs contradict each other: ")?;
                for (number, contradiction) in list.iter().enumerate() {
                    let separator = if number == 0 { "" } else { "\n  " };
                    write!(formatter, "{separator}{contradiction}")?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for MergeError {}

/// Checks that all suites are of one program, architecture and configuration.
pub(super) fn check_setups(runs: &[NamedSuite]) -> Result<(), MergeError> {
    let [first, others @ ..] = runs else { return Err(MergeError::TooFew) };
    if others.is_empty() {
        return Err(MergeError::TooFew);
    }
    let mut names = BTreeSet::new();
    if let Some(run) = runs.iter().find(|run| !names.insert(&run.name)) {
        return Err(MergeError::Twice { run: run.name.clone() });
    }
    let program = |summary: &Summary| format!("{} with SHA-256 {}", summary.program, summary.program_hash);
    let configuration = |summary: &Summary| format!("one with SHA-256 {}", summary.configuration_hash);
    for run in others {
        let (ours, theirs) = (&first.suite.summary, &run.suite.summary);
        let difference = |what, shown: &dyn Fn(&Summary) -> String| {
            let (one, other) = ((first.name.clone(), shown(ours)), (run.name.clone(), shown(theirs)));
            Err(MergeError::Setup(SetupDifference { what, first: one, other }))
        };
        if ours.program_hash != theirs.program_hash {
            return difference("programs", &program);
        }
        if ours.architecture != theirs.architecture {
            return difference("architectures", &|summary| summary.architecture.clone());
        }
        if let Some(run) =
            [first, run].into_iter().find(|run| run.suite.summary.configuration_hash.is_empty())
        {
            return Err(MergeError::NoConfiguration { run: run.name.clone() });
        }
        if ours.configuration_hash != theirs.configuration_hash {
            return difference("configurations", &configuration);
        }
    }
    Ok(())
}

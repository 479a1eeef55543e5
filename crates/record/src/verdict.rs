//! Branch directions and their verdicts.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Address;

/// A branch direction: the edge from a branch to one of its targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Direction {
    /// The branching instruction.
    pub branch: Address,
    /// The target instruction.
    pub target: Address,
}

impl fmt::Display for Direction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} -> {}", self.branch, self.target)
    }
}

/// The verdict on a branch direction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "verdict", rename_all = "lowercase")]
pub enum Verdict {
    /// A test or a trace takes it.
    Covered {
        /// The test's name; of a trace, `trace ` and its name; of a test of another suite, its folder and its name.
        test: String,
        /// Whether it is a test, a trace, or a test of another suite.
        #[serde(default, skip_serializing_if = "CoveredBy::is_test")]
        by: CoveredBy,
    },
    /// No input takes it.
    Infeasible {
        /// The proof, in words.
        evidence: String,
        /// The names of the files, in the folder `certificates` of the suite, that certify the solver's answers.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        certificates: Vec<String>,
    },
    /// It is undecided.
    Open {
        /// Why it is undecided.
        reason: String,
    },
    /// It cannot be decided, because a model is missing.
    Unsupported {
        /// The missing model.
        reason: String,
    },
}

/// The kind of execution that covers a direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CoveredBy {
    /// A test of the suite.
    #[default]
    Test,
    /// A trace, which was recorded elsewhere and is not replayed.
    Trace,
    /// A test of another suite, which was replayed under the configuration of that suite.
    Suite,
}

impl CoveredBy {
    fn is_test(&self) -> bool {
        *self == CoveredBy::Test
    }
}

/// The prefix of the name of a trace in [`Verdict::Covered`], so that no reader takes it for a test; the name of a test
/// has no space.
const TRACE: &str = "trace ";

/// The separator between the evidence and the names of certificates in the results of older versions.
const CERTIFICATES: &str = "; certificates: ";

impl Verdict {
    /// Covered by a test.
    #[must_use]
    pub fn covered_by_test(name: &str) -> Verdict {
        Verdict::Covered { test: name.to_owned(), by: CoveredBy::Test }
    }

    /// Covered by a trace.
    #[must_use]
    pub fn covered_by_trace(name: &str) -> Verdict {
        Verdict::Covered { test: format!("{TRACE}{name}"), by: CoveredBy::Trace }
    }

    /// Covered by a test of another suite, by its folder and its name.
    #[must_use]
    pub fn covered_by_suite(name: &str) -> Verdict {
        Verdict::Covered { test: name.to_owned(), by: CoveredBy::Suite }
    }

    /// Infeasible by this evidence, without certificates.
    #[must_use]
    pub fn infeasible(evidence: String) -> Verdict {
        Verdict::Infeasible { evidence, certificates: Vec::new() }
    }

    /// The verdict in one word, as it is serialised.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Covered { .. } => "covered",
            Verdict::Infeasible { .. } => "infeasible",
            Verdict::Open { .. } => "open",
            Verdict::Unsupported { .. } => "unsupported",
        }
    }

    /// Whether the direction is neither covered nor infeasible.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        matches!(self, Verdict::Open { .. } | Verdict::Unsupported { .. })
    }

    /// The name of the trace that takes the direction, if no test does. A trace was recorded elsewhere, and is not replayed.
    #[must_use]
    pub fn trace(&self) -> Option<&str> {
        match self {
            Verdict::Covered { test, by: CoveredBy::Trace } => Some(test.strip_prefix(TRACE).unwrap_or(test)),
            _ => None,
        }
    }

    /// The test of another suite that takes the direction, by its folder and its name, if neither a test of this suite nor a trace
    /// does. It was replayed under the configuration of its suite.
    #[must_use]
    pub fn suite_test(&self) -> Option<&str> {
        match self {
            Verdict::Covered { test, by: CoveredBy::Suite } => Some(test),
            _ => None,
        }
    }

    /// Whether a trace or a test of another suite covers the direction, and no test of this suite.
    #[must_use]
    pub fn is_covered_elsewhere(&self) -> bool {
        self.trace().is_some() || self.suite_test().is_some()
    }

    /// The names of the files that certify the evidence.
    #[must_use]
    pub fn certificates(&self) -> &[String] {
        match self {
            Verdict::Infeasible { certificates, .. } => certificates,
            _ => &[],
        }
    }

    /// The evidence or the reason, in words, if no test or trace takes the direction.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match self {
            Verdict::Covered { .. } => None,
            Verdict::Infeasible { evidence: reason, .. }
            | Verdict::Open { reason }
            | Verdict::Unsupported { reason } => Some(reason),
        }
    }

    /// The test or the trace that takes the direction: `test 0001`, `trace bench`.
    #[must_use]
    pub fn taken_by(&self) -> Option<String> {
        match self {
            Verdict::Covered { test, by: CoveredBy::Test | CoveredBy::Suite } => Some(format!("test {test}")),
            Verdict::Covered { .. } => self.trace().map(|trace| format!("{TRACE}{trace}")),
            _ => None,
        }
    }

    /// Sets the fields that older results lack, from the text that they have instead.
    pub(crate) fn complete_older(&mut self) {
        match self {
            Verdict::Covered { test, by } if test.starts_with(TRACE) => *by = CoveredBy::Trace,
            Verdict::Infeasible { evidence, certificates } if certificates.is_empty() => {
                let Some((text, list)) = evidence.split_once(CERTIFICATES) else { return };
                let (list, rest) = list.split_at(list.find(';').unwrap_or(list.len()));
                *certificates = list.split(", ").map(str::to_owned).collect();
                *evidence = format!("{text}{rest}");
            }
            _ => {}
        }
    }
}

/// A direction and its verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Judged {
    /// The direction.
    #[serde(flatten)]
    pub direction: Direction,
    /// The verdict.
    #[serde(flatten)]
    pub verdict: Verdict,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A verdict as an older result has it, completed.
    fn older(text: &str) -> Verdict {
        let mut verdict: Verdict = serde_json::from_str(text).expect("a verdict");
        verdict.complete_older();
        verdict
    }

    #[test]
    fn older_results_are_read_as_those_of_today() {
        let trace = older(r#"{ "verdict": "covered", "test": "trace bench 1.log" }"#);
        assert_eq!(trace, Verdict::covered_by_trace("bench 1.log"));
        assert_eq!(trace.trace(), Some("bench 1.log"));
        assert_eq!(older(r#"{ "verdict": "covered", "test": "0001" }"#), Verdict::covered_by_test("0001"));
        let certified = older(
            r#"{ "verdict": "infeasible", "evidence": "unsat; certificates: a.certificate, b.certificate; one has none" }"#,
        );
        let names = ["a.certificate", "b.certificate"].map(str::to_owned).to_vec();
        let evidence = "unsat; one has none".to_owned();
        assert_eq!(certified, Verdict::Infeasible { evidence, certificates: names });
        assert_eq!(
            older(r#"{ "verdict": "infeasible", "evidence": "unsat" }"#),
            Verdict::infeasible("unsat".to_owned())
        );
    }
}

//! The difference between the results of two runs: verdicts, findings, assumptions and settings that changed.

mod direction_change;
mod matching;
mod setting_change;
mod text;

use everypath_record::{Assumption, CodeLocation, Finding, Judged, Justification, Suite, Summary, Verdict};
use serde::Serialize;

pub use direction_change::{DirectionChange, VerdictChange};
pub use matching::{FunctionChange, Matching, VerdictTally};
pub use setting_change::SettingChange;

use crate::number::counted;
use matching::Matcher;

/// The version of the JSON document. It changes when a reader of the old one would misunderstand the new one.
const VERSION: u32 = 1;

/// The difference between two suites, and the JSON document of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SuiteDifference {
    /// The name of the format: `everypath.diff`.
    pub format: &'static str,
    /// The version of the format.
    pub version: u32,
    /// Whether the second run is worse: a direction is no longer covered or no longer infeasible, covered directions were
    /// removed while new ones are open, a changed function has more open directions, or findings or divergences appeared.
    pub is_worse: bool,
    /// Number of directions that one run covers by a test and the other calls infeasible, although program and configuration
    /// are the same: a fault of Everypath.
    pub contradictions: usize,
    /// The results of the first run in numbers.
    pub before: RunTally,
    /// The results of the second run in numbers.
    pub after: RunTally,
    /// The settings that differ.
    pub settings: Vec<SettingChange>,
    /// How directions were matched.
    pub matching: Matching,
    /// The functions whose branches or their targets are at other offsets, which are compared as a whole.
    pub changed_functions: Vec<FunctionChange>,
    /// The directions whose verdicts differ or that only one run has, regressions first.
    pub directions: Vec<DirectionChange>,
    /// The findings of the second run only.
    pub findings_appeared: Vec<LocatedFinding>,
    /// The findings of the first run only.
    pub findings_disappeared: Vec<LocatedFinding>,
    /// The assumptions of the second run only.
    pub assumptions_appeared: Vec<LocatedAssumption>,
    /// The assumptions of the first run only.
    pub assumptions_disappeared: Vec<LocatedAssumption>,
    /// The justifications that lapsed in the second run and had not in the first one.
    pub justifications_lapsed: Vec<Justification>,
}

/// The results of a run in numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunTally {
    /// The name of the program's file.
    pub program: String,
    /// Its branch directions by verdict.
    pub directions: VerdictTally,
    /// Whether the list of directions is complete.
    pub directions_exact: bool,
    /// Whether every feasible path was explored.
    pub complete: bool,
    /// Number of paths.
    pub paths: u64,
    /// Number of tests.
    pub tests: usize,
    /// Number of findings.
    pub findings: usize,
    /// Number of open and unsupported directions that are justified.
    pub justified: usize,
    /// Number of assumptions.
    pub assumptions: usize,
    /// Number of replays that differ from the exploration.
    pub divergences: usize,
}

/// A finding with its code location.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LocatedFinding {
    /// The finding.
    #[serde(flatten)]
    pub finding: Finding,
    /// Its location.
    pub location: CodeLocation,
}

/// An assumption with its code location.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LocatedAssumption {
    /// The assumption.
    #[serde(flatten)]
    pub assumption: Assumption,
    /// Its location.
    pub location: CodeLocation,
}

impl SuiteDifference {
    /// Compares two suites.
    #[must_use]
    pub fn between(before: &Suite, after: &Suite) -> SuiteDifference {
        let (before, after) = (&before.summary, &after.summary);
        let matcher = Matcher::new(before, after);
        let (directions, matching) = direction_change::changes(&matcher);
        let changed_functions = matcher.changed_functions();
        let findings = matcher.unmatched(
            &before.findings,
            &after.findings,
            |finding| (finding.oracle.as_str(), finding.address, finding.message.as_str()),
            |finding, location| LocatedFinding { finding: finding.clone(), location },
        );
        let assumptions = matcher.unmatched(
            &before.assumptions,
            &after.assumptions,
            |assumption| (assumption.kind.as_str(), assumption.address, assumption.message.as_str()),
            |assumption, location| LocatedAssumption { assumption: assumption.clone(), location },
        );
        let mut difference = SuiteDifference {
            format: "everypath.diff",
            version: VERSION,
            is_worse: false,
            contradictions: directions.iter().filter(|change| change.is_contradiction).count(),
            before: RunTally::of(before),
            after: RunTally::of(after),
            settings: setting_change::changes(before, after),
            matching,
            changed_functions,
            directions,
            findings_appeared: findings.1,
            findings_disappeared: findings.0,
            assumptions_appeared: assumptions.1,
            assumptions_disappeared: assumptions.0,
            justifications_lapsed: lapsed(before, after),
        };
        difference.is_worse = !difference.regressions().is_empty();
        difference
    }

    /// The regressions in words, with their numbers: `2 directions no longer covered`.
    fn regressions(&self) -> Vec<String> {
        let with = |change| self.with_change(change).count();
        let is_covered = |judged: &Option<Judged>| {
            judged.as_ref().is_some_and(|judged| matches!(judged.verdict, Verdict::Covered { .. }))
        };
        let is_undecided = |judged: &Option<Judged>| {
            let is =
                |verdict: &Verdict| matches!(verdict, Verdict::Open { .. } | Verdict::Unsupported { .. });
            judged.as_ref().is_some_and(|judged| is(&judged.verdict))
        };
        let removed =
            self.with_change(VerdictChange::Removed).filter(|change| is_covered(&change.before)).count();
        let new = self.with_change(VerdictChange::New).filter(|change| is_undecided(&change.after)).count();
        let counts = [
            (with(VerdictChange::NoLongerCovered), "direction", "no longer covered"),
            (with(VerdictChange::NoLongerInfeasible), "direction", "no longer infeasible"),
            (if removed == 0 { 0 } else { new }, "new direction", "open while covered ones were removed"),
            (
                self.changed_functions.iter().filter(|function| function.is_worse()).count(),
                "changed function",
                "with more open directions",
            ),
            (self.findings_appeared.len(), "finding", "appeared"),
            (self.after.divergences.saturating_sub(self.before.divergences), "divergence", "appeared"),
        ];
        let some = counts.into_iter().filter(|(count, ..)| *count > 0);
        some.map(|(count, what, how)| format!("{} {how}", counted(count as u64, what))).collect()
    }

    /// The directions with a change.
    pub fn with_change(&self, change: VerdictChange) -> impl Iterator<Item = &DirectionChange> {
        self.directions.iter().filter(move |direction| direction.change == change)
    }
}

/// The justifications that lapsed in the second run only.
fn lapsed(before: &Summary, after: &Summary) -> Vec<Justification> {
    let is_same = |one: &Justification, other: &Justification| {
        Justification { standing: other.standing.clone(), ..one.clone() } == *other
    };
    let lapsed = after.lapsed().map(|(justification, _)| justification);
    let new = lapsed.filter(|one| !before.lapsed().any(|(old, _)| is_same(one, old)));
    new.cloned().collect()
}

impl RunTally {
    fn of(summary: &Summary) -> RunTally {
        RunTally {
            program: summary.program.clone(),
            directions: VerdictTally::of(summary.directions.iter().map(|judged| &judged.verdict)),
            directions_exact: summary.directions_exact,
            complete: summary.complete,
            paths: summary.paths,
            tests: summary.tests.len(),
            findings: summary.findings.len(),
            justified: summary.justified().len(),
            assumptions: summary.assumptions.len(),
            divergences: summary.divergences.len(),
        }
    }
}

//! Claims of a merged suite as a whole: completeness, the criterion, and an exact list of directions. A single run
//! makes each claim, and no result of another run puts it in doubt.

use std::collections::BTreeSet;

use super::merged_tests::MergedTests;
use super::verdicts::tested;
use super::{NamedSuite, is_tested};
use crate::{Direction, Summary};

/// Kinds of assumptions that lose paths and say nothing about the environment.
const OF_THE_SEARCH: [&str; 5] = ["bound", "concretised", "divergence", "unanswered", "unmodelled"];

/// Fills in the claims of a summary that has everything else.
pub(super) fn conclude(
    summary: &mut Summary,
    runs: &[NamedSuite],
    tests: &MergedTests,
    refutation: Option<&str>,
) {
    if let Some(refutation) = refutation {
        for exit in &mut summary.indirect_exits {
            exit.resolved = false;
            refutation.clone_into(&mut exit.reason);
        }
        summary.incomplete_reasons = reasons(runs);
        summary.incomplete_reasons.retain(|reason| reason != refutation);
        summary.incomplete_reasons.insert(0, refutation.to_owned());
        return;
    }
    let (complete, objections) = completeness(summary, runs, tests);
    summary.complete = complete;
    if !complete {
        summary.incomplete_reasons = objections;
        summary.incomplete_reasons.extend(reasons(runs));
    }
    summary.criterion_reached = is_reached(summary, runs);
    let is_assumed = |kind: &String| !OF_THE_SEARCH.contains(&kind.as_str());
    let world_assumed = summary.assumptions.iter().any(|one| one.loses_paths && is_assumed(&one.kind));
    summary.directions_exact = !world_assumed
        && summary.indirect_exits.iter().all(|exit| exit.resolved)
        && runs.iter().any(|run| run.suite.summary.directions_exact && lists_all(run, summary));
}

/// Whether a run explored every feasible path, so that no other run has a test for what it does not cover; and why not, where
/// runs that say so are put in doubt.
fn completeness(summary: &Summary, runs: &[NamedSuite], tests: &MergedTests) -> (bool, Vec<String>) {
    let mut objections = Vec::new();
    for run in runs.iter().filter(|run| run.suite.summary.complete) {
        let own: BTreeSet<Direction> = tested(run).collect();
        let merged = summary.directions.iter().filter(|judged| is_tested(judged));
        match merged.map(|judged| judged.direction).find(|direction| !own.contains(direction)) {
            None => return (true, Vec::new()),
            Some(other) => objections.push(format!(
                "at {}: {} reports that it explored every path, and test {} takes {other}, which it does not cover",
                other.branch,
                run.name,
                tests.covered.get(&other).map_or("of another run", String::as_str),
            )),
        }
    }
    (false, objections)
}

/// Why the runs are incomplete, each reason once.
fn reasons(runs: &[NamedSuite]) -> Vec<String> {
    let mut reasons: Vec<String> = Vec::new();
    for reason in runs.iter().flat_map(|run| &run.suite.summary.incomplete_reasons) {
        if !reasons.contains(reason) {
            reasons.push(reason.clone());
        }
    }
    reasons
}

/// Whether the criterion is reached: one run reached it, no other knows of more directions, and nothing is open.
///
/// That nothing is open and every indirect exit is resolved is not enough, even for the branch criterion: where paths ended
/// abnormally, code may have been missed, which summaries do not record.
fn is_reached(summary: &Summary, runs: &[NamedSuite]) -> bool {
    let criterion = &summary.plan["criterion"];
    let (_, _, open) = summary.tally();
    let by_branches = criterion == "branch" || criterion == "instruction";
    if !summary.divergences.is_empty() || by_branches && open > 0 {
        return false;
    }
    runs.iter().any(|run| {
        let own = &run.suite.summary;
        own.criterion_reached && own.plan["criterion"] == *criterion && lists_all(run, summary)
    })
}

/// Whether a run has every direction and every target of the merged summary.
fn lists_all(run: &NamedSuite, summary: &Summary) -> bool {
    let own: BTreeSet<Direction> =
        run.suite.summary.directions.iter().map(|judged| judged.direction).collect();
    summary.directions.iter().all(|judged| own.contains(&judged.direction))
}

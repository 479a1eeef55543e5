//! Credits branch directions to the traces that take them, and keeps only the tests that add to them.

use super::TraceCoverage;
use everypath_record::{Address, Assumption, Direction, Judged, Suite, Verdict};
use std::collections::{BTreeMap, BTreeSet};

/// Credits the directions that traces take to them, the first one first. A direction that is infeasible although a trace takes it
/// refutes the configuration: then no direction is infeasible, nor is anything complete or exact.
pub(crate) fn credit(suite: &mut Suite, traces: &[(String, TraceCoverage)]) {
    let mut first: BTreeMap<Direction, String> = BTreeMap::new();
    for (name, coverage) in traces {
        for direction in &coverage.directions {
            first.entry(*direction).or_insert_with(|| format!("trace {name}"));
        }
    }
    let refutation = refutation(suite, &first);
    let summary = &mut suite.summary;
    for judged in &mut summary.directions {
        if let Some(trace) = first.remove(&judged.direction) {
            judged.verdict = Verdict::Covered { test: trace };
        } else if let (Verdict::Infeasible { .. }, Some(refutation)) = (&judged.verdict, &refutation) {
            judged.verdict = Verdict::Open { reason: refutation.clone() };
        }
    }
    // Those that are left are targets of indirect exits that were not known.
    for (direction, test) in first {
        summary.directions.push(Judged { direction, verdict: Verdict::Covered { test } });
        for exit in summary.indirect_exits.iter_mut().filter(|exit| exit.branch == direction.branch) {
            exit.targets.push(direction.target);
            exit.targets.sort_unstable();
        }
    }
    summary.directions.sort_by_key(|judged| judged.direction);
    if let Some(refutation) = refutation {
        summary.complete = false;
        summary.criterion_reached = false;
        summary.directions_exact = false;
        summary.incomplete_reasons.insert(0, refutation);
    }
    let gaps = traces.iter().filter(|(_, coverage)| coverage.gaps > 0);
    summary.assumptions.extend(gaps.map(|(name, coverage)| Assumption {
        kind: "trace".to_owned(),
        address: Address(0),
        message: format!(
            "steps of trace {name} do not follow from the one before: interrupts, code that the graph does not have, or a log with gaps"
        ),
        count: coverage.gaps,
        loses_paths: false,
    }));
    keep_needed_tests(suite);
}

/// What is wrong with the results, if a trace takes an infeasible direction, or an unknown target of a resolved indirect exit.
fn refutation(suite: &Suite, taken: &BTreeMap<Direction, String>) -> Option<String> {
    let summary = &suite.summary;
    let is_infeasible = |judged: &&Judged| matches!(judged.verdict, Verdict::Infeasible { .. });
    let infeasible = summary.directions.iter().filter(is_infeasible).map(|judged| judged.direction);
    let known: BTreeSet<Direction> = summary.directions.iter().map(|judged| judged.direction).collect();
    let resolved =
        |branch: Address| summary.indirect_exits.iter().any(|exit| exit.branch == branch && exit.resolved);
    let new =
        taken.keys().filter(|direction| !known.contains(direction) && resolved(direction.branch)).copied();
    let refuted = infeasible.filter(|direction| taken.contains_key(direction)).chain(new).min()?;
    let by = &taken[&refuted];
    Some(format!(
        "at {}: {by} goes to {}, which was held to be infeasible: the configuration does not describe the world that it was \
         recorded in, or everypath is wrong",
        refuted.branch, refuted.target
    ))
}

/// Drops tests that add nothing to the traces and show no finding.
fn keep_needed_tests(suite: &mut Suite) {
    let mut covered: BTreeMap<&str, BTreeSet<Direction>> = BTreeMap::new();
    for Judged { direction, verdict } in &suite.summary.directions {
        if let Verdict::Covered { test } = verdict {
            covered.entry(test).or_default().insert(*direction);
        }
    }
    let findings: BTreeSet<&str> =
        suite.summary.findings.iter().map(|finding| finding.test.as_str()).collect();
    suite.tests.retain_mut(|test| {
        let own = covered.get(test.name.as_str());
        test.new_directions.retain(|direction| own.is_some_and(|own| own.contains(direction)));
        !test.new_directions.is_empty() || findings.contains(test.name.as_str())
    });
    suite.summary.tests = suite.tests.iter().map(|test| test.name.clone()).collect();
}

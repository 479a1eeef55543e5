//! Credits branch directions to the traces that take them, and keeps only the tests that add to them.

use super::{ExecutionTrace, TraceCoverage};
use everypath_record::{Address, Assumption, CoveredBy, Direction, Judged, Suite, Summary, Verdict};
use std::collections::{BTreeMap, BTreeSet};

/// Credits the directions that traces take to them, the first one first. A direction that is infeasible although a trace takes it
/// refutes the configuration: then no direction is infeasible, nor is anything complete or exact.
pub(crate) fn credit(suite: &mut Suite, traces: &[(&ExecutionTrace, TraceCoverage)]) {
    let mut first: BTreeMap<Direction, String> = BTreeMap::new();
    for (trace, coverage) in traces {
        for direction in &coverage.directions {
            first.entry(*direction).or_insert_with(|| trace.name.clone());
        }
    }
    let summary = &mut suite.summary;
    summary.assumptions.extend(traces.iter().flat_map(|(trace, coverage)| notes(trace, coverage)));
    let refuted = refuted(summary, &first);
    let refutation =
        refuted.map(|direction| Summary::refuted_by(&format!("trace {}", first[&direction]), direction));
    for judged in &mut summary.directions {
        if let Some(trace) = first.remove(&judged.direction) {
            judged.verdict = Verdict::covered_by_trace(&trace);
        } else if let (Verdict::Infeasible { .. }, Some(refutation)) = (&judged.verdict, &refutation) {
            judged.verdict = Verdict::Open { reason: refutation.clone() };
        }
    }
    // Those that are left are targets of indirect jumps that were not known.
    for (direction, trace) in first {
        summary.directions.push(Judged { direction, verdict: Verdict::covered_by_trace(&trace) });
        for exit in summary.indirect_exits.iter_mut().filter(|exit| exit.branch == direction.branch) {
            exit.targets.push(direction.target);
            exit.targets.sort_unstable();
        }
    }
    summary.directions.sort_by_key(|judged| judged.direction);
    match refutation {
        Some(refutation) => refute(summary, refutation),
        None => conclude(summary),
    }
    keep_needed_tests(suite);
}

/// The assumptions about a trace for the ledger: it is not replayed, and some steps may not follow from those before.
fn notes(trace: &ExecutionTrace, coverage: &TraceCoverage) -> Vec<Assumption> {
    let ExecutionTrace { name, hash, .. } = trace;
    let note = |message: String, count: u64| Assumption {
        kind: "trace".to_owned(),
        address: Address(coverage.first.unwrap_or(0)),
        message,
        count,
        loses_paths: false,
    };
    let hash = if hash.is_empty() { String::new() } else { format!(" (SHA-256 {hash})") };
    let recorded = format!(
        "directions are covered by trace {name}{hash}, which was recorded elsewhere and is not replayed"
    );
    let mut notes = vec![note(recorded, coverage.directions.len() as u64)];
    if coverage.gaps > 0 {
        let gaps = format!(
            "steps of trace {name} do not follow from the one before: interrupts, code that the graph does not have, or a log with gaps"
        );
        notes.push(note(gaps, coverage.gaps));
    }
    notes
}

/// The first direction that a trace takes although it is infeasible, or leads to an unknown target of a resolved indirect exit.
fn refuted(summary: &Summary, taken: &BTreeMap<Direction, String>) -> Option<Direction> {
    let is_infeasible = |judged: &&Judged| matches!(judged.verdict, Verdict::Infeasible { .. });
    let infeasible = summary.directions.iter().filter(is_infeasible).map(|judged| judged.direction);
    let known: BTreeSet<Direction> = summary.directions.iter().map(|judged| judged.direction).collect();
    let is_resolved =
        |branch: Address| summary.indirect_exits.iter().any(|exit| exit.branch == branch && exit.resolved);
    let is_new = |direction: &&Direction| !known.contains(direction) && is_resolved(direction.branch);
    let new = taken.keys().filter(is_new).copied();
    infeasible.filter(|direction| taken.contains_key(direction)).chain(new).min()
}

/// Takes back what the results claim.
fn refute(summary: &mut Summary, refutation: String) {
    summary.complete = false;
    summary.criterion_reached = false;
    summary.directions_exact = false;
    for exit in &mut summary.indirect_exits {
        exit.resolved = false;
        exit.reason.clone_from(&refutation);
    }
    summary.incomplete_reasons.insert(0, refutation);
}

/// The branch criterion is reached if traces and tests together leave nothing open, and there are no further directions.
fn conclude(summary: &mut Summary) {
    let (_, _, open) = summary.tally();
    let by_branches = summary.plan["criterion"] == "branch";
    if open == 0 && by_branches && summary.directions_exact {
        summary.criterion_reached = true;
    }
}

/// Drops tests that no longer add anything to the traces and show no finding.
fn keep_needed_tests(suite: &mut Suite) {
    let mut covered: BTreeMap<&str, BTreeSet<Direction>> = BTreeMap::new();
    for Judged { direction, verdict } in &suite.summary.directions {
        if let Verdict::Covered { test, by: CoveredBy::Test } = verdict {
            covered.entry(test).or_default().insert(*direction);
        }
    }
    let findings: BTreeSet<&str> =
        suite.summary.findings.iter().map(|finding| finding.test.as_str()).collect();
    suite.tests.retain_mut(|test| {
        // A test that adds nothing anyway is there because all tests were asked for.
        let added = !test.new_directions.is_empty();
        let own = covered.get(test.name.as_str());
        test.new_directions.retain(|direction| own.is_some_and(|own| own.contains(direction)));
        !added || !test.new_directions.is_empty() || findings.contains(test.name.as_str())
    });
    suite.summary.tests = suite.tests.iter().map(|test| test.name.clone()).collect();
}

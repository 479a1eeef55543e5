//! Credits branch directions to the traces that take them, and keeps only the tests that add to them.

use super::{ExecutionTrace, RecordedExecution, ReplayedTest, TraceCoverage};
use everypath_record::{
    Address, Assumption, CodeRange, CoveredBy, Direction, Judged, Suite, Summary, Verdict,
};
use std::collections::{BTreeMap, BTreeSet};

/// Credits the directions that traces take to them, the first one first. A direction that is infeasible although a trace takes it
/// refutes the configuration: then no direction is infeasible, nor is anything complete or exact.
pub(crate) fn credit(suite: &mut Suite, traces: &[(&ExecutionTrace, TraceCoverage)]) {
    let mut first: BTreeMap<Direction, Credit> = BTreeMap::new();
    for (trace, coverage) in traces {
        for direction in &coverage.directions {
            let credit = Credit::of(trace);
            let known = first.entry(*direction).or_insert_with(|| credit.clone());
            // What was run in the world of this run says more.
            if known.is_elsewhere && !credit.is_elsewhere {
                *known = credit;
            }
        }
    }
    let summary = &mut suite.summary;
    summary.assumptions.extend(traces.iter().flat_map(|(trace, coverage)| notes(trace, coverage)));
    summary.assumptions.extend(suite_notes(traces));
    let executed = traces.iter().flat_map(|(_, coverage)| &coverage.executed);
    let executed =
        executed.map(|(start, length)| CodeRange { start: Address(*start), size: u64::from(*length) });
    summary.traced_code = CodeRange::union(summary.traced_code.iter().copied().chain(executed));
    let refuted = refuted(summary, &first);
    let refutation = refuted.map(|direction| Summary::refuted_by(&first[&direction].name(), direction));
    for judged in &mut summary.directions {
        if let Some(credit) = first.remove(&judged.direction) {
            let is_infeasible = matches!(judged.verdict, Verdict::Infeasible { .. });
            match (&refutation, is_infeasible && credit.is_elsewhere) {
                // A test in another world does not put a proof about this one in doubt.
                (None, true) => {}
                _ => judged.verdict = credit.verdict,
            }
        } else if let (Verdict::Infeasible { .. }, Some(refutation)) = (&judged.verdict, &refutation) {
            judged.verdict = Verdict::Open { reason: refutation.clone() };
        }
    }
    // Those that are left are targets of indirect jumps that were not known.
    for (direction, credit) in first {
        summary.directions.push(Judged { direction, verdict: credit.verdict });
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

/// The verdict that a trace, or a test of another suite, gives to a direction.
#[derive(Clone)]
struct Credit {
    verdict: Verdict,
    /// Whether it was executed in another world than that of the run: under another configuration.
    is_elsewhere: bool,
}

impl Credit {
    fn of(trace: &ExecutionTrace) -> Credit {
        let name = &trace.name;
        match &trace.execution {
            RecordedExecution::Replayed(test) => {
                let note = test.function.as_ref().map(|function| format!(" ([call] of {function})"));
                let name = format!("{name}{}", note.unwrap_or_default());
                Credit { verdict: Verdict::covered_by_suite(&name), is_elsewhere: test.has_own_configuration }
            }
            RecordedExecution::InOrder(_) | RecordedExecution::Unordered(_) => {
                Credit { verdict: Verdict::covered_by_trace(name), is_elsewhere: false }
            }
        }
    }

    fn name(&self) -> String {
        self.verdict.taken_by().unwrap_or_default()
    }
}

/// Where a direction is that this run does not have.
const ELSEWHERE: &str = "in code that it does not reach, or to a target that it does not know";

/// The assumptions about the tests of other suites: what they cover of this run, and what they take besides.
fn suite_notes(traces: &[(&ExecutionTrace, TraceCoverage)]) -> Vec<Assumption> {
    let mut suites: BTreeMap<&str, (&ReplayedTest, u64, BTreeSet<Direction>)> = BTreeMap::new();
    let mut unknown: BTreeMap<&str, BTreeSet<Direction>> = BTreeMap::new();
    for (trace, coverage) in traces {
        if let RecordedExecution::Replayed(test) = &trace.execution {
            let first = || (test, coverage.first.unwrap_or(0), BTreeSet::new());
            let (.., directions) = suites.entry(&test.suite).or_insert_with(first);
            directions.extend(&coverage.directions);
            let others = test.directions.difference(&coverage.directions);
            unknown.entry(&test.suite).or_default().extend(others);
        }
    }
    let unknown_note = |(suite, directions): (&str, BTreeSet<Direction>)| Assumption {
        kind: "suite".to_owned(),
        address: directions.first().map_or(Address(0), |direction| direction.branch),
        message: match directions.len() {
            1 => format!("1 direction that tests of {suite} take is not one of this run: {ELSEWHERE}"),
            count => format!(
                "{count} directions that tests of {suite} take are not among those of this run: {ELSEWHERE}"
            ),
        },
        count: directions.len() as u64,
        loses_paths: false,
    };
    let note = |(suite, (test, first, directions)): (&str, (&ReplayedTest, u64, BTreeSet<Direction>))| {
        let what = match (&test.function, test.has_own_configuration) {
            (Some(function), _) => format!(
                ", which are of the function `{function}` by itself (`[call]`) and were replayed under the configuration of their suite: \
                 they show that the function takes these directions, not that the program does; a direction that is infeasible in the \
                 program stays so"
            ),
            (None, true) => ", which were replayed under the configuration of their suite, which is another one; a direction that is \
                 infeasible under this one stays so"
                .to_owned(),
            (None, false) => ", which were replayed under the same configuration".to_owned(),
        };
        Assumption {
            kind: "suite".to_owned(),
            address: Address(first),
            message: format!("directions are covered by tests of {suite}{what}"),
            count: directions.len() as u64,
            loses_paths: false,
        }
    };
    let crediting = suites.into_iter().filter(|(_, (.., directions))| !directions.is_empty());
    let unknown = unknown.into_iter().filter(|(_, directions)| !directions.is_empty());
    crediting.map(note).chain(unknown.map(unknown_note)).collect()
}

/// The assumptions about a trace for the ledger: it is not replayed, and some steps may not follow from those before.
fn notes(trace: &ExecutionTrace, coverage: &TraceCoverage) -> Vec<Assumption> {
    let ExecutionTrace { name, hash, execution } = trace;
    if matches!(execution, RecordedExecution::Replayed(_)) {
        return Vec::new();
    }
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
fn refuted(summary: &Summary, taken: &BTreeMap<Direction, Credit>) -> Option<Direction> {
    let taken: BTreeSet<Direction> =
        taken.iter().filter(|(_, credit)| !credit.is_elsewhere).map(|(direction, _)| *direction).collect();
    let is_infeasible = |judged: &&Judged| matches!(judged.verdict, Verdict::Infeasible { .. });
    let infeasible = summary.directions.iter().filter(is_infeasible).map(|judged| judged.direction);
    let known: BTreeSet<Direction> = summary.directions.iter().map(|judged| judged.direction).collect();
    let is_resolved =
        |branch: Address| summary.indirect_exits.iter().any(|exit| exit.branch == branch && exit.resolved);
    let is_new = |direction: &&Direction| !known.contains(direction) && is_resolved(direction.branch);
    let new = taken.iter().filter(is_new).copied();
    infeasible.filter(|direction| taken.contains(direction)).chain(new).min()
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

//! The first screen's data: what was tested, verdicts, findings, assumptions, and a line for each function.

use everypath_record::{Address, Counts, Judged, Summary, UnreachedCode, UnreachedFunction, Verdict};
use serde::Serialize;

use super::causes::{CauseRow, cause_rows, what_to_do};
use super::code::{Code, in_order, verdict_index};
use super::columns::{Index, Number};
use super::justifications::{JustificationRow, justification_rows};
use super::places::Places;
use super::strings::Strings;
use crate::cause::Cause;
use crate::report::ReportData;
use crate::report::unexecuted::{UnexecutedFunction, unexecuted_functions};

/// Number of verdicts.
const VERDICTS: usize = 4;

/// The overview.
#[derive(Serialize)]
pub(super) struct Overview<'r> {
    version: &'static str,
    program: &'r str,
    /// The folder of the results, as the commands name it.
    folder: &'r str,
    /// The command-line flags of the run, which follow the program's file in the commands that the report shows.
    flags: String,
    program_hash: &'r str,
    configuration_hash: &'r str,
    architecture: &'r str,
    plan: &'r serde_json::Value,
    criterion_reached: bool,
    complete: bool,
    incomplete_reasons: &'r [String],
    paths: u64,
    instructions: u64,
    queries: &'r Counts,
    directions_exact: bool,
    /// Number of directions of each verdict.
    tally: [usize; VERDICTS],
    /// The names of the tests.
    tests: &'r [String],
    /// Number of directions that each test is the first to cover.
    new_directions: Vec<usize>,
    /// The growth of coverage: paths, executed instructions, and covered directions.
    curve: Vec<(Number, Number, Number)>,
    functions: FunctionColumns<'r>,
    findings: Vec<FindingRow<'r>>,
    assumptions: Vec<AssumptionRow<'r>>,
    exits: Vec<ExitRow<'r>>,
    /// Entries for the configuration, in TOML.
    undeclared: Vec<String>,
    divergences: &'r [String],
    /// Why directions are open or unsupported.
    causes: Vec<CauseRow>,
    justifications: Vec<JustificationRow<'r>>,
    /// Whether every open direction is justified.
    is_justified: bool,
    /// The functions that no entry reaches; none if it is not known which.
    unreached: Option<UnreachedRows<'r>>,
    /// The functions that are reached and that nothing executes.
    unexecuted: Vec<UnreachedRow<'r>>,
    /// The functions that a justification can name, each with the digest of its code.
    digests: Vec<(&'r str, &'r str)>,
}

#[derive(Default, Serialize)]
struct FunctionColumns<'r> {
    name: Vec<&'r str>,
    place: Vec<usize>,
    /// For each verdict, the number of directions.
    tally: [Vec<usize>; VERDICTS],
}

#[derive(Serialize)]
struct FindingRow<'r> {
    oracle: &'r str,
    place: usize,
    message: &'r str,
    test: &'r str,
}

#[derive(Serialize)]
struct AssumptionRow<'r> {
    kind: &'r str,
    place: usize,
    message: &'r str,
    count: Number,
    loses_paths: bool,
    what_to_do: Option<&'static str>,
}

#[derive(Serialize)]
struct ExitRow<'r> {
    place: usize,
    kind: &'r str,
    targets: Vec<usize>,
    resolved: bool,
    reason: &'r str,
    function: Index,
}

#[derive(Serialize)]
struct UnreachedRows<'r> {
    functions: Vec<UnreachedRow<'r>>,
    /// Number of bytes of these functions.
    bytes: Number,
    /// Number of bytes of executable memory in no function and no block.
    unassigned: Number,
}

#[derive(Serialize)]
struct UnreachedRow<'r> {
    name: &'r str,
    place: usize,
    size: Number,
    /// The evidence for a function that no control flow from an entry leads to; empty for others.
    evidence: &'r str,
}

impl<'r> Overview<'r> {
    /// The overview of a report.
    pub(super) fn new(
        data: &ReportData<'r>,
        places: &Places,
        code: &Code,
        strings: &mut Strings,
    ) -> Overview<'r> {
        let summary = &data.suite.summary;
        let place = |address: Address| places.index(address);
        let mut tally = [0; VERDICTS];
        for judged in &summary.directions {
            tally[verdict_index(&judged.verdict)] += 1;
        }
        let findings = summary.findings.iter().map(|finding| FindingRow {
            oracle: &finding.oracle,
            place: place(finding.address),
            message: &finding.message,
            test: &finding.test,
        });
        let assumptions = summary.assumptions.iter().map(|assumption| AssumptionRow {
            kind: &assumption.kind,
            place: place(assumption.address),
            message: &assumption.message,
            count: Number(assumption.count),
            loses_paths: assumption.loses_paths,
            what_to_do: what_to_do(assumption, summary),
        });
        let exits = summary.indirect_exits.iter().map(|exit| ExitRow {
            place: place(exit.branch),
            kind: &exit.kind,
            targets: exit.targets.iter().map(|target| place(*target)).collect(),
            resolved: exit.resolved,
            reason: &exit.reason,
            function: Index(code.function_of(exit.branch)),
        });
        let digests = summary.function_digests.iter();
        let digests = digests.map(|digest| (digest.function.as_str(), digest.code.as_str()));
        Overview {
            version: env!("CARGO_PKG_VERSION"),
            program: &summary.program,
            folder: data.folder.trim_end_matches('/'),
            flags: data.flags_text(),
            program_hash: &summary.program_hash,
            configuration_hash: &summary.configuration_hash,
            architecture: &summary.architecture,
            plan: &summary.plan,
            criterion_reached: summary.criterion_reached,
            complete: summary.complete,
            incomplete_reasons: &summary.incomplete_reasons,
            paths: summary.paths,
            instructions: summary.instructions,
            queries: &summary.queries,
            directions_exact: summary.directions_exact,
            tally,
            tests: &summary.tests,
            new_directions: new_directions(data),
            curve: curve(summary),
            functions: functions(data, places, code),
            findings: findings.collect(),
            assumptions: assumptions.collect(),
            exits: exits.collect(),
            undeclared: summary.undeclared_registers.iter().map(ToString::to_string).collect(),
            divergences: &summary.divergences,
            causes: cause_rows(Cause::all(summary), &in_order(data), strings),
            justifications: justification_rows(summary, &in_order(data)),
            is_justified: summary.is_justified(),
            unreached: summary.unreached.as_ref().map(|code| unreached(code, places)),
            unexecuted: unexecuted(data, places),
            digests: digests.collect(),
        }
    }
}

fn unreached<'r>(code: &'r UnreachedCode, places: &Places) -> UnreachedRows<'r> {
    let row = |function: &'r UnreachedFunction| UnreachedRow {
        name: &function.name,
        place: places.index(function.address),
        size: Number(function.size),
        evidence: &function.evidence,
    };
    UnreachedRows {
        functions: code.functions.iter().map(row).collect(),
        bytes: Number(code.function_bytes()),
        unassigned: Number(code.unassigned_bytes),
    }
}

fn unexecuted<'r>(data: &ReportData<'r>, places: &Places) -> Vec<UnreachedRow<'r>> {
    let row = |one: &UnexecutedFunction<'r>| UnreachedRow {
        name: &one.function.name,
        place: places.index(one.function.address),
        size: Number(one.size()),
        evidence: one.referenced.map_or("", |record| &record.evidence),
    };
    unexecuted_functions(data).iter().map(row).collect()
}

fn curve(summary: &Summary) -> Vec<(Number, Number, Number)> {
    let points = summary.coverage_curve.iter();
    points.map(|point| (Number(point.paths), Number(point.executed), Number(point.covered))).collect()
}

fn new_directions(data: &ReportData<'_>) -> Vec<usize> {
    let tests = &data.suite.summary.tests;
    let numbers: std::collections::HashMap<&str, usize> =
        tests.iter().enumerate().map(|(number, name)| (name.as_str(), number)).collect();
    let mut counts = vec![0; tests.len()];
    for Judged { verdict, .. } in &data.suite.summary.directions {
        let Verdict::Covered { test, .. } = verdict else { continue };
        if let Some(number) = numbers.get(test.as_str()) {
            counts[*number] += 1;
        }
    }
    counts
}

fn functions<'r>(data: &ReportData<'r>, places: &Places, code: &Code) -> FunctionColumns<'r> {
    let functions = &data.listing.functions;
    let mut columns = FunctionColumns {
        name: functions.iter().map(|function| function.name.as_str()).collect(),
        place: functions.iter().map(|function| places.index(function.address)).collect(),
        tally: std::array::from_fn(|_| vec![0; functions.len()]),
    };
    for Judged { direction, verdict } in &data.suite.summary.directions {
        if let Some(function) = code.function_of(direction.branch) {
            columns.tally[verdict_index(verdict)][function] += 1;
        }
    }
    columns
}

//! Chapter 3: tallies, a row for each function, and a row for each direction.

use std::collections::BTreeMap;

use everypath_record::{Address, Verdict};

use super::document::{DossierDocument, cell};
use super::index::DossierIndex;
use super::prose::Prose;
use crate::number::counted;
use crate::with_separators;

const TALLIES: &[(&str, u8)] = &[("verdict", 44), ("directions", 44)];
const FUNCTIONS: &[(&str, u8)] =
    &[("function", 30), ("entry", 14), ("covered", 10), ("infeasible", 12), ("open", 9), ("unsupported", 13)];
const DIRECTIONS: &[(&str, u8)] = &[
    ("branch", 17),
    ("from and to", 18),
    ("source line", 13),
    ("verdict", 12),
    ("test, trace, evidence or reason", 28),
];
/// The verdicts, in the order of the tables.
const VERDICTS: [&str; 4] = ["covered", "infeasible", "open", "unsupported"];

/// States how many directions are credited to which traces or tests, if there are any.
fn credit(by: &BTreeMap<&str, u64>, how: &str, document: &mut DossierDocument) {
    if by.is_empty() {
        return;
    }
    let directions = match by.values().sum() {
        1 => "1 is covered".to_owned(),
        count => format!("{} are covered", with_separators(count)),
    };
    let names = by.iter().map(|(name, count)| format!("{name} ({})", with_separators(*count)));
    let names = names.collect::<Vec<String>>().join(", ");
    document.state("RES", format!("Of the covered directions, {directions} {how}: {names}."));
}

/// Writes the chapter.
pub(super) fn write(index: &DossierIndex<'_>, document: &mut DossierDocument) {
    let summary = index.summary();
    document.chapter("Results");
    let mut totals = [0; 4];
    let mut functions: BTreeMap<Option<(Address, String)>, [u64; 4]> = BTreeMap::new();
    for judged in &index.directions {
        let verdict = position(&judged.verdict);
        totals[verdict] += 1;
        let function = index.function(judged.direction.branch).map(|(name, entry)| (entry, name));
        functions.entry(function).or_default()[verdict] += 1;
    }
    let rows = VERDICTS.iter().zip(totals);
    let rows = rows.map(|(name, count)| vec![cell(Prose::verdict(name)), cell(with_separators(count))]);
    let all = vec![cell("all"), cell(with_separators(totals.iter().sum()))];
    document.table("RES", TALLIES, rows.chain([all]));
    document.state(
        "RES",
        format!(
            "The suite has {}. {} run to the end, which executed {}. Solver queries: {}, {} of them unsatisfiable and {} without an answer.",
            counted(index.data.suite.tests.len() as u64, "test"),
            match summary.paths {
                1 => "1 path was".to_owned(),
                paths => format!("{} paths were", with_separators(paths)),
            },
            counted(summary.instructions, "distinct instruction"),
            with_separators(summary.queries.total),
            with_separators(summary.queries.unsat),
            with_separators(summary.queries.unknown),
        ),
    );
    if !index.justified.is_empty() {
        let justified = counted(index.justified.len() as u64, "open or unsupported direction");
        document.state("RES", format!("Justified, by a reviewer and not by a proof: {justified}."));
    }
    credit(&index.traces(), "by a trace, which was recorded elsewhere and not replayed", document);
    credit(
        &index.suite_tests(),
        "by a test of another suite, which was replayed in the concrete machine under the configuration of that suite, and not under the \
         one of this run; a test of one function shows that the function takes the direction, and not that the program does",
        document,
    );
    document.section("Functions");
    // Directions in no function come last.
    let mut functions: Vec<_> = functions.into_iter().collect();
    functions.sort_by_key(|(function, _)| function.is_none());
    document.table(
        "FUNC",
        FUNCTIONS,
        functions.into_iter().map(|(function, counts)| function_row(function, counts)),
    );
    document.section("Directions");
    let rows = index.directions.iter().map(|judged| {
        let (branch, target) = (judged.direction.branch, judged.direction.target);
        vec![
            cell(index.place(branch)),
            cell(Prose::code(branch.to_string()).and(" → ").and(Prose::code(target.to_string()))),
            cell(index.short_source(branch)),
            cell(Prose::verdict(judged.verdict.name())),
            cell(index.ground(judged)),
        ]
    });
    document.table("D", DIRECTIONS, rows);
}

fn function_row(function: Option<(Address, String)>, counts: [u64; 4]) -> Vec<Vec<Prose>> {
    let (name, entry) = match function {
        Some((entry, name)) => (Prose::code(name), Prose::code(entry.to_string())),
        None => (Prose::from("in no known function"), Prose::default()),
    };
    let counts = counts.map(|count| cell(with_separators(count)));
    [cell(name), cell(entry)].into_iter().chain(counts).collect()
}

/// The position of a verdict in [`VERDICTS`].
fn position(verdict: &Verdict) -> usize {
    match verdict {
        Verdict::Covered { .. } => 0,
        Verdict::Infeasible { .. } => 1,
        Verdict::Open { .. } => 2,
        Verdict::Unsupported { .. } => 3,
    }
}

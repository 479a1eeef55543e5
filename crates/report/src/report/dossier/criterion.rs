//! Chapter 2: the coverage criterion, and what exact, complete and each verdict mean for this run.

use everypath_record::IndirectExitRecord;

use super::document::{DossierDocument, cell};
use super::index::DossierIndex;
use super::prose::Prose;
use crate::locations::Locations;
use crate::number::counted;

const EXITS: &[(&str, u8)] =
    &[("indirect exit", 24), ("kind", 10), ("known targets", 12), ("why others may exist", 42)];

/// Writes the chapter.
pub(super) fn write(index: &DossierIndex<'_>, document: &mut DossierDocument) {
    let summary = index.summary();
    document.chapter("Criterion");
    document.state(
        "CRIT",
        "The criterion is branch coverage of the object code. A branch direction is a conditional or indirect instruction of the machine code and one of its successors; each one is to be taken by a test or in a trace, or shown to be infeasible.",
    );
    let criterion = summary.plan.get("criterion").and_then(|name| name.as_str()).unwrap_or("branch");
    let reached = if summary.criterion_reached { "was reached" } else { "was not reached" };
    document.state("CRIT", format!("The exploration had the criterion `{criterion}`, which {reached}."));
    document.section("Exactness and completeness");
    write_exactness(index, document);
    match summary.complete {
        true => document.state(
            "CRIT",
            format!(
                "Complete: every path that input can take in the configured environment was explored ({} run to the end); no bound and no assumption has cost one.",
                counted(summary.paths, "path")
            ),
        ),
        false => {
            document.state(
                "CRIT",
                "Not complete: paths may exist that were not explored, for these reasons, so that no verdict rests on all paths having been explored.",
            );
            let locations = Locations { known: &summary.locations, source: &|_| None };
            let reasons = summary.incomplete_reasons.iter().map(|reason| locations.named(reason));
            document.list("INC", reasons.map(|reason| Prose::from(reason.as_str())));
        }
    }
    document.section("Verdicts");
    let verdicts = [
        (
            "covered",
            match index.traces().is_empty() {
                true => {
                    ": a test takes the direction. The test was run again from the entry, in the concrete machine, and took it there."
                }
                false => {
                    ": a test or a trace takes the direction, as its row says. A test was run again from the entry, in the concrete machine, and took the direction there. A trace was recorded elsewhere and was not replayed: such a verdict rests on the recording."
                }
            },
        ),
        (
            "infeasible",
            ": no input takes the direction in the configured environment: every path, or every path of an abstraction of all paths, was explored and none takes it; or value sets exclude it and the solver confirms each exclusion.",
        ),
        ("open", ": it is not known whether an input takes the direction, for the reason that is given."),
        (
            "unsupported",
            ": an operation without a model is all that kept the exploration from deciding the direction.",
        ),
    ];
    if !index.suite_tests().is_empty() {
        document.state(
            "CRIT",
            "Tests of other suites were replayed under the configurations of these suites: a direction that one of them covers, as its row says, was taken under that configuration. No infeasible verdict of another suite is in this document.",
        );
    }
    document.list("CRIT", verdicts.map(|(name, meaning)| Prose::verdict(name).and(meaning)));
    document.state(
        "CRIT",
        "Every verdict holds in the environment that the configuration describes: its memory map, inputs and peripherals, and the assumptions of this document.",
    );
}

fn write_exactness(index: &DossierIndex<'_>, document: &mut DossierDocument) {
    let summary = index.summary();
    let all = summary.indirect_exits.len();
    let unresolved: Vec<&IndirectExitRecord> =
        summary.indirect_exits.iter().filter(|exit| !exit.resolved).collect();
    if summary.directions_exact {
        let resolved = match all {
            0 => "the program has no indirect exits".to_owned(),
            1 => "the only indirect exit is resolved".to_owned(),
            _ => format!("all {all} indirect exits are resolved"),
        };
        return document.state(
            "CRIT",
            format!("Exact: the list of directions is complete, because {resolved} (jumps, calls and returns through a register or memory) and nothing is assumed of the environment."),
        );
    }
    let limit = match unresolved.len() {
        0 => "an assumption about the environment may hide others (see the assumptions)".to_owned(),
        count => format!("{count} of {all} indirect exits may have targets that are not known"),
    };
    document.state(
        "CRIT",
        format!("Not exact: directions may exist that are not in this document, because {limit}."),
    );
    let rows = unresolved.iter().map(|exit| {
        let targets = cell(exit.targets.len().to_string());
        vec![cell(index.place(exit.branch)), cell(exit.kind.as_str()), targets, cell(exit.reason.as_str())]
    });
    document.table("IND", EXITS, rows);
}

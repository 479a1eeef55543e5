//! SARIF 2.1.0 (OASIS): findings and undecided branch directions, for code scanners and editors.
//!
//! A finding is a result of kind `fail` and level `error`, whose rule is its oracle. Directions are results of the rule
//! `branch-direction`. An open one is of kind `open`, which is defined as "there was insufficient information to decide" (§3.27.9),
//! and so is an unsupported one. An infeasible one is `informational`: its evidence is worth reading, as the code behind it is
//! dead, but it is no problem that a tool should count; `pass` would hide it among what was checked. A result that does not
//! `fail` must have the level `none` (§3.27.10). A justified one is still open, and has an accepted suppression with the reviewer's
//! reason (§3.35). Covered directions are only counted, in the properties of the run.
//!
//! A location has the source line, if it is known, or else the program's file; always the address; and the function as its
//! logical location. Assumptions, the reasons for an incomplete exploration and divergences are notifications of the invocation,
//! which is successful unless there is a divergence, a fault of Everypath.

use std::collections::BTreeSet;

use everypath_record::{Address, Finding, Judged, Justification, OutputFile, Summary, Verdict};
use serde_json::{Value, json};

use super::ReportData;
use super::sarif_location::{location, uri};
use crate::justified::{accepted_text, lapsed_text};
use crate::locations::Locations;
use crate::number::counted;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// The rule of directions.
const DIRECTION: &str = "branch-direction";

/// The log.
pub(super) fn files(data: &ReportData<'_>) -> Vec<OutputFile> {
    let summary = &data.suite.summary;
    let oracles: BTreeSet<&str> = summary.findings.iter().map(|finding| finding.oracle.as_str()).collect();
    let oracles: Vec<&str> = oracles.into_iter().collect();
    let findings = summary.findings.iter().map(|finding| finding_result(summary, &oracles, finding));
    let justified = summary.justified();
    let directions = summary.directions.iter().filter_map(|judged| {
        direction_result(summary, &oracles, judged, justified.get(&judged.direction).copied())
    });
    let mut results: Vec<Value> = findings.chain(directions).collect();
    if !summary.justified().is_empty() {
        // Either all results of a run have suppressions, or none (§3.27.23).
        for result in results.iter_mut().filter(|result| result.get("suppressions").is_none()) {
            result["suppressions"] = json!([]);
        }
    }
    let (covered, infeasible, undecided) = summary.tally();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Everypath",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules(&oracles),
            } },
            "invocations": [{
                "executionSuccessful": summary.divergences.is_empty(),
                "exitCode": summary.exit_code() as i32,
                "toolExecutionNotifications": notifications(summary),
            }],
            "artifacts": [{
                "location": { "uri": uri(&summary.program) },
                "roles": ["analysisTarget"],
                "hashes": { "sha-256": summary.program_hash },
            }],
            "columnKind": "unicodeCodePoints",
            "results": results,
            "properties": {
                "architecture": summary.architecture,
                "complete": summary.complete,
                "directionsExact": summary.directions_exact,
                "directions": { "covered": covered, "infeasible": infeasible, "undecided": undecided, "justified": summary.justified().len() },
            },
        }],
    });
    let mut contents = serde_json::to_vec_pretty(&log).expect("a JSON value can be written");
    contents.push(b'\n');
    vec![OutputFile { path: "report.sarif".to_owned(), contents }]
}

/// The rules: the oracles, then that of directions.
fn rules(oracles: &[&str]) -> Vec<Value> {
    let oracles = oracles.iter().map(|oracle| {
        json!({
            "id": oracle,
            "shortDescription": { "text": format!("No input makes the program violate the oracle `{oracle}`.") },
            "defaultConfiguration": { "level": "error" },
        })
    });
    let direction = json!({
        "id": DIRECTION,
        "shortDescription": { "text": "A test takes each branch direction, or no input can." },
    });
    oracles.chain([direction]).collect()
}

fn finding_result(summary: &Summary, oracles: &[&str], finding: &Finding) -> Value {
    json!({
        "ruleId": finding.oracle,
        "ruleIndex": oracles.iter().position(|oracle| *oracle == finding.oracle),
        "kind": "fail",
        "level": "error",
        "message": { "text": format!("{} (test {})", finding.message, finding.test) },
        "locations": [location(summary, finding.address)],
        "properties": { "test": finding.test },
    })
}

fn direction_result(
    summary: &Summary,
    oracles: &[&str],
    judged: &Judged,
    justification: Option<&Justification>,
) -> Option<Value> {
    let (verdict, reason) = (judged.verdict.name(), judged.verdict.reason()?);
    let kind = if let Verdict::Infeasible { .. } = judged.verdict { "informational" } else { "open" };
    let direction = judged.direction;
    let mut target = location(summary, direction.target);
    target["message"] = json!({ "text": "the target" });
    let mut result = json!({
        "ruleId": DIRECTION,
        "ruleIndex": oracles.len(),
        "kind": kind,
        "level": "none",
        "message": { "text": format!("{direction} is {verdict}: {reason}") },
        "locations": [location(summary, direction.branch)],
        "relatedLocations": [target],
        "properties": { "verdict": verdict, "target": direction.target },
    });
    if let Some(justification) = justification {
        let text = accepted_text(justification);
        result["suppressions"] = json!([{ "kind": "external", "status": "accepted", "justification": text }]);
    }
    Some(result)
}

fn notifications(summary: &Summary) -> Vec<Value> {
    let known = Locations { known: &summary.locations, source: &|_| None };
    let notification = |level: &str, kind: &str, text: &str, at: Option<Address>| {
        let at = at.or_else(|| Address::of_code_in(text).map(|(_, address)| address));
        let locations: Vec<Value> = at.map(|address| location(summary, address)).into_iter().collect();
        json!({
            "level": level,
            "descriptor": { "id": kind },
            "message": { "text": known.named(text) },
            "locations": locations,
        })
    };
    let divergences = summary.divergences.iter().map(|text| notification("error", "divergence", text, None));
    let reasons =
        summary.incomplete_reasons.iter().map(|text| notification("warning", "incomplete", text, None));
    let assumptions = summary.assumptions.iter().map(|assumption| {
        let level = if assumption.loses_paths { "warning" } else { "note" };
        let text = format!("{} ({})", assumption.message, counted(assumption.count, "time"));
        notification(level, &assumption.kind, &text, Some(assumption.address))
    });
    let lapsed = summary.lapsed().map(|(justification, _)| {
        let text = format!("{}: {}", justification.place(), lapsed_text(justification));
        notification("warning", "lapsed-justification", &text, None)
    });
    divergences.chain(reasons).chain(assumptions).chain(lapsed).collect()
}

//! The targets of a directed search with their answers.

use std::io::{self, Write};

use everypath_record::{ClosestApproach, Summary, TargetAnswer, TargetVerdict};

use super::{IN_SUMMARY, SHOWN};
use crate::locations::Locations;
use crate::number::{counted, with_separators, write_rest};

/// Writes the answers, and how the search ended.
pub(super) fn write(
    summary: &Summary,
    locations: &Locations<'_>,
    folder: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let count = |name: &str| {
        let count = summary.targets.iter().filter(|answer| answer.verdict.name() == name).count();
        with_separators(count as u64)
    };
    let total = counted(summary.targets.len() as u64, "target");
    let [confirmed, refuted, open] = ["confirmed", "refuted", "open"].map(count);
    writeln!(out, "{total}: {confirmed} confirmed, {refuted} refuted, {open} open")?;
    for answer in &summary.targets {
        write_answer(answer, locations, out)?;
    }
    let lost: Vec<_> = summary.assumptions.iter().filter(|one| one.loses_paths).collect();
    if open != "0" && !lost.is_empty() {
        writeln!(out, "\nassumptions by which paths may be lost")?;
        for one in lost.iter().take(SHOWN) {
            writeln!(out, "  {}: {}", locations.at(one.address), one.message)?;
        }
        write_rest(lost.len(), SHOWN, IN_SUMMARY, out)?;
    }
    writeln!(out)?;
    for divergence in &summary.divergences {
        writeln!(out, "fault of everypath: {divergence}")?;
    }
    let tests = counted(summary.tests.len() as u64, "test");
    writeln!(out, "{}; {tests} in {folder}", counted(summary.paths, "path"))
}

fn write_answer(answer: &TargetAnswer, locations: &Locations<'_>, out: &mut dyn Write) -> io::Result<()> {
    let TargetAnswer { target, verdict, paths, closest, .. } = answer;
    writeln!(out, "\n{:<9}  {target}", verdict.name())?;
    match verdict {
        TargetVerdict::Confirmed { test } => {
            writeln!(out, "           test {test}, on path {}", with_separators(*paths))?;
        }
        TargetVerdict::Refuted { evidence } => writeln!(out, "           {}", locations.named(evidence))?,
        TargetVerdict::Open { reason } => writeln!(out, "           {}", locations.named(reason))?,
    }
    if let Some(ClosestApproach { passed, address, edges }) = closest {
        let points = match (answer.points, passed) {
            (1, _) => String::new(),
            (points, passed) => format!(", with {passed} of {points} points passed"),
        };
        let edges =
            if *edges == 0 { "in its block".to_owned() } else { format!("{} away", counted(*edges, "edge")) };
        writeln!(out, "           closest: {}, {edges}{points}", locations.at(*address))?;
    }
    Ok(())
}

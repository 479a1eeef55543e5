//! The first and the last lines of a summary: the tally, the environment, and how the exploration ended.

use std::io::{self, Write};

use everypath_record::Summary;

use super::{IN_SUMMARY, SHOWN, justified};
use crate::number::{counted, with_separators, write_rest};

/// Maximum number of functions that nothing reaches of which names are shown.
const NAMED: usize = 6;

/// Maximum number of functions that nothing reaches for any names to be shown: more are those of a library, as a rule.
const NAMEABLE: usize = 20;

/// The numbers of directions, and whether they are all there are.
pub(super) fn write_tally(summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
    let (covered, infeasible, open) = summary.tally();
    let [covered, infeasible, open] = [covered, infeasible, open].map(|count| with_separators(count as u64));
    let total = counted(summary.directions.len() as u64, "branch direction");
    let justified = match summary.justified().len() {
        0 => String::new(),
        count => format!(" ({} of them justified)", with_separators(count as u64)),
    };
    writeln!(out, "{total}: {covered} covered, {infeasible} infeasible, {open} open{justified}")?;
    let exits = summary.indirect_exits.len() as u64;
    let unresolved = summary.indirect_exits.iter().filter(|exit| !exit.resolved).count() as u64;
    let exact = match (summary.directions_exact, unresolved) {
        (true, _) if exits == 0 => "exact: there is no indirect jump, call or return".to_owned(),
        (true, _) => format!("exact: {} (jumps, calls, returns) resolved", counted(exits, "indirect exit")),
        (false, 0) => "not exact: it depends on assumptions about the environment".to_owned(),
        (false, _) => format!(
            "not exact: {} of {} (jumps, calls, returns) may have other targets",
            with_separators(unresolved),
            counted(exits, "indirect exit")
        ),
    };
    writeln!(out, "coverage is {exact}")
}

/// The functions that nothing reaches: how many, how large, and the names of some.
pub(super) fn write_unreached(summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
    let Some(unreached) = summary.unreached.as_ref().filter(|code| !code.functions.is_empty()) else {
        return Ok(());
    };
    let count = unreached.functions.len();
    let functions = counted(count as u64, "function");
    let bytes = counted(unreached.function_bytes(), "byte");
    let (is, known) = (
        if count == 1 { "is" } else { "are" },
        if summary.indirect_exits.iter().all(|exit| exit.resolved) { "" } else { " that is known" },
    );
    if count > NAMEABLE {
        return writeln!(
            out,
            "{functions}, {bytes}, {is} reached by nothing{known}; `everypath report` lists them"
        );
    }
    let mut names: Vec<String> =
        unreached.functions.iter().take(NAMED).map(|function| function.name.clone()).collect();
    let rest = count.saturating_sub(NAMED) as u64;
    names.extend((rest > 0).then(|| format!("and {} more", with_separators(rest))));
    writeln!(out, "{functions}, {bytes}, {is} reached by nothing{known}: {}", names.join(", "))
}

/// Writes the gaps of the configuration, undeclared peripheral registers as entries to paste, and the notes about it.
pub(super) fn write_environment(summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
    if !summary.undeclared_registers.is_empty() {
        writeln!(out, "\ndecisions depend on peripheral registers that the configuration does not declare:")?;
        for register in &summary.undeclared_registers {
            writeln!(out)?;
            register.to_string().lines().try_for_each(|line| writeln!(out, "  {line}"))?;
        }
    }
    // An interrupt that was assumed to be enabled loses no path, but tests take it.
    let is_note = |kind: &str, loses_paths: bool| {
        matches!(kind, "unused" | "steered" | "suite") || kind == "interrupt" && !loses_paths
    };
    let notes = summary.assumptions.iter().filter(|one| is_note(&one.kind, one.loses_paths));
    let mut notes = notes.peekable();
    if notes.peek().is_some() {
        writeln!(out)?;
    }
    notes.try_for_each(|note| writeln!(out, "note: {}", note.message))
}

/// How the exploration ended, and where the tests are.
pub(super) fn write_end(
    summary: &Summary,
    folder: &str,
    named: impl Fn(&str) -> String,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out)?;
    for divergence in &summary.divergences {
        writeln!(out, "fault of everypath: {divergence}")?;
    }
    if !summary.divergences.is_empty() {
        writeln!(
            out,
            "please report this: a test does not behave as it did in the exploration when it is run from the entry"
        )?;
    }
    let paths = counted(summary.paths, "path");
    if !summary.merged_from.is_empty() {
        write_merged(summary, named, out)?;
    } else if summary.complete && summary.plan["merge"] == true {
        writeln!(out, "exploration complete: every feasible path was explored, merged into {paths}")?;
    } else if summary.complete {
        writeln!(out, "exploration complete: {paths}, and there is no other feasible one")?;
    } else if summary.criterion_reached {
        writeln!(out, "criterion reached after {paths}; not every path was explored")?;
    } else {
        writeln!(out, "exploration not complete after {paths}:")?;
        write_reasons(summary, named, out)?;
    }
    justified::write_conclusion(summary, out)?;
    writeln!(out, "{} in {folder}", counted(summary.tests.len() as u64, "test"))
}

/// The runs that were merged, and what they show together.
fn write_merged(summary: &Summary, named: impl Fn(&str) -> String, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "merged from {}:", counted(summary.merged_from.len() as u64, "run"))?;
    for run in summary.merged_from.iter().take(SHOWN) {
        let (tests, paths) = (counted(run.tests, "test"), counted(run.paths, "path"));
        let end = match (run.complete, run.criterion_reached) {
            (true, _) => "complete",
            (false, true) => "criterion reached",
            (false, false) => "not complete",
        };
        writeln!(out, "  {}: {tests}, {paths}, {end}", run.name)?;
    }
    write_rest(summary.merged_from.len(), SHOWN, IN_SUMMARY, out)?;
    if summary.complete {
        writeln!(out, "complete: one of the runs explored every feasible path")
    } else if summary.criterion_reached {
        writeln!(out, "criterion reached by one of the runs; none of them explored every path")
    } else {
        writeln!(out, "not complete; the runs give these reasons:")?;
        write_reasons(summary, named, out)
    }
}

/// Why the exploration is not complete.
fn write_reasons(summary: &Summary, named: impl Fn(&str) -> String, out: &mut dyn Write) -> io::Result<()> {
    for reason in summary.incomplete_reasons.iter().take(SHOWN) {
        writeln!(out, "  {}", named(reason))?;
    }
    write_rest(summary.incomplete_reasons.len(), SHOWN, IN_SUMMARY, out)
}
